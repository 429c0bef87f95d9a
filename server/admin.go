package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof" // registers its handlers
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/internal/peer"
	"go.almanac.example/server/ops"
)

// ReadyTimeout is how long the service may take to say whether it is ready.
const ReadyTimeout = 3 * time.Second

// adminHandler serves the admin listener: /healthz while the process lives, /readyz while it is ready, /metrics for
// Prometheus, and to this machine /debug/pprof/ for go tool pprof. It answers no page that has a name of its own
// resolved to this machine (DNS rebinding).
func adminHandler(ready *readiness, metrics *ops.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", metrics.Handler())
	mux.HandleFunc("GET /debug/pprof/", func(w http.ResponseWriter, r *http.Request) { // profiles show the memory of the process
		if from, to := ends(r); !peer.IsLoopback(from) || !peer.IsLoopback(to) {
			http.Error(w, "profiles are for this machine alone: ask for them at localhost, or forward its port", http.StatusForbidden)
			return
		}
		http.DefaultServeMux.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, to := ends(r)
		if _, err := netip.ParseAddr(to); err != nil && to != "" && peer.IsLoopback(from) && !peer.IsLoopback(to) {
			http.Error(w, "use localhost or an IP address", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ends returns the host that a request comes from and the one that it is for.
func ends(r *http.Request) (from, to string) {
	from, _, _ = net.SplitHostPort(r.RemoteAddr)
	return from, (&url.URL{Host: r.Host}).Hostname()
}

// readiness answers load balancers that ask whether to send requests here: they may while the free surfaces answer,
// whatever the ledger and the node do. Those are reported beside it, as they were last found.
type readiness struct {
	current  *current
	payments *payments
	stopping *atomic.Bool
}

// ServeHTTP implements http.Handler.
func (h *readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), ReadyTimeout)
	defer cancel()
	mirror, search := h.try(ctx)
	ready := mirror == nil && search == nil && !h.stopping.Load()
	report := map[string]any{"ready": ready, "stopping": h.stopping.Load(), "mirror": okOr(mirror), "search": okOr(search)}
	if h.payments != nil {
		last := h.payments.prober.last.Load()
		report["selling"] = last.state() == catalog.PaymentsLive
		report["ledger"], report["node"] = okOr(last.ledger), okOr(last.node)
	}
	w.Header().Set("Content-Type", "application/json")
	if !ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(report)
}

func okOr(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// try renders a file of the mirror, and finds an entry by its own id.
func (h *readiness) try(ctx context.Context) (mirror, search error) {
	now := h.current.p.Load()
	if _, ok := now.mirror.File(catalog.TrustJSONPath); !ok {
		mirror = fmt.Errorf("%s cannot be rendered", catalog.TrustJSONPath)
	}
	if entries := now.catalog.Entries(); len(entries) > 0 {
		found, err := now.search.Search(ctx, index.Query{Text: entries[0].ID, Limit: 1})
		if search = err; err == nil && found.Total == 0 {
			search = fmt.Errorf("search does not find %s", entries[0].ID)
		}
	}
	return mirror, search
}
