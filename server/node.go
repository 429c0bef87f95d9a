package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/cln"
	"go.almanac.example/l402/node/lnd"
	"go.almanac.example/l402/node/lnurl"
	"go.almanac.example/l402/node/nwc"
	"go.almanac.example/l402/node/phoenixd"
	"go.almanac.example/server/ops"
)

// nodes open the Lightning node of a back end, without calling it.
var nodes = map[Backend]func(node.Settings) (*node.Node, error){
	BackendLND: lnd.New, BackendPhoenixd: phoenixd.New, BackendCLN: cln.New, BackendNWC: nwc.New, BackendLNURL: lnurl.New,
}

func openLightning(c *Config) (*node.Node, error) {
	open, ok := nodes[c.Payments.Backend]
	if !ok {
		return nil, fmt.Errorf("payments %q are unknown", c.Payments.Backend)
	}
	settings := c.Payments.Node
	settings.PriceSats, settings.Now, settings.Log = c.Source.Terms.PriceSats, time.Now, c.Log
	return open(settings)
}

// A prober asks the node and the ledger at intervals whether they work. Searches are sold while both do.
type prober struct {
	paywall  *l402.Paywall
	interval time.Duration
	metrics  *ops.Metrics
	log      *slog.Logger

	last    atomic.Pointer[probe]
	changed chan struct{} // receives after the state changed; holds one
}

// A probe is the result of one round: why the node or the ledger cannot be used, or nil.
type probe struct{ node, ledger error }

func (p probe) state() catalog.Payments {
	if p.node != nil || p.ledger != nil {
		return catalog.PaymentsDown
	}
	return catalog.PaymentsLive
}

func newProber(paywall *l402.Paywall, metrics *ops.Metrics, log *slog.Logger) *prober {
	p := &prober{paywall: paywall, interval: probeInterval, metrics: metrics, log: log, changed: make(chan struct{}, 1)}
	p.last.Store(&probe{node: errNotProbed, ledger: errNotProbed})
	return p
}

// errNotProbed is the state before the first probe: nothing is sold, and there is nothing to report yet.
var errNotProbed = errors.New("not asked yet")

const (
	probeInterval = 5 * time.Second
	probeTimeout  = 5 * time.Second
	nodeTimeout   = 15 * time.Second // a node has its own limit, which says more
)

// repeat calls do until ctx ends: after a while, and then each time as long after a call has ended as that returned.
func repeat(ctx context.Context, wait time.Duration, do func(context.Context) time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			wait = do(ctx)
		}
	}
}

// probe asks both at the same time, reports changes, and returns how long to wait for the next time.
func (p *prober) probe(ctx context.Context) time.Duration {
	asking, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	askingNode, cancelNode := context.WithTimeout(ctx, nodeTimeout)
	defer cancelNode()
	var next probe
	var both sync.WaitGroup
	both.Go(func() { next.node = p.paywall.NodeReady(askingNode) })
	both.Go(func() { next.ledger = p.paywall.LedgerReady(asking) })
	both.Wait()
	if ctx.Err() != nil {
		return 0 // the failures are ours: the service stops
	}
	before := p.last.Swap(&next)
	p.logChange("Lightning node", before.node, next.node)
	p.logChange("ledger", before.ledger, next.ledger)
	p.metrics.Probed(next.ledger == nil, next.state() == catalog.PaymentsLive)
	if before.state() != next.state() {
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
	return p.interval
}

func (p *prober) logChange(name string, before, now error) {
	switch {
	case now != nil && (before == nil || before == errNotProbed):
		p.log.Warn("the "+name+" is unavailable; nothing is sold until it is back; almanac doctor says what to do", "err", now)
	case now == nil && before != nil && before != errNotProbed:
		p.log.Info("the " + name + " is available again")
	}
}
