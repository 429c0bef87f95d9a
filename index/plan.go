package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A plan is a query as lists to be added up.
type plan struct {
	wants      []want
	phrases    []set64  // documents that have each phrase
	pinned     []uint32 // documents whose id or address the whole text is
	pinnedTerm string   // that text
	pinnedIn   []string // "id" or "url"
	suggestion string   // the text with its misspelt words put right
}

// A want is something a document is found by.
type want struct {
	list     *list
	weight   float32
	term     string    // as the query has it
	as       string    // what it was taken for, when it is something else
	variants []variant // what it is in texts
}

// The worth of what is found by another spelling, against the word itself.
const (
	conceptWeight    = 0.95
	joinedWeight     = 0.9
	prefixWeight     = 0.7
	correctionWeight = 0.7
)

// A wish is a word of the query, or several that make one term, before it is looked up.
type wish struct {
	variants    []variant
	first, last int
	count       int  // how often the query has it
	numbered    bool // a series name with its number
}

// plan looks up what a query asks for.
func (x *Index) plan(b *bound, p *parsed) (*plan, error) {
	pl := &plan{}
	pl.pinned = x.names[exactName(p.text)]
	if len(pl.pinned) > 0 {
		pl.pinnedTerm, pl.pinnedIn = p.text, []string{"id"}
		if strings.ContainsRune(p.text, '/') {
			pl.pinnedIn[0] = "url"
		}
	}
	text, ws, ts := x.cut(p)
	wishes, err := x.rarest(b, x.wishes(ws, ts, text))
	if err != nil {
		return nil, err
	}
	look := &looking{plan: pl, words: ws, text: text, covered: make([]bool, len(ws)), named: make([]bool, len(ws))}
	for _, w := range wishes {
		if err := x.lookUp(b, look, w); err != nil {
			return nil, err
		}
	}
	if len(wishes) == 0 && len(ws) > 0 {
		if err := x.planStopWords(b, pl, ws); err != nil {
			return nil, err
		}
	}
	pl.suggestion = look.suggestion()
	for _, s := range p.phrases {
		set, err := x.phrase(b, phraseWords(ws, s), ts, ws)
		if err != nil {
			return nil, err
		}
		if set != nil {
			pl.phrases = append(pl.phrases, set)
		}
	}
	return pl, nil
}

// cut cuts the text of a query into words and terms.
func (x *Index) cut(p *parsed) (text string, ws []word, ts []term) {
	ws = x.analyzer.words(make([]word, 0, 8), p.rest)
	ts = x.analyzer.terms(make([]term, 0, 12), ws, p.rest)
	if len(p.phrases) > 0 { // which are places in the text as it is
		return p.rest, ws, ts
	}
	if text = x.unfold(p.rest, ws, ts); text != p.rest {
		ws = x.analyzer.words(ws[:0], text)
		ts = x.analyzer.terms(ts[:0], ws, text)
	}
	return text, ws, ts
}

// wishes gives what the words of a query ask for: terms of several words first, then each word.
func (x *Index) wishes(ws []word, ts []term, text string) []wish {
	var long []wish
	single := make([]wish, 0, len(ts))
	room := make([]variant, 0, usualVariants*(len(ts)+len(ws)))
	wishOf := func(t term) wish {
		// Every wish has its own part of the room; one that needs more moves out.
		start := len(room)
		room = room[:start+usualVariants]
		return wish{appendVariants(room[start:start:start+usualVariants], t), t.first, t.last, 1, t.numbered}
	}
	for _, t := range ts {
		switch {
		case t.first < t.last:
			if i := wishFor(long, t.first, t.last); i >= 0 {
				long[i].variants = appendVariants(long[i].variants, t)
			} else {
				long = append(long, wishOf(t))
			}
		case t.extra:
			if i := wishFor(single, t.first, t.last); i >= 0 {
				single[i].variants = appendVariants(single[i].variants, t)
			}
		default:
			i := slices.IndexFunc(single, func(w wish) bool { return w.variants[0].term == t.text })
			if i >= 0 {
				single[i].count++
			} else {
				single = append(single, wishOf(t))
			}
		}
	}
	for i := 0; i+1 < len(ws); i++ {
		if ws[i].stop || ws[i+1].stop || text[ws[i].end:ws[i+1].start] != " " || wishFor(long, i, i+1) >= 0 {
			continue
		}
		if joined := x.analyzer.stem(ws[i].text + ws[i+1].text); x.store.known.has(joined) {
			w := wishOf(term{text: joined, first: i, last: i + 1})
			w.variants = w.variants[:1] // the word itself, and not the two joined by a hyphen
			long = append(long, w)
		}
	}
	return append(long, single...)
}

// usualVariants is the number of variants that most wishes have at the most.
const usualVariants = 4

// wishFor gives the place of the wish for these words, or -1.
func wishFor(wishes []wish, first, last int) int {
	return slices.IndexFunc(wishes, func(w wish) bool { return w.first == first && w.last == last })
}

// appendVariants appends the terms of documents that a term of a query means.
func appendVariants(vs []variant, t term) []variant {
	switch t.text[:1] {
	case conceptMark:
		return append(vs, variant{t.text, conceptWeight})
	case joinMark:
		return append(vs, variant{t.text[1:], 1}, variant{t.text, joinedWeight})
	}
	return append(vs, variant{t.text, 1}, variant{joinMark + t.text, joinedWeight})
}

// rarest keeps the wishes that tell documents apart best, when there are too many.
func (x *Index) rarest(b *bound, wishes []wish) ([]wish, error) {
	if len(wishes) <= MaxTerms {
		return wishes, nil
	}
	type counted struct {
		wish
		docs, place int
	}
	list := make([]counted, len(wishes))
	for i, w := range wishes {
		n, err := x.store.count(b, w.variants[0].term)
		if err != nil {
			return nil, err
		}
		list[i] = counted{w, n, i}
	}
	slices.SortStableFunc(list, func(a, b counted) int {
		if (a.docs == 0) != (b.docs == 0) { // what no document has goes last
			return cmp.Compare(b.docs, a.docs)
		}
		return cmp.Compare(a.docs, b.docs)
	})
	list = list[:MaxTerms]
	slices.SortFunc(list, func(a, b counted) int { return cmp.Compare(a.place, b.place) })
	kept := make([]wish, len(list))
	for i, c := range list {
		kept[i] = c.wish
	}
	return kept, nil
}

// count gives a bound on the number of documents that have a term.
func (s *store) count(b *bound, term string) (int, error) {
	n := 0
	for f := range scoredFields {
		r, err := s.reader.TermFieldReader(b.ctx, []byte(term), fieldNames[f], false, false, false)
		if err != nil {
			return 0, fmt.Errorf("count postings of %q: %w", term, err)
		}
		n += int(r.Count())
		r.Close()
	}
	return n, nil
}
