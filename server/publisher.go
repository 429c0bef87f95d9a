package server

import (
	"context"
	"os"
	"time"

	"almanac/catalog"
	"almanac/ops"
)

// A publisher keeps the snapshot being served in step with the curated files and with the state of the node.
type publisher struct {
	builder
	certs   *certificates
	metrics *ops.Metrics
	current current
}

// publish loads the data and serves them from now on.
func (p *publisher) publish(ctx context.Context) error {
	next, err := p.load(p.payments.state(ctx))
	if err != nil {
		return err
	}
	p.metrics.Loaded(len(next.catalog.Entries()), next.catalog.Options().GeneratedAt)
	p.current.swap(next)
	return nil
}

const (
	nodePoll   = 5 * time.Second // how often the node is asked whether it is ready
	pruneEvery = 24 * time.Hour
)

// follow reloads when asked to or when files changed, and follows the state of the node, until ctx ends.
func (p *publisher) follow(ctx context.Context, reload <-chan os.Signal, changed <-chan struct{}) {
	poll := time.NewTicker(nodePoll)
	defer poll.Stop()
	prune := time.NewTicker(pruneEvery)
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload:
			p.reload(ctx)
		case <-changed:
			p.reload(ctx)
		case <-poll.C:
			p.followNode(ctx)
		case <-prune.C:
			p.payments.prune(ctx)
		}
	}
}

// reload reads the certificate and the data again. What cannot be read stays as it was, and the log says why.
func (p *publisher) reload(ctx context.Context) {
	started, log := time.Now(), p.cfg.Log
	if err := p.certs.reload(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the certificate stays as it was", "err", err)
	}
	if err := p.publish(ctx); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the data stay as they were", "err", err)
		return
	}
	now := p.current.acquire()
	defer now.release()
	log.Info("reloaded", "entries", len(now.catalog.Entries()), "took", time.Since(started).Round(time.Millisecond).String())
}

// followNode publishes the state of payments when the node came or went.
func (p *publisher) followNode(ctx context.Context) {
	state := p.payments.state(ctx)
	now := p.current.acquire()
	defer now.release()
	if now.catalog.Payments() == state || ctx.Err() != nil {
		return
	}
	next, err := p.withPayments(now, state)
	if err != nil {
		p.cfg.Log.Error("publish the new state of payments", "err", err)
		return
	}
	p.current.swap(next)
	p.cfg.Log.Info("the Lightning node's state changed", "live", state == catalog.PaymentsLive)
}
