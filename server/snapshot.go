package server

import (
	"context"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/mcpserver"
	"go.almanac.example/server/ops"
)

// current is the snapshot that requests use now.
type current struct{ p atomic.Pointer[snapshot] }

// ServeHTTP answers from the snapshot that is current when the request arrives.
func (c *current) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.p.Load().handler.ServeHTTP(w, r)
}

// A snapshot is everything that is built from one load of the data. The packages below this one know nothing of
// reloads: a new snapshot is built beside the old one and replaces it in one step, and requests that have begun go on with
// the old one.
type snapshot struct {
	catalog *catalog.Catalog
	mirror  *httpmirror.Mirror
	search  *index.Index
	proofs  map[string][]byte // of -well-known, by their paths
	handler http.Handler
}

// A publisher keeps the snapshot being served in step with the curated files and with the state of the node.
type publisher struct {
	cfg      *Config
	site     catalog.Site
	payments *payments
	problems problem.Writer
	metrics  *ops.Metrics
	calls    *mcpserver.Admission // of all snapshots
	certs    *certificates
	reports  *reports // of errors; nil: none are taken
	current  current
}

// loadGarbage is how many percent of the memory in use may be garbage during a load, which has two snapshots in memory.
const loadGarbage = 50

// publish loads the data and serves them from now on.
func (p *publisher) publish() error {
	if p.current.p.Load() != nil {
		defer debug.SetGCPercent(debug.SetGCPercent(loadGarbage))
	}
	next, err := p.load()
	if err != nil {
		return err
	}
	p.metrics.Loaded(len(next.catalog.Entries()), next.catalog.Modified(), next.catalog.Sum())
	p.current.p.Store(next)
	debug.FreeOSMemory() // half of it is garbage of the load
	return nil
}

// follow reloads when asked to, and publishes changes of the state of payments, until ctx ends.
func (p *publisher) follow(ctx context.Context, reload <-chan os.Signal) {
	due := time.After(prepareDelay)
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload:
			p.reload()
		case <-p.payments.changed():
			p.publishPayments()
		case <-due:
			go p.prepare()
			due = nil
			continue
		}
		due = time.After(prepareDelay)
	}
}

// prepareDelay is how long data are served before the files are prepared: the first requests have the processors, the state
// of payments changes soon after a start, and edits come in rows.
const prepareDelay = 6 * time.Second

// prepare renders the files that take long, and gives back the memory of that and of the load.
func (p *publisher) prepare() {
	now := p.current.p.Load()
	now.mirror.Prepare()
	runtime.GC() // which leaves the contents of every sync.Pool
	debug.FreeOSMemory()
}

// reload reads the certificate, the key file and the data again. A part that cannot be read stays as it was, and the
// log says why.
func (p *publisher) reload() {
	started, log := time.Now(), p.cfg.Log
	if err := p.certs.reload(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the certificate stays as it was", "err", err)
	}
	if err := p.payments.reloadKeys(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the keys stay as they were", "err", err)
	}
	if err := p.publish(); err != nil {
		p.metrics.LoadFailed()
		log.Error("reload failed; the data stay as they were", "err", err)
		return
	}
	now := p.current.p.Load()
	log.Info("reloaded", "entries", len(now.catalog.Entries()), "took", time.Since(started).Round(time.Millisecond).String())
}

// publishPayments publishes the state of payments: in a mirror of its own, beside the same search.
func (p *publisher) publishPayments() {
	state := p.payments.state()
	next := *p.current.p.Load()
	before := next.mirror
	if next.mirror = before.WithPayments(state); next.mirror == before {
		return
	}
	next.handler = p.handler(&next)
	p.current.p.Store(&next)
	p.cfg.Log.Info("the state of payments changed", "live", state == catalog.PaymentsLive)
}
