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
			part.begun = append(part.begun, term)
		}
	}
	slices.Sort(part.begun)
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
