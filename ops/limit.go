package ops

import (
	"net/netip"
	"time"

	"almanac/peer"
)

// A Limit bounds how often one network may use the free surfaces. It keeps one client from taking the service away from the others, and
// is far above what a reader needs.
//
// This machine itself is not limited: a request from here is the operator's, or comes through a proxy that the operator has not named, and
// then all clients would share one allowance.
type Limit struct {
	limiter *peer.Limiter
	now     func() time.Time
}

const (
	limitedNetworks = 16 << 10
	burstSeconds    = 10 // a burst is what the rate allows in this time
)

// NewLimit returns a limit of perSecond requests a second for each network, and ten seconds' worth of them at once.
func NewLimit(perSecond float64, now func() time.Time) (*Limit, error) {
	l, err := peer.NewLimiter(peer.Limits{Rate: perSecond, Burst: max(1, int(perSecond*burstSeconds)), Networks: limitedNetworks})
	if err != nil {
		return nil, err
	}
	return &Limit{l, now}, nil
}

// take takes one request of addr's network, or returns how long to wait for one.
func (l *Limit) take(addr netip.Addr) time.Duration {
	if addr.IsLoopback() {
		return 0
	}
	return l.limiter.Take(addr, l.now())
}
