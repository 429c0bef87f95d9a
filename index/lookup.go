package index

import (
	"slices"
	"strings"

	"almanac/index/postings"
	"almanac/index/text"
)

// A lookup is the state of looking up the parts of a query one by one.
type lookup struct {
	plan      *plan
	words     []text.Word
	text      string
	found     []bool         // by word: a document has a part with it
	inName    []bool         // by word: it was found as part of a name and means nothing alone
	corrected map[int]string // by word: what it is a misspelling of
}

// The weights of words that are read as something else.
const (
	prefixWeight     = 0.7
	correctionWeight = 0.7
)

// lookUp adds a clause for a part: the word itself and its other spellings, or else the words it
// begins, or else the word it is a misspelling of.
func (x *Index) lookUp(d *postings.Deadline, l *lookup, p part) error {
	if p.first == p.last && l.inName[p.first] {
		return nil
	}
	list, err := x.store.List(d, p.variants...)
	if err != nil {
		return err
	}
	c := clause{list: list, weight: float32(p.count), term: l.text[l.words[p.first].Start:l.words[p.last].End], variants: p.variants}
	if len(list.Docs) > 0 {
		l.plan.clauses = append(l.plan.clauses, c)
		for i := p.first; i <= p.last; i++ {
			l.found[i] = true
			// The 12 of BOLT 12 is searched with its name only, and so is a single letter.
			l.inName[i] = l.inName[i] || p.numbered && (i > p.first || len(l.words[i].Text) == 1)
		}
		return nil
	}
	if p.first < p.last || l.found[p.first] {
		return nil
	}
	if c.variants, c.as, err = x.guess(d, l, p.first); err != nil || c.variants == nil {
		return err
	}
	if c.list, err = x.store.List(d, c.variants...); err != nil {
		return err
	}
	l.plan.clauses = append(l.plan.clauses, c)
	return nil
}

// guess returns what a word that no document has may stand for.
func (x *Index) guess(d *postings.Deadline, l *lookup, word int) ([]text.Variant, string, error) {
	s := l.words[word].Text
	completions, err := x.store.Completions(s)
	if err != nil {
		return nil, "", err
	}
	var variants []text.Variant
	for _, w := range completions {
		if v := (text.Variant{Term: x.analyzer.Stem(w), Weight: prefixWeight}); !slices.Contains(variants, v) {
			variants = append(variants, v)
		}
	}
	if len(variants) > 0 {
		return variants, s + "…", nil
	}
	corrected, err := x.store.Correction(d, s)
	if err != nil || corrected == "" {
		return nil, "", err
	}
	if l.corrected == nil {
		l.corrected = make(map[int]string)
	}
	l.corrected[word] = corrected
	variants = text.Term{Text: x.analyzer.Stem(corrected)}.AppendVariants(nil)
	for i := range variants {
		variants[i].Weight *= correctionWeight
	}
	return variants, corrected, nil
}

// suggestion returns the text with its misspelt words corrected, or "".
func (l *lookup) suggestion() string {
	if len(l.corrected) == 0 {
		return ""
	}
	var b strings.Builder
	at := 0
	for i, w := range l.words {
		if c, ok := l.corrected[i]; ok {
			b.WriteString(l.text[at:w.Start] + c)
			at = w.End
		}
	}
	b.WriteString(l.text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}

// lookUpStopWords looks up a query of stop words only, "to be or not to be", as it is written.
func (x *Index) lookUpStopWords(d *postings.Deadline, pl *plan, ws []text.Word) error {
	for _, w := range ws[:min(len(ws), MaxTerms)] {
		l, err := x.store.Written(d, w.Text)
		if err != nil {
			return err
		}
		if len(l.Docs) > 0 {
			pl.clauses = append(pl.clauses, clause{list: l, weight: 1, term: w.Text})
		}
	}
	return nil
}
