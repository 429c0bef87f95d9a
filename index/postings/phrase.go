package postings

// A PhraseWord is a word of a phrase.
type PhraseWord struct {
	Stem   string
	Offset uint64 // in words from the first word
}

// Phrase calls add with the documents that have the words of a phrase next to each other in one
// field; a document may be added several times.
func (s *Store) Phrase(d *Deadline, phrase []PhraseWord, add func(doc uint32)) error {
	cursors := make([]cursor, len(phrase))
	for _, seg := range s.built.segments {
		for f := range Fields {
			if err := seg.phrase(d, phrase, cursors, f, add); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *segment) phrase(d *Deadline, phrase []PhraseWord, cursors []cursor, field int, add func(doc uint32)) error {
	for i, w := range phrase {
		if err := cursors[i].open(s, w.Stem, field, positions); err != nil || cursors[i].doc == endOfPostings {
			return err
		}
	}
	for n := 0; ; n++ {
		if n%256 == 255 && d.Err() != nil {
			return d.Err()
		}
		doc, err := meet(cursors)
		if err != nil || doc == endOfPostings {
			return err
		}
		if adjacent(cursors, phrase) {
			add(s.base + doc)
		}
		if err := cursors[0].next(); err != nil {
			return err
		}
	}
}

// meet advances the cursors to the next document that all of them have, and returns it.
func meet(cursors []cursor) (uint32, error) {
	for at := 0; at < len(cursors); {
		highest := cursors[0].doc
		for i := range cursors {
			highest = max(highest, cursors[i].doc)
		}
		if highest == endOfPostings {
			return endOfPostings, nil
		}
		at = 0
		for ; at < len(cursors) && cursors[at].doc == highest; at++ {
		}
		if at < len(cursors) {
			if err := cursors[at].advance(highest); err != nil {
				return endOfPostings, err
			}
		}
	}
	return cursors[0].doc, nil
}

// adjacent reports whether the document has the words in their order.
func adjacent(cursors []cursor, phrase []PhraseWord) bool {
	for _, start := range cursors[0].posting.Locations() {
		found := true
		for i := 1; i < len(phrase) && found; i++ {
			found = cursors[i].has(start.Pos() + phrase[i].Offset)
		}
		if found {
			return true
		}
	}
	return false
}

// has reports whether the document has the word at a position.
func (c *cursor) has(position uint64) bool {
	for _, l := range c.posting.Locations() {
		if l.Pos() == position {
			return true
		}
	}
	return false
}
