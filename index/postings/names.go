package postings

import (
	"slices"

	"go.almanac.example/index/text"
)

const (
	allFields  = 1<<Fields - 1
	textFields = allFields &^ (1 << Lead)
	nameFields = allFields &^ (1<<Text | 1<<Class)

	// nameStep is the step of a frequency in names: names that are about equally good are ordered by their days.
	nameStep = float32(Saturation+1) / 20

	maxName   = 20 // bytes of a term of names; contracts are longer
	maxJoined = 10 // bytes of a term of joined words; whole ids are longer
	minStem   = 5  // letters of a stem of which an unfinished form is typed
	maxEnding = 6  // letters of the ending of such a form
)

// First returns the part of the store that has the first records only.
func (s *Store) First(records int) *Store {
	part := *s
	part.count = records
	return &part
}

// Names returns the part of the store in which records are found by their names, which is everything but their texts.
func (s *Store) Names() *Store {
	part := &Store{snapshot: s.snapshot, fields: nameFields, count: s.total, onlyNames: true}
	for term := range s.terms {
		if part.MayHave(term) && text.IsWritten(term) {
			part.words = append(part.words, term)
		}
	}
	slices.Sort(part.words)
	return part
}

// isLongName reports whether a term is too long for a name that people type.
func isLongName(term string) bool {
	return len(term) > maxName || len(term) > maxJoined && term[0] == '-'
}

// rounded returns a saturated frequency as the store has it.
func (s *Store) rounded(frequency float32) float32 {
	if !s.onlyNames {
		return frequency
	}
	return max(1, float32(int(frequency/nameStep+0.5))) * nameStep
}

// NamesNear returns the terms of names of which a word may be an unfinished form, or else a misspelling: those one edit
// away from its stem, or else two.
func (s *Store) NamesNear(w text.Word) (terms []string) {
	if len(w.Text) < minTypo || text.HasDigit(w.Text) || s.analyzer.IsCorrect(w.Text) {
		return nil
	}
	for n := len(w.Stem) - 1; n >= max(minStem, len(w.Stem)-maxEnding); n-- {
		if s.MayHave(w.Stem[:n]) {
			return []string{w.Stem[:n]}
		}
	}
	for edits := 1; edits <= 2 && terms == nil && (edits == 1 || len(w.Text) >= minTwoTypos); edits++ {
		for _, term := range s.words {
			if (edits == 1 || term[0] == w.Stem[0]) && !text.HasDigit(term) && isWithin(w.Stem, term, edits) &&
				s.analyzer.MayMean(w.Text, term) {
				terms = append(terms, term)
			}
		}
	}
	return terms
}
