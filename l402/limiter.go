package l402

import (
	"net/netip"
	"sync"
	"time"

	"almanac/peer"

	"github.com/lightningnetwork/lnd/lntypes"
)

// ChallengeLimits bound how many challenges are issued, because each makes the node create an invoice and keep it.
// Within these bounds they are divided fairly among networks, whose addresses form larger blocks, and a part is kept
// for clients that have paid before.
type ChallengeLimits struct {
	Rate        int // challenges within a second
	Outstanding int // challenges whose invoice has not expired
	Proven      int // percentage of both that is for clients with a credential that was paid for
}

// DefaultLimits are far below lnd's: it creates hundreds of invoices a second, and carries these outstanding ones
// without slowing down.
func DefaultLimits() ChallengeLimits {
	return ChallengeLimits{Rate: 100, Outstanding: 9000, Proven: 20}
}

// minRate and minOutstanding leave one for each kind of client.
const minRate, minOutstanding = 2, 2

// A limiter divides the challenges of a paywall, over whichever interface they are requested.
type limiter struct {
	mu        sync.Mutex
	strangers pool[netip.Prefix] // by block and network
	proven    pool[lntypes.Hash] // by the payment that the credential proves
}

func newLimiter(l ChallengeLimits) *limiter {
	proven := func(n int) int { return min(n-1, max(1, n*l.Proven/100)) }
	return &limiter{
		strangers: newPool[netip.Prefix](l.Rate-proven(l.Rate), l.Outstanding-proven(l.Outstanding), 2),
		proven:    newPool[lntypes.Hash](proven(l.Rate), proven(l.Outstanding), 1),
	}
}

// take takes one challenge for a client: at addr, and with proof of a payment unless proof is nil. If there is none, it
// returns how long to wait. If the challenge is not issued, giveBack undoes it.
func (l *limiter) take(addr netip.Addr, proof *lntypes.Hash, now time.Time) (giveBack func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if proof != nil {
		if giveBack, wait = l.proven.take([]lntypes.Hash{*proof}, now, &l.mu); wait == 0 {
			return giveBack, 0
		}
	}
	return l.strangers.take([]netip.Prefix{peer.Block(addr), peer.Network(addr)}, now, &l.mu)
}

// A pool is a part of the challenges, with both bounds.
type pool[K comparable] struct {
	rate, outstanding *fairShare[K]
}

func newPool[K comparable](rate, outstanding, levels int) pool[K] {
	return pool[K]{newFairShare[K](rate, time.Second, levels), newFairShare[K](outstanding, InvoiceExpiry, levels)}
}

// maxWait bounds the wait that clients are told, because others may pay or give up.
const maxWait = time.Minute

func (p *pool[K]) take(path []K, now time.Time, mu *sync.Mutex) (giveBack func(), wait time.Duration) {
	if wait = max(p.outstanding.wait(path, now), p.rate.wait(path, now)); wait > 0 {
		return nil, min(wait, maxWait)
	}
	p.rate.take(path, now)
	t := p.outstanding.take(path, now)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		p.outstanding.giveBack(t)
	}, 0
}

// A fairShare bounds how much is taken within a time, and divides it fairly. Takers form a hierarchy, for instance
// networks within blocks of addresses: each may have as much as it leaves unused of the share of its parent, and the
// first level as much as it leaves unused of the whole. So one taker alone gets a good part, many get little each, and
// a newcomer finds some left, however many children another taker has (dynamic thresholds: Choudhury and Hahne,
// "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998).
// It needs no queue, in which honest clients would wait.
//
// A bucket for each network does not replace it. In TestFloodOfChallenges, 2,000 requests a second from the 65,536
// networks of one block leave honest networks without a challenge after 100 ms if the rate is not shared, and in
// TestChallengesAreShared that block takes 1,000 of 1,000 outstanding challenges if blocks are not counted; with both,
// every honest network gets two challenges, and 400 newcomers get one each.
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
