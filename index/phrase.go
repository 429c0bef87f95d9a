package index

import (
	"almanac/index/postings"
	"almanac/index/text"
)

// A phraseWord is a word of a phrase with its index among the words of the query.
type phraseWord struct {
	stem string
	at   int
}

// phraseWords returns the words of a query in a span, without stop words.
func phraseWords(ws []text.Word, s span) []phraseWord {
	var list []phraseWord
	for i, w := range ws {
		if w.Start >= s.start && w.End <= s.end && !w.Stop {
			list = append(list, phraseWord{w.Stem, i})
		}
	}
	return list
}

// phrase returns the documents that have the words next to each other in one field, or nil if the
// phrase has no words. A phrase that is a name of the lexicon, "BOLT 12", is found by its other
// spellings too.
func (x *Index) phrase(d *postings.Deadline, phrase []phraseWord, ts []text.Term) (set64, error) {
	if len(phrase) == 0 || len(x.records) == 0 {
		return nil, nil
	}
	set := make(set64, (len(x.records)+63)/64)
	first, last := phrase[0].at, phrase[len(phrase)-1].at
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
	words := make([]postings.PhraseWord, len(phrase))
	for i, w := range phrase {
		words[i] = postings.PhraseWord{Stem: w.stem, Offset: uint64(w.at - first)}
	}
	return set, x.store.Phrase(d, words, set.add)
}

// excluded returns the documents that have an excluded word or phrase, other than in the questions
// that they answer.
func (x *Index) excluded(d *postings.Deadline, s string) (set64, error) {
	ws := x.analyzer.Words(nil, s)
	ts := x.analyzer.Terms(nil, ws, s)
	if len(ws) > 1 {
		return x.phrase(d, phraseWords(ws, span{0, len(s)}), ts)
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
			if l.Fields[i]&^(1<<postings.Questions) != 0 {
				set.add(doc)
			}
		}
	}
	return set, nil
}
