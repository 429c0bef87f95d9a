package index

// A scratch is the memory of one search, used again by the next.
type scratch struct {
	planning planning
	sums     []sum       // by document; zero between searches
	touched  []uint32    // documents whose sum is not zero
	keys     []uint64    // their rank keys
	has      []clauseSet // the clauses they have
	sorted   []uint32    // documents in an order other than relevance
	counts   []uint32    // by number of a value
	total    int
	undated  int // documents that only a date of publication lacks
	top      topK
	terms    termSet
	passages passageRoom
	answer   answerRoom // of an answer that nobody keeps
}

// A sum is the score of a document so far, with the words of the query and the clauses of the plan that
// it has.
type sum struct {
	score   float32
	words   wordSet
	clauses clauseSet
}

func newScratch(docs, values int) *scratch {
	return &scratch{sums: make([]sum, docs), counts: make([]uint32, values)}
}

func (s *scratch) reset(k int) {
	clear(s.counts)
	s.touched, s.keys, s.has, s.total, s.undated = s.touched[:0], s.keys[:0], s.has[:0], 0, 0
	s.top.reset(k)
}

// addClause adds the scores of a clause, which is given with its bit.
func (s *scratch) addClause(c *clause, bit clauseSet) {
	sums, scores := s.sums, c.list.Scores
	for i, doc := range c.list.Docs {
		at := &sums[doc]
		if at.score == 0 {
			s.touched = append(s.touched, doc)
		}
		at.score += scores[i] * c.weight
		at.words |= c.words
		at.clauses |= bit
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
		s.keys, s.has = append(s.keys, rankKey(pl.tier(at.words), at.score)), append(s.has, at.clauses)
		s.sums[doc] = sum{}
	}
}
