package l402

import (
	"net/netip"
	"sync"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"almanac/peer"
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
