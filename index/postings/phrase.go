package postings

import "almanac/index/text"

// A PhraseWord is a word of a phrase.
type PhraseWord struct {
	Stem   string
	Offset uint64 // in words from the first word
}

// Phrase calls add with the documents that have the words of a phrase next to each other in one field. The
// lists of the words say which documents have all of them in one field; the texts of these, where.
func (s *Store) Phrase(d *Deadline, phrase []PhraseWord, add func(doc uint32)) error {
	lists := make([]*List, len(phrase))
	shortest := 0
	for i, w := range phrase {
		l, err := s.List(d, text.Variant{Term: w.Stem, Weight: 1})
		if err != nil {
			return err
		}
		if lists[i] = l; len(l.Docs) < len(lists[shortest].Docs) {
			shortest = i
		}
	}
	words := make([]placedToken, len(phrase))
	for i, w := range phrase {
		words[i] = placedToken{s.placed.hash(w.Stem), w.Offset}
	}
	for n, doc := range lists[shortest].Docs {
		if n%64 == 63 && d.Err() != nil {
			return d.Err()
		}
		fields := uint8(1<<Fields - 1)
		for _, l := range lists {
			at := l.Find(doc)
			if at < 0 {
				fields = 0
				break
			}
			fields &= l.Fields[at]
		}
		if fields != 0 && s.placed.tokens(doc).has(words, fields) {
			add(doc)
		}
	}
	return nil
}
