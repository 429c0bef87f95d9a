package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"almanac/index"
	"almanac/ops"
)

// ReadyTimeout is how long a part may take to show that it is ready.
const ReadyTimeout = 3 * time.Second

// operatorHandler answers the operator: /healthz while the process lives, /readyz while it can do its work, and /metrics for
// Prometheus.
func operatorHandler(c *current, p *payments, metrics *ops.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.Handle("GET /readyz", &readiness{c, p})
	mux.Handle("GET /metrics", metrics.Handler())
	return mux
}

// readiness tries each part for real. A node that is down does not make the service unready: what is free stays free, and credits
// already bought are served.
type readiness struct {
	current  *current
	payments *payments
}

// ServeHTTP implements http.Handler.
func (h *readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), ReadyTimeout)
	defer cancel()
	parts := map[string]string{"search": stateText(h.trySearch(ctx))}
	status := http.StatusOK
	if h.payments != nil {
		parts["ledger"] = stateText(h.payments.ledger.Ready(ctx))
	}
	for _, state := range parts {
		if state != "ok" {
			status = http.StatusServiceUnavailable
		}
	}
	if h.payments != nil {
		parts["node"] = stateText(h.payments.node.Ready(ctx))
	}
	body, err := json.Marshal(parts)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

func stateText(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
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
