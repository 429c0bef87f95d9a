package postings

import (
	"context"
	"fmt"
	"math"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A cursor walks the documents that have a term in one field.
type cursor struct {
	reader            bleveindex.TermFieldReader
	at                bleveindex.TermFieldDoc
	doc               uint32 // endOfPostings after the last
	frequency, length float64
}

const endOfPostings = math.MaxUint32

// cursor returns a cursor at the first document.
func (s *segment) cursor(term string, field int) (*cursor, error) {
	r, err := s.reader.TermFieldReader(context.Background(), []byte(term), fieldNames[field], true, true, false)
	if err != nil {
		return nil, fmt.Errorf("read postings of %q: %w", term, err)
	}
	c := &cursor{reader: r}
	return c, c.next()
}

func (c *cursor) next() error {
	d, err := c.reader.Next(&c.at)
	switch {
	case err != nil:
		return fmt.Errorf("read postings: %w", err)
	case d == nil:
		c.doc = endOfPostings
	default:
		c.doc = uint32(d.ID.Value())
		// Bleve stores the length of the field in words and returns 1/√length.
		c.frequency, c.length = float64(d.Freq), math.Round(1/(d.Norm*d.Norm))
	}
	return nil
}

func (c *cursor) close() { c.reader.Close() } // there is nothing to report after reading

// readTerm reads the postings of a term as a list of saturated frequencies.
func (s *Store) readTerm(term string) (*List, error) {
	l := &List{}
	var cursors [Fields]*cursor
	for f := range cursors {
		c, err := s.segment.cursor(term, f)
		if err != nil {
			return nil, err
		}
		defer c.close()
		cursors[f] = c
	}
	for {
		doc := uint32(endOfPostings)
		for _, c := range cursors {
			doc = min(doc, c.doc)
		}
		if doc == endOfPostings {
			return l, nil
		}
		frequency, fields := 0.0, uint8(0)
		for f, c := range cursors {
			if c.doc != doc {
				continue
			}
			fields |= 1 << f
			frequency += Weights[f] * c.frequency / (1 - Normalisation + Normalisation*c.length/s.Means[f])
			if err := c.next(); err != nil {
				return nil, err
			}
		}
		l.add(doc, float32(frequency*(Saturation+1)/(Saturation+frequency)), fields)
	}
}

// readWritten reads the documents that have a word exactly as it is written.
func (s *Store) readWritten(d *Deadline, word string) (*List, error) {
	r, err := s.segment.reader.TermFieldReader(d.Ctx, []byte(word), fieldNames[fieldWords], false, false, false)
	if err != nil {
		return nil, fmt.Errorf("read postings of %q: %w", word, err)
	}
	defer r.Close()
	l := &List{}
	score := float32(idf(int(r.Count()), len(s.IDs)))
	var at bleveindex.TermFieldDoc
	for {
		next, err := r.Next(&at)
		if err != nil {
			return nil, fmt.Errorf("read postings of %q: %w", word, err)
		}
		if next == nil {
			return l, nil
		}
		if len(l.Docs)%4096 == 4095 && d.Err() != nil {
			return nil, d.Err()
		}
		l.add(uint32(next.ID.Value()), score, 1<<Text)
	}
}

// Count returns an upper bound of the documents that have a term.
func (s *Store) Count(d *Deadline, term string) (int, error) {
	n := 0
	for f := range Fields {
		r, err := s.segment.reader.TermFieldReader(d.Ctx, []byte(term), fieldNames[f], false, false, false)
		if err != nil {
			return 0, fmt.Errorf("count postings of %q: %w", term, err)
		}
		n += int(r.Count())
		r.Close()
	}
	return n, nil
}
