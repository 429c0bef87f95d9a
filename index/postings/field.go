package postings

import (
	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"almanac/index/text"
)

// A field is a field of a passage for Bleve. Its words are known: Bleve's own fields would read them anew, and make a
// token of each of them.
type field struct {
	*document.TextField
	analyzer    *text.Analyzer
	words       []text.Word
	text        string
	frequencies bleveindex.TokenFrequencies
}

// AnalyzedTokenFrequencies implements bleveindex.Field.
func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.frequencies }

// Analyze implements bleveindex.Field.
func (f *field) Analyze() {
	terms := make([]text.Term, 0, len(f.words))
	if f.Name() == fieldNames[People] {
		for i, w := range f.words {
			terms = append(terms, text.Term{Text: text.Person(w.Text), First: i})
		}
	} else {
		terms = f.analyzer.Terms(terms, f.words, f.text)
	}
	f.words = nil
	f.frequencies = make(bleveindex.TokenFrequencies, len(terms))
	all := make([]struct { // in one piece
		bleveindex.TokenFreq
		place bleveindex.TokenLocation
		first [1]*bleveindex.TokenLocation
	}, len(terms))
	for i, term := range terms {
		next := &all[i]
		next.place.Position = term.First + 1
		t := f.frequencies[term.Text]
		if t == nil {
			t = &next.TokenFreq
			t.Locations = next.first[:0]
			f.frequencies[term.Text] = t
		}
		t.Locations = append(t.Locations, &next.place)
		t.SetFrequency(len(t.Locations))
	}
}
