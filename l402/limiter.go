package l402

import "almanac/peer"

// Limits bound how many challenges are issued, because each makes the node keep an invoice.
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

// newLimiter returns the limiter that everything shares which hands out challenges.
func newLimiter(l Limits) (*peer.Limiter, error) {
	return peer.NewLimiter(peer.Limits{
		Rate: l.PerSource, Burst: l.Burst, Networks: l.Sources, OverallRate: l.Global, OverallBurst: l.GlobalBurst,
	})
}
