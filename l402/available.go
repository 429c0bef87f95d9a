package l402

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	availableFor   = 3 * time.Second // after the ledger worked, before it is tried again
	unavailableFor = time.Second     // after it failed
	probeTimeout   = 3 * time.Second
)

// An availability knows whether the ledger can take credits, from the outcome of the latest spends, or of a probe when
// there was none for a while. Whoever buys while the ledger cannot would pay for nothing.
type availability struct {
	probe func(context.Context) error
	now   func() time.Time

	workedAt atomic.Int64 // Unix nanoseconds
	failed   atomic.Pointer[failure]
	probing  sync.Mutex
}

// A failure is why the ledger could not take a credit, and when.
type failure struct {
	err error
	at  int64 // Unix nanoseconds
}

// record keeps the outcome of a spend.
func (a *availability) record(err error) {
	if err == nil {
		a.workedAt.Store(a.now().UnixNano())
		a.failed.Store(nil)
	} else {
		a.failed.Store(&failure{fmt.Errorf("%w: %w", ErrLedgerUnavailable, err), a.now().UnixNano()})
	}
}

// recent returns the latest outcome, if it is recent enough.
func (a *availability) recent() (err error, known bool) {
	now := a.now().UnixNano()
	if f := a.failed.Load(); f != nil {
		return f.err, near(now, f.at, unavailableFor)
	}
	return nil, near(now, a.workedAt.Load(), availableFor)
}

// near reports whether two times differ by less than d, also when the clock was set back.
func near(now, then int64, d time.Duration) bool { return max(now-then, then-now) < int64(d) }

// check returns ErrLedgerUnavailable unless the ledger can take credits.
func (a *availability) check(ctx context.Context) error {
	if err, known := a.recent(); known {
		return err
	}
	a.probing.Lock() // for as long as a probe takes, at most
	defer a.probing.Unlock()
	if err, known := a.recent(); known {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	a.record(a.probe(ctx))
	err, _ := a.recent()
	return err
}

// LedgerReady returns an error while the ledger cannot take credits. There are no challenges then.
func (p *Paywall) LedgerReady(ctx context.Context) error { return p.available.check(ctx) }
