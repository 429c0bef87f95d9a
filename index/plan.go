package index

import (
	"strings"

	"almanac/index/postings"
	"almanac/index/text"
)

// A plan is a query as lists of documents to be added up.
type plan struct {
	clauses    []clause
	phrases    []set64  // documents that have each phrase
	pinned     []uint32 // documents whose id or address the whole text is
	pinnedTerm string   // that text
	pinnedIn   []string // "id" or "url"
	suggestion string   // the text with its misspelt words corrected
}

// A clause is a part of a query with the documents that have it.
type clause struct {
	list     *postings.List
	weight   float32
	term     string // as in the query
	as       string // what it was read as, if that is something else
	variants []text.Variant
}

// plan looks up the parts of a query.
func (x *Index) plan(d *postings.Deadline, p *parsed) (*plan, error) {
	pl := &plan{}
	pl.pinned = x.names[normalName(p.text)]
	if len(pl.pinned) > 0 {
		pl.pinnedTerm, pl.pinnedIn = p.text, []string{"id"}
		if strings.ContainsRune(p.text, '/') {
			pl.pinnedIn[0] = "url"
		}
	}
	text, ws, ts := x.split(p)
	parts, err := x.rarest(d, x.parts(ws, ts, text))
	if err != nil {
		return nil, err
	}
	l := &lookup{plan: pl, words: ws, text: text, found: make([]bool, len(ws)), inName: make([]bool, len(ws))}
	for _, part := range parts {
		if err := x.lookUp(d, l, part); err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 && len(ws) > 0 {
		if err := x.lookUpStopWords(d, pl, ws); err != nil {
			return nil, err
		}
	}
	pl.suggestion = l.suggestion()
	for _, s := range p.phrases {
		set, err := x.phrase(d, phraseWords(ws, s), ts)
		if err != nil {
			return nil, err
		}
		if set != nil {
			pl.phrases = append(pl.phrases, set)
		}
	}
	return pl, nil
}

// split splits the text of a query into words and terms.
func (x *Index) split(p *parsed) (s string, ws []text.Word, ts []text.Term) {
	ws = x.analyzer.Words(make([]text.Word, 0, 8), p.rest)
	ts = x.analyzer.Terms(make([]text.Term, 0, 12), ws, p.rest)
	if len(p.phrases) > 0 { // which are spans of the text as it is
		return p.rest, ws, ts
	}
	if s = x.analyzer.SplitCompounds(p.rest, ws, ts, x.store.MayHave); s != p.rest {
		ws = x.analyzer.Words(ws[:0], s)
		ts = x.analyzer.Terms(ts[:0], ws, s)
	}
	return s, ws, ts
}
