package index

import (
	"fmt"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A phraseWord is a word of a phrase with its distance from the first.
type phraseWord struct {
	stem     string
	distance uint64
	place    int // among the words of the query
}

// phraseWords gives the words of a query that stand in a span, without stop words.
func phraseWords(ws []word, s span) []phraseWord {
	var list []phraseWord
	for i, w := range ws {
		if w.start >= s.start && w.end <= s.end && !w.stop {
			list = append(list, phraseWord{stem: w.stem, place: i})
		}
	}
	for i := range list {
		list[i].distance = uint64(list[i].place - list[0].place)
	}
	return list
}

// phrase gives the documents that have the words next to each other in one field, or nil when
// the phrase asks for nothing. A phrase that is a name of this field, "BOLT 12", is found by the
// name's other spellings too.
func (x *Index) phrase(b *bound, phrase []phraseWord, ts []term, ws []word) (set64, error) {
	if len(phrase) == 0 || len(x.records) == 0 {
		return nil, nil
	}
	set := make(set64, (len(x.records)+63)/64)
	for _, t := range ts {
		if t.extra && t.first == phrase[0].place && t.last == phrase[len(phrase)-1].place {
			l, err := x.list(b, appendVariants(nil, t)...)
			if err != nil {
				return nil, err
			}
			for _, doc := range l.docs {
				set.add(doc)
			}
		}
	}
	for f := range scoredFields {
		if err := x.phraseIn(b, set, phrase, f); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// phraseIn adds the documents that have the phrase in one field.
func (x *Index) phraseIn(b *bound, set set64, phrase []phraseWord, field int) error {
	readers := make([]*positions, len(phrase))
	for i, w := range phrase {
		r, err := x.store.reader.TermFieldReader(b.ctx, []byte(w.stem), fieldNames[field], false, false, true)
		if err != nil {
			return fmt.Errorf("read postings of %q: %w", w.stem, err)
		}
		defer r.Close()
		readers[i] = &positions{reader: r}
		if more, err := readers[i].advance(0); err != nil || !more {
			return err
		}
	}
	for n := 0; ; n++ {
		if n%256 == 255 && b.err() != nil {
			return b.err()
		}
		doc, err := meet(readers)
		if err != nil || doc == endOfPostings {
			return err
		}
		if adjacent(readers, phrase) {
			set.add(doc)
		}
		if more, err := readers[0].advance(doc + 1); err != nil || !more {
			return err
		}
	}
}

// meet moves the readers on to the next document that all of them have.
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

// adjacent tells whether the words stand in their order somewhere in the document.
func adjacent(readers []*positions, phrase []phraseWord) bool {
	for _, start := range readers[0].at.Vectors {
		found := true
		for i := 1; i < len(phrase) && found; i++ {
			found = readers[i].has(start.Pos + phrase[i].distance)
		}
		if found {
			return true
		}
	}
	return false
}

// A positions walks the documents that have a word, with the places where they have it.
type positions struct {
	reader bleveindex.TermFieldReader
	at     bleveindex.TermFieldDoc
	doc    uint32
	id     bleveindex.IndexInternalID
}

// advance moves to the first document from doc on, and tells whether there is one.
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
