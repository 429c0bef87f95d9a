package postings

import (
	"github.com/blevesearch/bleve/v2/analysis"

	"almanac/index/text"
)

// A tokenizer analyses the fields of one passage for Bleve, and collects its words.
type tokenizer struct {
	analyzer *text.Analyzer
	ws       []text.Word
	terms    []text.Term
	written  []string // words and spellings
}

// A fieldTokenizer is the analyzer of one field.
type fieldTokenizer struct {
	*tokenizer
	field int
}

// Analyze implements analysis.Analyzer.
func (t *fieldTokenizer) Analyze(input []byte) analysis.TokenStream {
	if t.field == words {
		tokens := make(analysis.TokenStream, len(t.written))
		for i, w := range t.written {
			tokens[i] = &analysis.Token{Term: []byte(w), Position: 1}
		}
		return tokens
	}
	s := string(input)
	t.ws = t.analyzer.Words(t.ws[:0], s)
	if t.field == People {
		tokens := make(analysis.TokenStream, 0, len(t.ws))
		for i, w := range t.ws {
			tokens = append(tokens, &analysis.Token{Term: []byte(text.Person(w.Text)), Position: i + 1})
		}
		return tokens
	}
	t.terms = t.analyzer.Terms(t.terms[:0], t.ws, s)
	all := make([]analysis.Token, len(t.terms)) // in one piece
	tokens := make(analysis.TokenStream, len(t.terms))
	for i, term := range t.terms {
		all[i] = analysis.Token{Term: []byte(term.Text), Start: t.ws[term.First].Start, End: t.ws[term.Last].End,
			Position: term.First + 1}
		tokens[i] = &all[i]
		if term.Extra && term.IsWritten() {
			t.written = append(t.written, term.Text)
		}
	}
	for i := range t.ws {
		t.written = append(t.written, t.ws[i].Text)
	}
	return tokens
}
