package postings

import (
	"slices"

	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"go.almanac.example/index/text"
)

// A field is a field of a passage for Bleve, whose own fields would read its words again, and make a token of each.
type field struct {
	*document.TextField
	frequencies bleveindex.TokenFrequencies
}

// Analyze implements bleveindex.Field.
func (f *field) Analyze() {}

// AnalyzedTokenFrequencies implements bleveindex.Field.
func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.frequencies }

// A documentMaker makes documents for Bleve, which only reads frequencies: terms that a field has once share theirs.
type documentMaker struct {
	analyzer *text.Analyzer
	once     []*bleveindex.TokenFreq // by position
	terms    []text.Term
}

// newDocument returns a passage as Bleve takes it. It does not keep words.
func (m *documentMaker) newDocument(name string, texts [Fields]string, words [Fields][]text.Word) *document.Document {
	const options = bleveindex.IndexField | bleveindex.IncludeTermVectors
	doc := document.NewDocument(name)
	for f, s := range texts {
		m.terms = m.terms[:0]
		if f == People {
			for i, w := range words[f] {
				m.terms = append(m.terms, text.Term{Text: text.Person(w.Text), First: i})
			}
		} else {
			m.terms = m.analyzer.Terms(m.terms, words[f], s)
		}
		if len(m.terms) > 0 {
			doc.AddField(&field{document.NewTextFieldCustom(fieldNames[f], nil, nil, options, nil), m.frequencies(f)})
		}
	}
	return doc
}

// frequencies returns how often a field has its terms, with the positions of those that a phrase may have.
func (m *documentMaker) frequencies(f int) bleveindex.TokenFrequencies {
	all := make(bleveindex.TokenFrequencies, len(m.terms))
	for _, term := range m.terms {
		next := unplaced
		if f == People || textFields>>f&1 != 0 && text.IsWritten(term.Text) {
			for len(m.once) <= term.First {
				m.once = append(m.once, newFrequency(1, &bleveindex.TokenLocation{Position: len(m.once) + 1}))
			}
			next = m.once[term.First]
		}
		if before := all[term.Text]; before != nil {
			next = newFrequency(before.Frequency()+1, slices.Concat(before.Locations, next.Locations)...)
		}
		all[term.Text] = next
	}
	return all
}

var unplaced = newFrequency(1)

func newFrequency(n int, places ...*bleveindex.TokenLocation) *bleveindex.TokenFreq {
	t := &bleveindex.TokenFreq{Locations: places}
	t.SetFrequency(n)
	return t
}
