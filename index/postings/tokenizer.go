package postings

import (
	"github.com/blevesearch/bleve/v2/analysis"

	"almanac/index/text"
)

// A tokenizer is the analyzer of one field for Bleve.
type tokenizer struct {
	*text.Analyzer
	field int
}

// Analyze implements analysis.Analyzer.
func (t *tokenizer) Analyze(input []byte) analysis.TokenStream {
	s := string(input)
	ws := t.Words(nil, s)
	if t.field == People {
		tokens := make(analysis.TokenStream, 0, len(ws))
		for i, w := range ws {
			tokens = append(tokens, &analysis.Token{Term: []byte(text.Person(w.Text)), Position: i + 1})
		}
		return tokens
	}
	terms := t.Terms(nil, ws, s)
	all := make([]analysis.Token, len(terms)) // in one piece
	tokens := make(analysis.TokenStream, len(terms))
	for i, term := range terms {
		all[i] = analysis.Token{Term: []byte(term.Text), Start: ws[term.First].Start, End: ws[term.Last].End,
			Position: term.First + 1}
		tokens[i] = &all[i]
	}
	return tokens
}
