package index

import "almanac/index/postings"

// A scratch is the memory of one search, used again by the next.
type scratch struct {
	sums    []sum    // by document; zero between searches
	touched []uint32 // documents whose sum is not zero
	keys    []uint64 // their rank keys
	sorted  []uint32 // documents in an order other than relevance
	counts  []uint32 // by number of a value
	total   int
	undated int // documents that only a date of publication lacks
	top     topK
}

// A sum is the score of a document so far, with the words of the query it has.
type sum struct {
	score float32
	words wordSet
}

func newScratch(docs, values int) *scratch {
	return &scratch{sums: make([]sum, docs), counts: make([]uint32, values)}
}

func (s *scratch) reset(k int) {
	clear(s.counts)
	s.touched, s.keys, s.total, s.undated = s.touched[:0], s.keys[:0], 0, 0
	s.top.reset(k)
}

// addList adds the scores of a list, times a weight, for some words of the query.
func (s *scratch) addList(l *postings.List, weight float32, words wordSet) {
	sums := s.sums
	for i, doc := range l.Docs {
		at := &sums[doc]
		if at.score == 0 {
			s.touched = append(s.touched, doc)
		}
		at.score += l.Scores[i] * weight
		at.words |= words
	}
}

func (s *scratch) add(doc uint32, score float32, words wordSet) {
	at := &s.sums[doc]
	if at.score == 0 {
		s.touched = append(s.touched, doc)
	}
	at.score += score
	at.words |= words
}

// finish moves the sums of the documents touched to keys.
func (s *scratch) finish(pl *plan) {
	for _, doc := range s.touched {
		at := s.sums[doc]
		s.keys = append(s.keys, rankKey(pl.tier(at.words), at.score))
		s.sums[doc] = sum{}
	}
}
