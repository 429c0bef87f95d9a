package server

import (
	"context"
	"os"
	"runtime/debug"
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

// publish loads the data and serves them from now on, unless ctx ends before they are ready.
func (p *publisher) publish(ctx context.Context) error {
	before := p.current.p.Load()
	defer p.makeRoom(before)()
	next, err := p.load(ctx, before, p.payments.state())
	if err != nil {
		return err
	}
	p.metrics.Loaded(len(next.catalog.Entries()), next.catalog.Modified())
	p.current.swap(next)
	debug.FreeOSMemory() // of the files read, the building and the snapshot before, which would be held until the next load
	return nil
}

// follow reloads when asked to or when files changed, and publishes changes of the state of payments, until ctx ends.
func (p *publisher) follow(ctx context.Context, reload <-chan os.Signal, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload:
			p.reload(ctx)
		case <-changed:
			p.reload(ctx)
		case <-p.payments.changed():
			p.publishPayments()
		}
	}
}

// reload reads the certificate, the key file and the data again. What cannot be read stays as it was, and the log says why.
func (p *publisher) reload(ctx context.Context) {
	started, log := time.Now(), p.cfg.Log
	if err := p.certs.reload(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the certificate stays as it was", "err", err)
	}
	if err := p.payments.reloadKeys(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the keys stay as they were", "err", err)
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

// publishPayments publishes the state of payments. Of the mirror, only the files that depend on it are rendered again.
func (p *publisher) publishPayments() {
	state := p.payments.state()
	now := p.current.acquire()
	defer now.release()
	if now.mirror.setPayments(state) {
		p.cfg.Log.Info("the state of payments changed", "live", state == catalog.PaymentsLive)
	}
}
