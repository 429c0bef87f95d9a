package ops

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"almanac/l402"
)

// A Limit bounds how often one network may ask the free surfaces: an IPv4 /24 or an IPv6 /48, since whoever has one usually
// has all of it. It keeps one client from taking the service from the others, and is far above what a reader needs.
//
// This machine itself is not limited. A request from here is the operator's, or comes through a proxy that
// was not named with -trusted-proxy, and then everybody would share one allowance.
type Limit struct {
	rate  rate.Limit // requests a second
	burst int
	now   func() time.Time

	mu      sync.Mutex
	buckets *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

const (
	limitedNetworks = 16 << 10 // remembered; the one not seen for longest is forgotten first
	burstSeconds    = 10       // a burst is what the rate gives in this time
)

// NewLimit makes a limit of so many requests a second for each network, and ten seconds' worth of them at once.
func NewLimit(perSecond float64, now func() time.Time) (*Limit, error) {
	buckets, err := simplelru.NewLRU[netip.Prefix, *rate.Limiter](limitedNetworks, nil)
	if err != nil {
		return nil, err
	}
	return &Limit{rate: rate.Limit(perSecond), burst: max(1, int(perSecond*burstSeconds)), now: now, buckets: buckets}, nil
}

// take takes one request of addr's network, or says how long to wait for one.
func (l *Limit) take(addr netip.Addr) time.Duration {
	if addr.IsLoopback() {
		return 0
	}
	key, now := l402.Network(addr), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets.Get(key)
	if !ok {
		b = rate.NewLimiter(l.rate, l.burst)
		l.buckets.Add(key, b)
	}
	r := b.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// ClientAddr is the address a request comes from, seen through our own proxies.
func ClientAddr(r *http.Request, proxies []netip.Prefix) netip.Addr {
	return l402.ClientAddr(r.RemoteAddr, r.Header["X-Forwarded-For"], proxies)
}
