package index

import (
	"almanac/index/postings"
	"almanac/index/text"
)

// phrase returns the documents that have the words of a query in a span next to each other in one field, or nil if there are none in the
// span. A phrase that is a name of the lexicon, "BOLT 12", is found by its other spellings too.
func (x *Index) phrase(d *postings.Deadline, ws []text.Word, s span, ts []text.Term) (set64, error) {
	var stems []string
	first, last := -1, -1
	for i, w := range ws {
		if w.Start < s.start || w.End > s.end || w.Stop {
			continue
		}
		if first < 0 {
			first = i
		}
		for last = i; len(stems) < i-first; {
			stems = append(stems, "") // a stop word
		}
		stems = append(stems, w.Stem)
	}
	if first < 0 || len(x.records) == 0 {
		return nil, nil
	}
	set := make(set64, (len(x.records)+63)/64)
	for _, t := range ts {
		if t.Extra && !t.Target && t.First == first && t.Last == last {
			l, err := x.store.List(d, t.AppendVariants(nil)...)
			if err != nil {
				return nil, err
			}
			for _, doc := range l.Docs {
				set.add(doc)
			}
		}
	}
	return set, x.store.Phrase(d, stems, set.add)
}

// excluded returns the documents that have an excluded word or phrase anywhere but in the label of their category, in questions that
// they answer and in addresses.
func (x *Index) excluded(d *postings.Deadline, s string) (set64, error) {
	ws := x.analyzer.Words(nil, s)
	ts := x.analyzer.Terms(nil, ws, s)
	if len(ws) > 1 {
		return x.phrase(d, ws, span{0, len(s)}, ts)
	}
	set := make(set64, (len(x.records)+63)/64)
	for _, t := range ts {
		if t.Target {
			continue
		}
		l, err := x.store.List(d, t.AppendVariants(nil)...)
		if err != nil {
			return nil, err
		}
		for i, doc := range l.Docs {
			if l.Fields[i]&(1<<postings.Title|1<<postings.Labels|1<<postings.Heads|1<<postings.Text) != 0 {
				set.add(doc)
			}
		}
	}
	return set, nil
}
