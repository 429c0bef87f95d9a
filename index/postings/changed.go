package postings

import "slices"

// changed returns the vocabulary after documents with one vocabulary were added, and some with another dropped.
func (v *vocabulary) changed(added, dropped *vocabulary) *vocabulary {
	if len(added.words) == 0 && len(dropped.words) == 0 {
		return v
	}
	most := len(v.words) + len(added.words)
	c := &vocabulary{words: make([]string, 0, most), docs: make([]uint32, 0, most)}
	was, plus, minus := wordReader{v: v}, wordReader{v: added}, wordReader{v: dropped}
	for !was.ended() || !plus.ended() {
		var word string
		if was.ended() || !plus.ended() && plus.word() < was.word() {
			word = plus.word()
		} else {
			word = was.word()
		}
		if n := was.take(word) + plus.take(word) - minus.take(word); n > 0 {
			c.words, c.docs = append(c.words, word), append(c.docs, n)
		}
	}
	c.words, c.docs = slices.Clone(c.words), slices.Clone(c.docs) // no larger than they must be
	c.addTable()
	return c
}

// A wordReader reads the words of a vocabulary in their order.
type wordReader struct {
	v  *vocabulary
	at int
}

func (r *wordReader) ended() bool  { return r.at == len(r.v.words) }
func (r *wordReader) word() string { return r.v.words[r.at] }

// take returns the number of documents that have a word, and goes on if it is the next.
func (r *wordReader) take(word string) uint32 {
	if r.ended() || r.word() != word {
		return 0
	}
	r.at++
	return r.v.docs[r.at-1]
}
