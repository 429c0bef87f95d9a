package index

import (
	"context"
	"slices"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// having returns the documents that have a word or a phrase in one of several fields; nil: it has stop words only.
func (x *Index) having(ctx context.Context, s string, fields uint16) (docSet, error) {
	ws := x.analyzer.Words(nil, s)
	ts := x.analyzer.Terms(nil, ws, s)
	if len(ws) > 1 {
		return x.phrase(ctx, ws, span{0, len(s)}, ts, false)
	}
	var set docSet
	for _, t := range ts {
		if t.Target {
			continue
		}
		l, err := x.store.List(ctx, t.AppendVariants(nil)...)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = make(docSet, len(x.records))
		}
		for i, doc := range l.Docs {
			set[doc] = set[doc] || l.Fields[i]&fields != 0
		}
	}
	return set, nil
}

// phrase returns the documents that have the words of a query in a span next to each other in one field, or nil if
// there are none in the span; if one is enough, there may be more. A phrase that is a name of the lexicon, "BOLT 12", is found
// by its other spellings too.
func (x *Index) phrase(ctx context.Context, ws []text.Word, s span, ts []text.Term, one bool) (docSet, error) {
	var stems, names []string // names of people have no stems
	first, last := -1, -1
	for i, w := range ws {
		if w.Start < s.start || w.End > s.end || w.Stop {
			continue
		}
		if first < 0 {
			first = i
		}
		for last = i; len(stems) < i-first; {
			stems, names = append(stems, ""), append(names, "") // a stop word
		}
		stems, names = append(stems, w.Stem), append(names, text.Person(w.Text))
	}
	if first < 0 || len(x.records) == 0 {
		return nil, nil
	}
	set := make(docSet, len(x.records))
	for _, t := range ts {
		if t.Extra && !t.Target && t.First == first && t.Last == last {
			l, err := x.store.List(ctx, t.AppendVariants(nil)...)
			if err != nil {
				return nil, err
			}
			for _, doc := range l.Docs {
				set[doc] = true
			}
		}
	}
	add := func(doc uint32) bool {
		set[doc] = true
		return !one
	}
	if err := x.store.Phrase(ctx, names, add); err != nil || one && slices.Contains(set, true) {
		return set, err
	}
	return set, x.store.Phrase(ctx, stems, add)
}

// said are the fields by which a word excludes: all but the category, the questions that a record answers and addresses.
const said = 1<<postings.Title | 1<<postings.Labels | 1<<postings.Text
