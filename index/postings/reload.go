package postings

import (
	"almanac/index/text"

	"github.com/RoaringBitmap/roaring/v2"
)

// mostChanged is the share of the documents, one in so many, up to which a reload indexes only those that changed. More would make
// reading lists slower and leave more of what is no longer needed in memory than building them all anew is worth.
const mostChanged = 10

// Reload returns a store of other documents, which reads unchanged ones from the segments of this one and indexes only the rest, in memory.
// was has, by document, its number in this store if its texts are the same, or None; documents that both stores have must be in
// the same order. The store answers as one of Open does. It is nil if this store is closed, or if so much has changed
// since the segments were built that they should be built anew.
func (s *Store) Reload(docs Documents, was []uint32, room Room) (*Store, error) {
	if s.Acquire() != nil {
		return nil, nil
	}
	defer s.Release()
	c := s.compare(was)
	if most := docs.Len() / mostChanged; len(c.added) > most || s.base.docs-c.kept > most {
		return nil, nil
	}
	extra, err := build(s.analyzer.Learner(), held{&subset{docs, c.added}}, "")
	if err != nil {
		return nil, err
	}
	next := &Store{docs: docs.Len(), indexed: len(c.added), analyzer: s.analyzer, lists: newCache(room.Lists), placed: newPlaced(s.analyzer, docs, room.Placed), users: newCounter()}
	next.built = &built{
		segments: append(c.segments, extra.segments...), lengths: s.built.lengths.changed(was, c.added, extra.lengths),
		vocabulary: s.built.vocabulary.changed(extra.vocabulary, newVocabulary([]*wordCounter{countWords(s.analyzer, &subset{s.placed.documents, c.dropped})})),
	}
	next.norms = next.built.lengths.norms()
	terms, _, err := readDictionaries(extra.segments, len(c.added), 0)
	if err != nil {
		closeSegments(extra.segments)
		return nil, err
	}
	for g := range terms {
		next.terms[g] = blooms{s.base.terms[g], terms[g]}
	}
	for _, seg := range extra.segments {
		seg.numbers = c.added[seg.base:][:seg.Count()]
	}
	next.base = s.base.share()
	if err := next.prefetch(s.base.frequent); err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// A comparison is how the documents of a store differ from those of the next.
type comparison struct {
	segments []*segment // of the base, with the new numbers
	kept     int        // documents that both stores read from these
	added    []uint32   // the other documents of the next store
	dropped  []uint32   // the other documents of this store
}

// compare compares the documents with those of the next store, of which was has the numbers in this one.
func (s *Store) compare(was []uint32) *comparison {
	now := make([]uint32, s.docs) // the number in the next store
	for i := range now {
		now[i] = None
	}
	for i, old := range was {
		if old != None {
			now[old] = uint32(i)
		}
	}
	c := new(comparison)
	keptWas, keptNow := make([]bool, s.docs), make([]bool, len(was))
	for _, seg := range s.built.segments[:len(s.base.segments)] {
		next := &segment{Segment: seg.Segment, base: seg.base, numbers: make([]uint32, seg.Count()), gone: roaring.New()}
		for doc := range next.numbers {
			old := seg.number(uint32(doc))
			if old != None {
				next.numbers[doc] = now[old]
			} else {
				next.numbers[doc] = None
			}
			if n := next.numbers[doc]; n != None {
				keptWas[old], keptNow[n] = true, true
				c.kept++
			} else {
				next.gone.Add(uint32(doc))
			}
		}
		if next.gone.IsEmpty() {
			next.gone = nil
		}
		c.segments = append(c.segments, next)
	}
	c.added, c.dropped = falses(keptNow), falses(keptWas)
	return c
}

// falses returns the indexes of what is false.
func falses(list []bool) (at []uint32) {
	for i, is := range list {
		if !is {
			at = append(at, uint32(i))
		}
	}
	return at
}

// A subset is some of other documents.
type subset struct {
	Documents
	numbers []uint32
}

// Len implements Documents.
func (s *subset) Len() int { return len(s.numbers) }

// Texts implements Documents.
func (s *subset) Texts(i int) [Fields]string { return s.Documents.Texts(int(s.numbers[i])) }

// countWords counts the words of documents.
func countWords(a *text.Analyzer, docs Documents) *wordCounter {
	b := &builder{analyzer: a.Learner(), lengths: newLengths(docs.Len()), vocabulary: newWordCounter()}
	for i := range docs.Len() {
		b.room = tokenRoom{b.room.terms[:0], b.room.freqs[:0]}
		b.newDocument(i, docs.Texts(i))
	}
	return b.vocabulary
}
