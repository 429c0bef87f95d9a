package peer

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// Limits bound the rate of each network.
type Limits struct {
	Rate     float64 // per second, for one network
	Burst    int     // at once, for one network
	Networks int     // how many are remembered; the one not seen for longest is forgotten first
}

// A Limiter holds every network to its limits. Its memory is bounded by Limits.Networks.
type Limiter struct {
	limits Limits

	mu       sync.Mutex
	networks *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

// NewLimiter returns a limiter from which every network can take a whole burst.
func NewLimiter(limits Limits) (*Limiter, error) {
	networks, err := simplelru.NewLRU[netip.Prefix, *rate.Limiter](limits.Networks, nil)
	if err != nil {
		return nil, fmt.Errorf("remember %d networks: %w", limits.Networks, err)
	}
	return &Limiter{limits: limits, networks: networks}, nil
}

// Take takes one for addr's network, or returns how long to wait for one. Only what is taken counts: a network over its
// limit waits no longer for having asked.
func (l *Limiter) Take(addr netip.Addr, now time.Time) time.Duration {
	key := Network(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	own, ok := l.networks.Get(key)
	if !ok {
		own = rate.NewLimiter(rate.Limit(l.limits.Rate), l.limits.Burst)
		l.networks.Add(key, own)
	}
	r := own.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
