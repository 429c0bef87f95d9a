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
	return s.readInOrder(func(list []*segment) (*List, error) { return s.readTermOf(list, term) })
}

// readInOrder returns a list that read reads of the segments of the base, and then of the others, whose documents stand among those.
func (s *Store) readInOrder(read func(list []*segment) (*List, error)) (*List, error) {
	l, err := read(s.built.segments[:len(s.base.segments)])
	if err != nil || len(s.built.segments) == len(s.base.segments) {
		return l, err
	}
	extra, err := read(s.built.segments[len(s.base.segments):])
	if err == nil {
		l.insert(extra)
	}
	return l, err
}

// readTermOf reads the postings of a term in segments whose documents follow each other.
func (s *Store) readTermOf(list []*segment, term string) (*List, error) {
	l := &List{}
	var cursors [groups]cursor
	for _, seg := range list {
		for g := range cursors {
			c := &cursors[g]
			c.doc = endOfPostings
			if !s.terms[g].has(term) {
				continue
			}
			if err := c.open(seg, term, g); err != nil {
				return nil, err
			}
		}
		if err := s.readSegment(l, seg, &cursors); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (s *Store) readSegment(l *List, seg *segment, cursors *[groups]cursor) error {
	n := 0
	for g := range cursors {
		if c := &cursors[g]; c.doc != endOfPostings {
			n += int(c.postings.Count())
		}
	}
	l.grow(n)
	for {
		doc := min(cursors[groupText].doc, cursors[groupOther].doc)
		if doc == endOfPostings {
			return nil
		}
		number := seg.number(doc)
		frequency, fields := float32(0), uint8(0)
		for g := range cursors {
			c := &cursors[g]
			if c.doc != doc {
				continue
			}
			if number != None {
				packed := c.posting.Frequency()
				for _, f := range groupFields[g] {
					if n := unpack(packed, f); n > 0 {
						fields |= 1 << f
						frequency += float32(n) * s.norms[f][number]
					}
				}
			}
			if err := c.next(); err != nil {
				return err
			}
		}
		if number != None {
			l.add(number, frequency*(Saturation+1)/(Saturation+frequency), fields)
		}
	}
}

// readStopWord reads the documents that have a stop word.
func (s *Store) readStopWord(d *Deadline, word string) (*List, error) {
	l, err := s.readInOrder(func(list []*segment) (*List, error) { return readStopWordOf(d, list, word) })
	if err != nil {
		return nil, err
	}
	score := float32(idf(len(l.Docs), s.docs))
	for i := range l.Scores {
		l.Scores[i] = score
	}
	return l, nil
}

// readStopWordOf reads the documents of segments that have a stop word.
func readStopWordOf(d *Deadline, list []*segment, word string) (*List, error) {
	l := &List{}
	var c cursor
	for _, seg := range list {
		for err := c.open(seg, word, groupStops); c.doc != endOfPostings || err != nil; err = c.next() {
			if err != nil {
				return nil, err
			}
			if len(l.Docs)%4096 == 4095 && d.Err() != nil {
				return nil, d.Err()
			}
			if number := seg.number(c.doc); number != None {
				l.add(number, 1, 1<<Text)
			}
		}
	}
	return l, nil
}

// Count returns an upper bound of the documents that have a term.
func (s *Store) Count(term string) (int, error) {
	n := 0
	for _, seg := range s.built.segments {
		for g := range groups {
			if !s.terms[g].has(term) {
				continue
			}
			dict, err := seg.Dictionary(groupNames[g])
			if err != nil {
				return 0, err
			}
			list, err := dict.PostingsList([]byte(term), seg.gone, nil)
			if err != nil {
				return 0, err
			}
			n += int(list.Count())
		}
	}
	return n, nil
}
