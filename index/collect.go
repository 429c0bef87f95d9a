package index

import (
	"strings"

	"almanac/index/postings"
)

// pinnedScore ranks a document whose id or address is the query above all others.
const pinnedScore = 1000

// collect scores the documents, and keeps the first of them and the counts of all.
func (x *Index) collect(d *postings.Deadline, s *scratch, p *parsed, pl *plan) error {
	s.reset(p.offset + p.limit)
	filter := x.filters.filter(p)
	filter.sets = append(filter.sets, pl.phrases...)
	switch {
	case filter.none:
	case len(pl.clauses) == 0 && len(pl.pinned) == 0:
		if strings.Trim(p.rest, " ") == "" { // filters only
			x.rank(s, &filter, x.byRank, nil)
		}
	case len(pl.clauses) == 1 && len(pl.pinned) == 0:
		x.rank(s, &filter, pl.clauses[0].list.Docs, pl.clauses[0].list.Scores)
	default:
		if err := s.addUp(d, pl); err != nil {
			return err
		}
		x.rank(s, &filter, s.touched, s.scores)
	}
	return nil
}

// addUp sums the scores of each document that has any clause.
func (s *scratch) addUp(d *postings.Deadline, pl *plan) (err error) {
	for i, c := range pl.clauses {
		if i > 0 && err == nil {
			err = d.Err()
		}
		if err == nil {
			s.addList(c.list, c.weight)
		}
	}
	for _, doc := range pl.pinned {
		s.add(doc, pinnedScore)
	}
	s.finish()
	return err
}

// rank counts the documents that pass the filter and keeps the first of them. Without scores,
// every score is zero.
func (x *Index) rank(s *scratch, f *filter, docs []uint32, scores []float32) {
	all, least := f.empty(), float32(-1)
	first, held, ranks, counts := x.filters.first, x.filters.held, x.store.IDs, s.counts
	for i, doc := range docs {
		if !all && !f.accepts(doc, x.filters.days) {
			continue
		}
		s.total++
		for _, v := range held[first[doc]:first[doc+1]] {
			counts[v]++
		}
		score := float32(0)
		if scores != nil {
			score = scores[i]
		}
		if score >= least {
			least = s.top.offer(found{score, ranks[doc], doc})
		}
	}
}
