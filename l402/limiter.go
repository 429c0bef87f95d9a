package l402

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Limits bound how many challenges are given out, since each makes the node keep an invoice. A source is an
// IPv4 /24 or an IPv6 /48: whoever has one usually has all of it.
type Limits struct {
	PerSource   float64 // challenges a second for one source, in the long run
	Burst       int     // challenges a source can have at once
	Global      float64 // challenges a second for everybody together
	GlobalBurst int
	Sources     int // how many sources are remembered; the one not seen for longest is forgotten first
}

// DefaultLimits let a source buy every five seconds, and everybody together have about 9,000 unpaid invoices (ten a second
// for [InvoiceExpiry]), which lnd carries without slowing down. The burst is above 3, because some clients ask twice a purchase.
func DefaultLimits() Limits {
	return Limits{PerSource: 0.2, Burst: 6, Global: 10, GlobalBurst: 100, Sources: 16 << 10}
}

// A bucket gives out tokens that come back at a constant rate.
type bucket struct {
	tokens float64
	at     time.Time // of the last change
}

// wait is how long until the bucket holds one token. It fills the bucket up to now.
func (b *bucket) wait(now time.Time, rate, burst float64) time.Duration {
	if d := now.Sub(b.at); d > 0 {
		b.tokens = min(burst, b.tokens+d.Seconds()*rate)
	}
	b.at = now // also when the clock went back: the next second counts again
	if b.tokens >= 1 {
		return 0
	}
	return time.Duration((1 - b.tokens) / rate * float64(time.Second))
}

// A limiter is shared by every door that gives challenges out. Its memory is bounded by Limits.Sources.
type limiter struct {
	limits Limits

	mu      sync.Mutex
	global  bucket
	sources *simplelru.LRU[netip.Prefix, *bucket]
}

func newLimiter(limits Limits, now time.Time) (*limiter, error) {
	sources, err := simplelru.NewLRU[netip.Prefix, *bucket](limits.Sources, nil)
	if err != nil {
		return nil, err
	}
	return &limiter{limits: limits, global: bucket{float64(limits.GlobalBurst), now}, sources: sources}, nil
}

// take takes one challenge for addr, or says how long to wait for one. A source that is over its own limit costs the
// others nothing.
func (l *limiter) take(addr netip.Addr, now time.Time) (wait time.Duration, ok bool) {
	key := Network(addr)
	l.mu.Lock()
	defer l.mu.Unlock()
	own, known := l.sources.Get(key)
	if !known {
		own = &bucket{float64(l.limits.Burst), now}
		l.sources.Add(key, own)
	}
	if wait := own.wait(now, l.limits.PerSource, float64(l.limits.Burst)); wait > 0 {
		return wait, false
	}
	if wait := l.global.wait(now, l.limits.Global, float64(l.limits.GlobalBurst)); wait > 0 {
		return wait, false
	}
	own.tokens--
	l.global.tokens--
	return 0, true
}
