package peer

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// Limits bound how often something may be had.
type Limits struct {
	Rate         float64 // per second, for one network
	Burst        int     // at once, for one network
	Networks     int     // how many are remembered; the one not seen for longest is forgotten first
	OverallRate  float64 // per second, for all networks together
	OverallBurst int     // at once, for all networks together; 0: no overall limit
}

// A Limiter holds every network, and all of them together, to its limits. Its memory is bounded by Limits.Networks.
type Limiter struct {
	limits Limits

	mu       sync.Mutex
	networks *simplelru.LRU[netip.Prefix, *rate.Limiter]
	overall  *rate.Limiter // nil: no overall limit
}

// NewLimiter returns a limiter from which every network can take a whole burst.
func NewLimiter(limits Limits) (*Limiter, error) {
	networks, err := simplelru.NewLRU[netip.Prefix, *rate.Limiter](limits.Networks, nil)
	if err != nil {
		return nil, fmt.Errorf("remember %d networks: %w", limits.Networks, err)
	}
	l := &Limiter{limits: limits, networks: networks}
	if limits.OverallBurst > 0 {
		l.overall = rate.NewLimiter(rate.Limit(limits.OverallRate), limits.OverallBurst)
	}
	return l, nil
}

// Take takes one for addr's network, or returns how long to wait for one. Only what is taken counts: a network over its own limit costs
// the others nothing, and waits no longer for having asked.
func (l *Limiter) Take(addr netip.Addr, now time.Time) time.Duration {
	key := Network(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	own, ok := l.networks.Get(key)
	if !ok {
		own = rate.NewLimiter(rate.Limit(l.limits.Rate), l.limits.Burst)
		l.networks.Add(key, own)
	}
	r, wait := reserve(own, now)
	if wait > 0 || l.overall == nil {
		return wait
	}
	if _, wait = reserve(l.overall, now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// reserve takes one at once, or returns how long to wait for it.
func reserve(l *rate.Limiter, now time.Time) (*rate.Reservation, time.Duration) {
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return r, wait
}

// Networks returns how many networks are remembered.
func (l *Limiter) Networks() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.networks.Len()
}
