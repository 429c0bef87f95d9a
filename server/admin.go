package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"almanac/catalog"
	"almanac/index"
	"almanac/ops"
)

// ReadyTimeout is how long the service may take to say whether it is ready.
const ReadyTimeout = 3 * time.Second

// adminHandler serves the admin listener: /healthz while the process lives, /readyz while it is ready, /metrics for
// Prometheus, and /debug/pprof/ for go tool pprof.
func adminHandler(ready *readiness, metrics *ops.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", metrics.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
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
	mirror, search := h.tryMirror(ctx), h.trySearch(ctx)
	ready := mirror == nil && search == nil && !h.stopping.Load()
	report := map[string]any{"ready": ready, "stopping": h.stopping.Load(), "mirror": okOr(mirror), "search": okOr(search)}
	if h.payments != nil {
		last := h.payments.prober.last.Load()
		report["selling"] = last.state() == catalog.PaymentsLive
		report["ledger"], report["node"] = okOr(last.ledger), okOr(last.node)
	}
	body, err := json.Marshal(report)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	w.Write(append(body, '\n'))
}

func okOr(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// tryMirror asks for a file of the mirror.
func (h *readiness) tryMirror(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, catalog.SupportJSONPath, nil)
	if err != nil {
		return err
	}
	var res statusOnly
	h.current.ServeHTTP(&res, req)
	if res.status != http.StatusOK {
		return fmt.Errorf("%s answers %d", catalog.SupportJSONPath, res.status)
	}
	return nil
}

// trySearch finds an entry by its own id.
func (h *readiness) trySearch(ctx context.Context) error {
	now := h.current.acquire()
	defer now.release()
	entries := now.catalog.Entries()
	if len(entries) == 0 {
		return nil
	}
	res, err := now.search.Search(ctx, index.Query{Text: entries[0].ID, Limit: 1})
	if err == nil && res.Total == 0 {
		err = fmt.Errorf("search does not find %s", entries[0].ID)
	}
	return err
}

// statusOnly is a response of which only the status counts.
type statusOnly struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (s *statusOnly) Header() http.Header {
	if s.header == nil {
		s.header = make(http.Header)
	}
	return s.header
}

// WriteHeader implements http.ResponseWriter.
func (s *statusOnly) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
}

// Write implements http.ResponseWriter.
func (s *statusOnly) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return len(b), nil
}
