package index

import "almanac/index/postings"

// A scratch is the memory of one search, used again by the next.
type scratch struct {
	sums    []float32 // by document; zero between searches
	touched []uint32  // documents whose sum is not zero
	scores  []float32 // their scores
	counts  []uint32  // by number of a value
	total   int
	top     topK
}

func newScratch(docs, values int) *scratch {
	return &scratch{sums: make([]float32, docs), counts: make([]uint32, values)}
}

func (s *scratch) reset(k int) {
	clear(s.counts)
	s.touched, s.total = s.touched[:0], 0
	s.top.reset(k)
}

// addList adds the scores of a list, times a weight.
func (s *scratch) addList(l *postings.List, weight float32) {
	sums := s.sums
	for i, doc := range l.Docs {
		if sums[doc] == 0 {
			s.touched = append(s.touched, doc)
		}
		sums[doc] += l.Scores[i] * weight
	}
}

func (s *scratch) add(doc uint32, score float32) {
	if s.sums[doc] == 0 {
		s.touched = append(s.touched, doc)
	}
	s.sums[doc] += score
}

// finish moves the sums of the documents touched to scores.
func (s *scratch) finish() {
	s.scores = s.scores[:0]
	for _, doc := range s.touched {
		s.scores = append(s.scores, s.sums[doc])
		s.sums[doc] = 0
	}
}
