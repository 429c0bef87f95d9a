package postings

import (
	"fmt"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A PhraseWord is a word of a phrase.
type PhraseWord struct {
	Stem   string
	Offset uint64 // in words from the first word
}

// Phrase calls add with the documents that have the words of a phrase next to each other in one
// field; a document may be added several times.
func (s *Store) Phrase(d *Deadline, phrase []PhraseWord, add func(doc uint32)) error {
	for f := range Fields {
		if err := s.phraseIn(d, phrase, f, add); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) phraseIn(d *Deadline, phrase []PhraseWord, field int, add func(doc uint32)) error {
	readers := make([]*positions, len(phrase))
	for i, w := range phrase {
		r, err := s.segment.reader.TermFieldReader(d.Ctx, []byte(w.Stem), fieldNames[field], false, false, true)
		if err != nil {
			return fmt.Errorf("read postings of %q: %w", w.Stem, err)
		}
		defer r.Close()
		readers[i] = &positions{reader: r}
		if more, err := readers[i].advance(0); err != nil || !more {
			return err
		}
	}
	for n := 0; ; n++ {
		if n%256 == 255 && d.Err() != nil {
			return d.Err()
		}
		doc, err := meet(readers)
		if err != nil || doc == endOfPostings {
			return err
		}
		if adjacent(readers, phrase) {
			add(doc)
		}
		if more, err := readers[0].advance(doc + 1); err != nil || !more {
			return err
		}
	}
}

// meet advances the readers to the next document that all of them have.
func meet(readers []*positions) (uint32, error) {
	for at := 0; at < len(readers); {
		highest := readers[0].doc
		for _, r := range readers {
			highest = max(highest, r.doc)
		}
		at = 0
		for ; at < len(readers) && readers[at].doc == highest; at++ {
		}
		if at < len(readers) {
			if more, err := readers[at].advance(highest); err != nil || !more {
				return endOfPostings, err
			}
		}
	}
	return readers[0].doc, nil
}

// adjacent reports whether the document has the words in their order.
func adjacent(readers []*positions, phrase []PhraseWord) bool {
	for _, start := range readers[0].at.Vectors {
		found := true
		for i := 1; i < len(phrase) && found; i++ {
			found = readers[i].has(start.Pos + phrase[i].Offset)
		}
		if found {
			return true
		}
	}
	return false
}

// A positions walks the documents that have a word, with its positions in them.
type positions struct {
	reader bleveindex.TermFieldReader
	at     bleveindex.TermFieldDoc
	doc    uint32
	id     bleveindex.IndexInternalID
}

// advance moves to the first document from doc on and reports whether there is one.
func (p *positions) advance(doc uint32) (bool, error) {
	p.id = bleveindex.NewIndexInternalID(p.id, uint64(doc))
	d, err := p.reader.Advance(p.id, &p.at)
	if err != nil || d == nil {
		return false, err
	}
	p.doc = uint32(d.ID.Value())
	return true, nil
}

func (p *positions) has(pos uint64) bool {
	for _, v := range p.at.Vectors {
		if v.Pos == pos {
			return true
		}
	}
	return false
}
