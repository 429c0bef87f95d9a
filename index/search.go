package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"almanac/problem"
)

// Search answers a query. Errors are *problem.Problem: query_missing, query_invalid,
// parameter_invalid, cursor_invalid, timeout, overloaded, or internal.
func (x *Index) Search(ctx context.Context, q Query) (*Results, error) {
	p, err := x.parse(q)
	if err != nil {
		return nil, err
	}
	return x.search(ctx, p)
}

// Check tells what Search would refuse about a query, without searching. Errors are
// *problem.Problem.
func (x *Index) Check(q Query) error {
	_, err := x.parse(q)
	return err
}

// search answers a parsed query within the bounds of time and concurrency.
func (x *Index) search(ctx context.Context, p *parsed) (*Results, error) {
	b := &bound{ctx: ctx, until: time.Now().Add(x.options.Timeout)}
	if err := x.enter(b); err != nil {
		return nil, err
	}
	defer func() { <-x.slots }()
	if err := x.users.enter(); err != nil {
		return nil, asProblem(err)
	}
	defer x.users.leave()
	pl, err := x.plan(b, p)
	if err != nil {
		return nil, asProblem(err)
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	if err := x.collect(b, s, p, pl); err != nil {
		return nil, asProblem(err)
	}
	return x.results(s, p, pl), nil
}

// enter waits for a slot.
func (x *Index) enter(b *bound) error {
	select {
	case x.slots <- struct{}{}:
		return nil
	default:
	}
	wait := time.NewTimer(time.Until(b.until))
	defer wait.Stop()
	select {
	case x.slots <- struct{}{}:
		return nil
	case <-wait.C:
		return &problem.Problem{Code: problem.Overloaded, RetryAfter: time.Second}
	case <-b.ctx.Done():
		return asProblem(b.ctx.Err())
	}
}

// A bound ends a search: the caller has gone, or its time is over. It is asked between steps,
// which is cheaper than a timer for each search.
type bound struct {
	ctx   context.Context
	until time.Time
}

func (b *bound) err() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if time.Now().After(b.until) {
		return context.DeadlineExceeded
	}
	return nil
}

func asProblem(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &problem.Problem{Code: problem.Timeout, RetryAfter: time.Second, Err: err}
	}
	return &problem.Problem{Code: problem.Internal, Err: err}
}

// A scratch is the memory of one search, used again by the next.
type scratch struct {
	scores  []float32 // by document; zero between searches
	touched []uint32  // documents whose score is not zero
	worth   []float32 // their scores
	counts  []uint32  // by number of a value
	total   int
	best    best
}

func newScratch(docs, values int) *scratch {
	return &scratch{scores: make([]float32, docs), counts: make([]uint32, values)}
}

func (s *scratch) reset(keep int) {
	clear(s.counts)
	s.touched, s.total = s.touched[:0], 0
	s.best.reset(keep)
}

// pinnedWorth puts a document whose id or address was asked for above everything that scores.
const pinnedWorth = 1000

// collect scores the documents, and keeps the best with the counts of all.
func (x *Index) collect(b *bound, s *scratch, p *parsed, pl *plan) error {
	s.reset(p.offset + p.limit)
	filter := x.filters.filter(p)
	filter.sets = append(filter.sets, pl.phrases...)
	switch {
	case filter.none:
	case len(pl.wants) == 0 && len(pl.pinned) == 0:
		if p.filtersOnly() {
			x.take(s, &filter, x.byRank, nil)
		}
	case len(pl.wants) == 1 && len(pl.pinned) == 0:
		x.take(s, &filter, pl.wants[0].list.docs, pl.wants[0].list.worth)
	default:
		if err := s.addUp(b, pl); err != nil {
			return err
		}
		x.take(s, &filter, s.touched, s.worth)
	}
	return nil
}

// addUp gives each document that any list has the sum of its worth.
func (s *scratch) addUp(b *bound, pl *plan) (err error) {
	for i, w := range pl.wants {
		if i > 0 && err == nil {
			err = b.err()
		}
		if err == nil {
			s.addList(w.list, w.weight)
		}
	}
	for _, doc := range pl.pinned {
		s.add(doc, pinnedWorth)
	}
	s.worth = s.worth[:0]
	for _, doc := range s.touched {
		s.worth = append(s.worth, s.scores[doc])
		s.scores[doc] = 0
	}
	return err
}

// take takes the documents into the answer that the filter accepts, with their worth in the same
// order. Without worth, every score is zero.
func (x *Index) take(s *scratch, f *filter, docs []uint32, worth []float32) {
	all, least := f.empty(), float32(-1)
	first, held, rank, counts := x.filters.first, x.filters.held, x.store.rank, s.counts
	for i, doc := range docs {
		if !all && !f.accepts(doc, x.filters.days) {
			continue
		}
		s.total++
		for _, v := range held[first[doc]:first[doc+1]] {
			counts[v]++
		}
		score := float32(0)
		if worth != nil {
			score = worth[i]
		}
		if score >= least {
			least = s.best.offer(found{score, rank[doc], doc})
		}
	}
}

// filtersOnly tells a query without words: what it finds is in the order of documents that score
// alike, newest first.
func (p *parsed) filtersOnly() bool {
	for _, r := range p.rest {
		if r != ' ' {
			return false
		}
	}
	return true
}

func (s *scratch) addList(l *list, weight float32) {
	scores := s.scores
	for i, doc := range l.docs {
		if scores[doc] == 0 {
			s.touched = append(s.touched, doc)
		}
		scores[doc] += l.worth[i] * weight
	}
}

func (s *scratch) add(doc uint32, worth float32) {
	if s.scores[doc] == 0 {
		s.touched = append(s.touched, doc)
	}
	s.scores[doc] += worth
}

// A found is a document with its score.
type found struct {
	score     float32
	rank, doc uint32
}

// before tells whether a stands above b in the answer.
func (a found) before(b found) bool {
	return a.score > b.score || a.score == b.score && a.rank < b.rank
}

// best keeps the highest of the documents offered, as a heap with the lowest of them on top.
type best struct {
	heap []found
	keep int
}

func (b *best) reset(keep int) { b.heap, b.keep = b.heap[:0], keep }

// offer takes a document if it is among the best so far, and tells the score from which on the
// next may be.
func (b *best) offer(f found) float32 {
	h := b.heap
	if len(h) < b.keep {
		h = append(h, f)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !h[up].before(h[i]) {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		b.heap = h
		if len(h) < b.keep {
			return -1
		}
		return h[0].score
	}
	if !f.before(h[0]) {
		return h[0].score
	}
	h[0] = f
	for i := 0; ; {
		low := 2*i + 1
		if low >= len(h) {
			return h[0].score
		}
		if right := low + 1; right < len(h) && h[low].before(h[right]) {
			low = right
		}
		if !h[i].before(h[low]) {
			return h[0].score
		}
		h[i], h[low] = h[low], h[i]
		i = low
	}
}

// from gives the documents from a place on, the best first.
func (b *best) from(offset int) []found {
	slices.SortFunc(b.heap, func(x, y found) int {
		if x.before(y) {
			return -1
		}
		return 1
	})
	return b.heap[min(offset, len(b.heap)):]
}
