package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/catalog"
	"almanac/index"
)

// readyTimeout is how long a part may take to say that it is ready.
const readyTimeout = 3 * time.Second

// adminHandler answers the operator: /healthz while the process lives, /readyz while it can do
// its work, and /metrics for Prometheus.
func (s *server) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", s.metrics.Handler())
	return mux
}

// readyz tries each part for real. A node that is down does not make the service unready: what
// is free stays free, and credits already bought are served.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	parts := map[string]string{"search": told(s.trySearch(ctx))}
	status := http.StatusOK
	if s.till != nil {
		parts["ledger"] = told(s.till.ledger.Ready(ctx))
	}
	for _, state := range parts {
		if state != "ok" {
			status = http.StatusServiceUnavailable
		}
	}
	if s.till != nil {
		parts["node"] = told(s.till.node.Ready(ctx))
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

func told(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// trySearch finds an entry by its own id.
func (s *server) trySearch(ctx context.Context) error {
	now := s.now.take()
	defer now.drop()
	entries := now.cat.Entries()
	if len(entries) == 0 {
		return nil
	}
	res, err := now.search.Search(ctx, index.Query{Text: entries[0].ID, Limit: 1})
	if err == nil && res.Total == 0 {
		err = fmt.Errorf("search does not find %s", entries[0].ID)
	}
	return err
}

// healthCommand asks a running service whether it is ready, for containers without a shell.
func healthCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "health", "almanac health [flags]", "ask a running service whether it is ready")
	addr := cmd.FlagSet.String("admin", "localhost:8404", "`address` of the operator's listener")
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 2*readyTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+localName(*addr)+"/readyz", nil)
		if err != nil {
			return usageError(fmt.Sprintf("-admin %q is not host:port", *addr))
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return fmt.Errorf("ask the service: %w; is it running, and is this its -admin address?", err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(stdout, io.LimitReader(res.Body, 64<<10)); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("the service is not ready: %s", res.Status)
		}
		return nil
	}
	return cmd
}

// paymentsText says in words how payments stand.
func paymentsText(p catalog.Payments) string {
	return [...]string{"off", "configured, the node does not answer", "live"}[p]
}
