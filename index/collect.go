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
	filter.excluded = append(filter.excluded, pl.excluded...)
	var docs []uint32
	switch {
	case filter.none:
		return nil
	case len(pl.clauses) == 0 && len(pl.pinned) == 0:
		if strings.Trim(p.rest, " ") != "" {
			return nil
		}
		docs = x.all // filters only
	case len(pl.clauses) == 1 && len(pl.pinned) == 0:
		c := &pl.clauses[0]
		docs = c.list.Docs
		tier := pl.tier(c.words)
		for _, score := range c.list.Scores {
			s.keys = append(s.keys, rankKey(tier, score))
		}
	default:
		if err := s.addUp(d, pl); err != nil {
			return err
		}
		docs = s.touched
	}
	if p.sort != SortRelevance {
		docs = x.sortBy(p.sort, s, &filter, docs)
	}
	x.rank(s, &filter, docs)
	return nil
}

// deadlineAfter is the number of postings, some microseconds' worth, after which the time is read again.
const deadlineAfter = 8192

// addUp sums the scores of each document that has any clause.
func (s *scratch) addUp(d *postings.Deadline, pl *plan) (err error) {
	added := 0
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if added += len(c.list.Docs); added > deadlineAfter && err == nil {
			added, err = 0, d.Err()
		}
		if err == nil {
			s.addClause(c, 1<<i)
		}
	}
	for _, doc := range pl.pinned {
		s.add(doc, pinnedScore, pl.required)
	}
	s.finish(pl)
	return err
}

// rank counts the documents that pass the filter and keeps the first of them. Without keys, the
// documents are equal, and without their clauses they have the only one.
func (x *Index) rank(s *scratch, f *filter, docs []uint32) {
	all, least := f.empty(), uint64(0)
	first, held, counts, keys, has := x.filters.first, x.filters.held, s.counts, s.keys, s.has
	for i, doc := range docs {
		if !all {
			switch f.judge(doc, &x.filters) {
			case refused:
				continue
			case undated:
				s.undated++
				continue
			}
		}
		s.total++
		for _, v := range held[first[doc]:first[doc+1]] {
			counts[v]++
		}
		key := rankKey(0, 0)
		if len(keys) > 0 {
			key = keys[i]
		}
		if key >= least {
			clauses := clauseSet(1)
			if len(has) > 0 {
				clauses = has[i]
			}
			least = s.top.offer(found{key, doc, clauses})
		}
	}
}

// sortBy replaces the keys of an order other than relevance: only the documents of the first tier are
// kept.
func (x *Index) sortBy(order string, s *scratch, f *filter, docs []uint32) []uint32 {
	best := uint64(0)
	for i, doc := range docs {
		if len(s.keys) > 0 && f.judge(doc, &x.filters) == accepted {
			best = max(best, s.keys[i]>>32)
		}
	}
	s.sorted = s.sorted[:0]
	for i, doc := range docs {
		if len(s.keys) == 0 || s.keys[i]>>32 >= best {
			if len(s.has) > 0 {
				s.has[len(s.sorted)] = s.has[i]
			}
			s.sorted = append(s.sorted, doc)
		}
	}
	s.keys = s.keys[:0]
	if order == SortVerified {
		for _, doc := range s.sorted {
			s.keys = append(s.keys, uint64(x.filters.verified[doc]))
		}
	}
	return s.sorted
}
