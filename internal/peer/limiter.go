package peer

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// A Limiter holds every network to a rate. Its memory is bounded: the network not seen for longest is forgotten first.
type Limiter struct {
	perSecond rate.Limit
	burst     int

	mu       sync.Mutex
	networks *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

// NewLimiter returns a limiter of so many networks, from which each can take a whole burst.
func NewLimiter(perSecond float64, burst, remembered int) *Limiter {
	networks, _ := simplelru.NewLRU[netip.Prefix, *rate.Limiter](remembered, nil) // which fails at 0 only
	return &Limiter{perSecond: rate.Limit(perSecond), burst: burst, networks: networks}
}

// Take takes one for addr's network, or returns how long to wait for one. Only what is taken counts: a network over its
// limit waits no longer for having asked.
func (l *Limiter) Take(addr netip.Addr, now time.Time) time.Duration {
	key := Network(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	own, ok := l.networks.Get(key)
	if !ok {
		own = rate.NewLimiter(l.perSecond, l.burst)
		l.networks.Add(key, own)
	}
	r := own.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
