package index

import (
	"slices"

	"go.almanac.example/index/text"
)

// split splits the text of a query into words and terms.
func (x *Index) split(p *parsed) (s string, ws []text.Word, ts []text.Term) {
	isKnown := func(w string) bool { return x.store.HasWord(w) && x.store.HasInText(x.analyzer.Stem(w)) }
	ws = x.analyzer.Words(nil, p.rest)
	x.analyzer.Translate(ws, isKnown)
	ts = x.analyzer.Terms(nil, ws, p.rest)
	if len(p.phrases) > 0 { // which are spans of the text as it is
		return p.rest, ws, ts
	}
	if s = x.analyzer.SplitCompounds(p.rest, ws, ts, x.store.HasInText, x.store.IsFamily); s != p.rest {
		ws = x.analyzer.Words(nil, s)
		x.analyzer.Translate(ws, isKnown)
		ts = x.analyzer.Terms(nil, ws, s)
	}
	return s, ws, ts
}

// A part of a query is a word, or several that make one term, before it is looked up.
type part struct {
	variants    []text.Variant
	first, last int
	count       int  // how often the query has it
	numbered    bool // a series name with its number
	joined      bool // two words that the query writes apart
}

// parts returns the parts of a query: terms of several words first, then each word.
func (x *Index) parts(ws []text.Word, ts []text.Term, s string) []part {
	var long, single []part
	newPart := func(t text.Term) part { return part{t.AppendVariants(nil), t.First, t.Last, 1, t.Numbered, false} }
	for _, t := range ts {
		switch {
		case t.Target:
		case t.First < t.Last:
			if i := indexOfPart(long, t.First, t.Last); i >= 0 {
				long[i].variants = t.AppendVariants(long[i].variants)
			} else {
				long = append(long, newPart(t))
			}
		case t.Extra:
			if i := indexOfPart(single, t.First, t.Last); i >= 0 {
				single[i].variants = t.AppendVariants(single[i].variants)
			}
		default:
			i := slices.IndexFunc(single, func(p part) bool { return p.variants[0].Term == t.Text })
			if i >= 0 {
				single[i].count++
			} else {
				single = append(single, newPart(t))
			}
		}
	}
	for i := 0; i+1 < len(ws); i++ {
		if ws[i].Stop || ws[i+1].Stop || text.HasDigit(ws[i+1].Text) || s[ws[i].End:ws[i+1].Start] != " " || indexOfPart(long, i, i+1) >= 0 {
			continue
		}
		// A stem has the first letters of its word, two of the second word among them.
		if second := ws[i+1].Text; !x.store.MayBegin(ws[i].Text, second[:min(len(second), 2)]) {
			continue
		}
		if joined := x.analyzer.Stem(ws[i].Text + ws[i+1].Text); x.store.MayHave(joined) {
			p := newPart(text.Term{Text: joined, First: i, Last: i + 1})
			p.joined = true
			p.variants = p.variants[:1] // the word itself, and not the two joined by a hyphen
			long = append(long, p)
		}
	}
	parts := append(long, single...)
	return parts[:min(len(parts), MaxTerms)]
}

// indexOfPart returns the index of the part made of these words, or -1.
func indexOfPart(parts []part, first, last int) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.first == first && p.last == last })
}
