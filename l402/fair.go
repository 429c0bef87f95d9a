package l402

import "time"

// A fairShare bounds how much is taken within a time, and divides it fairly. Takers form a hierarchy, for instance
// networks within blocks of addresses: each may have as much as it leaves unused of the share of its parent, and the
// first level as much as it leaves unused of the whole. So one taker alone gets a good part, many get little each, and
// a newcomer finds some left, however many children another taker has (dynamic thresholds: Choudhury and Hahne,
// "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998).
// It needs no queue, in which honest clients would wait.
type fairShare[K comparable] struct {
	bound  int           // the most that is taken within length
	length time.Duration // after which it comes back
	taken  []*taking[K]  // oldest first
	total  int
	counts []map[K]int // by level
}

// A taking is one thing taken.
type taking[K comparable] struct {
	at       time.Time
	path     []K  // the taker, from the first level down
	returned bool // before its time
}

// newFairShare returns a share among takers on so many levels.
func newFairShare[K comparable](bound int, length time.Duration, levels int) *fairShare[K] {
	s := &fairShare[K]{bound: bound, length: length}
	for range levels {
		s.counts = append(s.counts, make(map[K]int))
	}
	return s
}

// expire returns old takings. It does not wait for a clock that was set back.
func (s *fairShare[K]) expire(now time.Time) {
	n := 0
	for ; n < len(s.taken) && now.Sub(s.taken[n].at).Abs() >= s.length; n++ {
		s.giveBack(s.taken[n])
	}
	clear(s.taken[:n])
	s.taken = s.taken[n:]
}

// giveBack returns a taking, once.
func (s *fairShare[K]) giveBack(t *taking[K]) {
	if t.returned {
		return
	}
	t.returned = true
	s.total--
	for level, key := range t.path {
		if s.counts[level][key]--; s.counts[level][key] == 0 {
			delete(s.counts[level], key)
		}
	}
}

// wait returns how long a taker has to wait; 0 when it can take one now.
func (s *fairShare[K]) wait(path []K, now time.Time) time.Duration {
	s.expire(now)
	free := s.bound - s.total
	for level, key := range path {
		has := s.counts[level][key]
		if has >= free {
			return max(time.Second, s.length-now.Sub(s.taken[0].at)) // something comes back then
		}
		free -= has
	}
	return 0
}

// take takes one for a taker that need not wait.
func (s *fairShare[K]) take(path []K, now time.Time) *taking[K] {
	t := &taking[K]{at: now, path: path}
	s.taken = append(s.taken, t)
	s.total++
	for level, key := range path {
		s.counts[level][key]++
	}
	return t
}
