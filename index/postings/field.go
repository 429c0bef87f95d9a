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
	length      int
}

// AnalyzedLength implements bleveindex.Field.
func (f *field) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies implements bleveindex.Field.
func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.frequencies }

// Analyze implements bleveindex.Field.
func (f *field) Analyze() {
	if f.Name() == fieldNames[People] {
		f.count(len(f.words), func(i int) (string, int) { return text.Person(f.words[i].Text), i })
	} else {
		terms := f.analyzer.Terms(make([]text.Term, 0, len(f.words)), f.words, f.text)
		f.count(len(terms), func(i int) (string, int) { return terms[i].Text, terms[i].First })
	}
	f.words = nil
}

// count sets the positions of n terms, which at returns, each with its word.
func (f *field) count(n int, at func(i int) (term string, word int)) {
	f.length, f.frequencies = n, make(bleveindex.TokenFrequencies, n)
	all, places := make([]bleveindex.TokenFreq, n), make([]bleveindex.TokenLocation, n) // each in one piece
	first := make([]*bleveindex.TokenLocation, n)
	for i := range n {
		term, word := at(i)
		places[i].Position = word + 1
		t := f.frequencies[term]
		if t == nil {
			t, first[i] = &all[i], &places[i]
			t.Locations = first[i : i+1 : i+1]
			f.frequencies[term] = t
		} else {
			t.Locations = append(t.Locations, &places[i])
		}
		t.SetFrequency(len(t.Locations))
	}
}
