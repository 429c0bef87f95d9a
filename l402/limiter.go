package l402

import (
	"net/netip"
	"sync"
	"time"

	"go.almanac.example/internal/peer"

	"github.com/hashicorp/golang-lru/v2/simplelru"
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
//
// Half of the challenges are for newcomers that come back after a refusal, as people and their programs do. A botnet
// that asks from 50,000 blocks seldom comes back from one network within seconds, and each network comes once: with a
// challenge it is no newcomer any more. In TestBotnets 3 % of the honest newcomers have a challenge without this rule.
type limiter struct {
	mu        sync.Mutex
	strangers pool[netip.Prefix] // by block and network
	proven    pool[lntypes.Hash] // by the payment that the credential proves
	refused   *simplelru.LRU[netip.Prefix, refusal]
}

// A refusal is the latest of a newcomer.
type refusal struct {
	at      time.Time
	returns int // after earlier ones
}

const (
	newcomerWait    = time.Second      // that newcomers are told
	shortestReturn  = newcomerWait / 2 // earlier requests are repetitions
	longestReturn   = 5 * time.Second  // later ones are first requests again: long enough to meet one of three replicas twice
	refusedNetworks = 1 << 14          // that are remembered
	newcomerBlock   = 8                // challenges, with which a block has no newcomers
)

// reserved returns the eighths of a pool that are not for a client that came back so often.
func reserved(returns int) int { return [...]int{4, 1, 0}[min(returns, 2)] }

func newLimiter(l ChallengeLimits) *limiter {
	proven := func(n int) int { return min(n-1, max(1, n*l.Proven/100)) }
	refused, _ := simplelru.NewLRU[netip.Prefix, refusal](refusedNetworks, nil) // an error would be of the size
	return &limiter{
		strangers: newPool[netip.Prefix](l.Rate-proven(l.Rate), l.Outstanding-proven(l.Outstanding), 2),
		proven:    newPool[lntypes.Hash](proven(l.Rate), proven(l.Outstanding), 1),
		refused:   refused,
	}
}

// take takes one challenge for a client: at addr, and with proof of a payment unless proof is nil. If there is none, it
// returns how long to wait. A challenge that is not issued is given back: it counts in the rate, but is not outstanding.
func (l *limiter) take(addr netip.Addr, proof *lntypes.Hash, now time.Time) (giveBack func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if proof != nil {
		if giveBack, wait = l.proven.take([]lntypes.Hash{*proof}, 0, now, &l.mu); wait == 0 {
			return giveBack, 0
		}
	}
	block, network := peer.Block(addr), peer.Network(addr)
	path, outstanding := []netip.Prefix{block, network}, l.strangers.outstanding
	outstanding.expire(now)
	if outstanding.counts[1][network] > 0 || outstanding.counts[0][block] >= newcomerBlock {
		return l.strangers.take(path, reserved(0), now, &l.mu)
	}
	last, known := l.refused.Get(network)
	switch age := now.Sub(last.at).Abs(); {
	case !known || age >= longestReturn:
		last = refusal{at: now}
	case age >= shortestReturn:
		last = refusal{at: now, returns: last.returns + 1}
	}
	if giveBack, wait = l.strangers.take(path, reserved(last.returns), now, &l.mu); wait > 0 {
		l.refused.Add(network, last)
		return nil, newcomerWait
	}
	l.refused.Remove(network)
	return giveBack, 0
}

// A pool is a part of the challenges, with both bounds.
type pool[K comparable] struct {
	rate, outstanding *fairShare[K]
}

func newPool[K comparable](rate, outstanding, levels int) pool[K] {
	return pool[K]{
		rate:        newFairShare[K](rate, time.Second, rateMemory, levels),
		outstanding: newFairShare[K](outstanding, InvoiceExpiry, InvoiceExpiry, levels),
	}
}

// rateMemory is how long a challenge counts against its network when the rate is shared. So a network that asks without
// pause keeps below its part of the outstanding ones, and is free again seconds after it stops.
const rateMemory = 10 * time.Second

// maxWait bounds the wait that clients are told, because others may pay or give up.
const maxWait = time.Minute

func (p *pool[K]) take(path []K, reserved int, now time.Time, mu *sync.Mutex) (giveBack func(), wait time.Duration) {
	if wait = max(p.outstanding.wait(path, reserved, now), p.rate.wait(path, reserved, now)); wait > 0 {
		return nil, min(wait, maxWait)
	}
	p.rate.take(path, now)
	t := p.outstanding.take(path, now)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		p.outstanding.comeBack(t) // before its time
		p.outstanding.forget(t)
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
	memory time.Duration // for which it counts as its taker's, no shorter
	taken  []*taking[K]  // within memory, oldest first
	back   int           // how many of them came back
	total  int
	counts []map[K]int // by level
}

// A taking is one thing taken.
type taking[K comparable] struct {
	at       time.Time
	path     []K // the taker, from the first level down
	returned bool
}

// newFairShare returns a share among takers on so many levels.
func newFairShare[K comparable](bound int, length, memory time.Duration, levels int) *fairShare[K] {
	s := &fairShare[K]{bound: bound, length: length, memory: memory}
	for range levels {
		s.counts = append(s.counts, make(map[K]int))
	}
	return s
}

// expire returns old takings. It does not wait for a clock that was set back.
func (s *fairShare[K]) expire(now time.Time) {
	for ; s.back < len(s.taken) && now.Sub(s.taken[s.back].at).Abs() >= s.length; s.back++ {
		s.comeBack(s.taken[s.back])
	}
	n := 0
	for ; n < s.back && now.Sub(s.taken[n].at).Abs() >= s.memory; n++ {
		s.forget(s.taken[n])
	}
	clear(s.taken[:n])
	s.taken, s.back = s.taken[n:], s.back-n
}

// comeBack lets others take a taking, once.
func (s *fairShare[K]) comeBack(t *taking[K]) {
	if !t.returned {
		t.returned = true
		s.total--
	}
}

// forget counts a taking no longer as its taker's, once.
func (s *fairShare[K]) forget(t *taking[K]) {
	for level, key := range t.path {
		if s.counts[level][key]--; s.counts[level][key] == 0 {
			delete(s.counts[level], key)
		}
	}
	t.path = nil
}

// wait returns how long a taker has to wait; 0 when it can take one now. So many eighths are reserved for others; from
// the only taker, no more than two.
func (s *fairShare[K]) wait(path []K, reserved int, now time.Time) time.Duration {
	s.expire(now)
	kept := s.bound * reserved / 8
	if own := s.counts[0][path[0]]; own > 0 {
		kept = min(kept, s.bound/4+max(0, s.total-own))
	}
	free := s.bound - s.total - kept
	for level, key := range path {
		has := s.counts[level][key]
		if has >= free {
			wait := time.Second
			if s.back < len(s.taken) {
				wait = max(wait, s.length-now.Sub(s.taken[s.back].at)) // something comes back then
			}
			return wait
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
