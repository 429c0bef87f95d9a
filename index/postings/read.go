package postings

import "almanac/index/text"

// readVariants reads the list of several variants of a term.
func (s *Store) readVariants(variants []text.Variant) (*List, error) {
	var list *List
	for _, v := range variants {
		if !s.MayHave(v.Term) {
			continue
		}
		l, err := s.readTerm(v.Term)
		if err != nil {
			return nil, err
		}
		list = mergeMax(list, l, v.Weight)
	}
	if list == nil {
		return empty, nil
	}
	idf := float32(idf(len(list.Docs), s.docs))
	for i := range list.Scores {
		list.Scores[i] *= idf
	}
	return list, nil
}

// readTerm reads the postings of a term as a list of saturated frequencies.
func (s *Store) readTerm(term string) (*List, error) {
	l := &List{}
	var cursors [Fields]cursor
	for _, seg := range s.built.segments {
		for f := range cursors {
			if err := cursors[f].open(seg, term, f, frequencies); err != nil {
				return nil, err
			}
		}
		if err := s.readSegment(l, seg, &cursors); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (s *Store) readSegment(l *List, seg *segment, cursors *[Fields]cursor) error {
	for {
		doc := uint32(endOfPostings)
		for f := range cursors {
			doc = min(doc, cursors[f].doc)
		}
		if doc == endOfPostings {
			return nil
		}
		frequency, fields := 0.0, uint8(0)
		for f := range cursors {
			c := &cursors[f]
			if c.doc != doc {
				continue
			}
			fields |= 1 << f
			frequency += Weights[f] * float64(c.posting.Frequency()) / (1 - Normalisation + Normalisation*c.length()/s.built.means[f])
			if err := c.next(); err != nil {
				return err
			}
		}
		l.add(seg.base+doc, float32(frequency*(Saturation+1)/(Saturation+frequency)), fields)
	}
}

// readStopWord reads the documents that have a stop word.
func (s *Store) readStopWord(d *Deadline, word string) (*List, error) {
	l := &List{}
	var c cursor
	for _, seg := range s.built.segments {
		for err := c.open(seg, word, fieldStops, docsOnly); c.doc != endOfPostings || err != nil; err = c.next() {
			if err != nil {
				return nil, err
			}
			if len(l.Docs)%4096 == 4095 && d.Err() != nil {
				return nil, d.Err()
			}
			l.add(seg.base+c.doc, 1, 1<<Text)
		}
	}
	score := float32(idf(len(l.Docs), s.docs))
	for i := range l.Scores {
		l.Scores[i] = score
	}
	return l, nil
}

// Count returns an upper bound of the documents that have a term.
func (s *Store) Count(term string) (int, error) {
	n := 0
	for _, seg := range s.built.segments {
		for f := range Fields {
			dict, err := seg.Dictionary(fieldNames[f])
			if err != nil {
				return 0, err
			}
			list, err := dict.PostingsList([]byte(term), nil, nil)
			if err != nil {
				return 0, err
			}
			n += int(list.Count())
		}
	}
	return n, nil
}
