package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/ops"
)

// A service is the whole service over HTTP within the test, real but for the node, which is the demo's.
type service struct {
	t    *testing.T
	url  string
	snap *snapshot
	b    *builder
}

// newService wires the service as serve does, with the flags given.
func newService(t *testing.T, args ...string) *service {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	url := "http://" + srv.Listener.Addr().String()
	cfg := flagsOf(t, append([]string{"-http", srv.Listener.Addr().String(), "-base-url", url, "-state", t.TempDir()}, args...)...)
	log := slog.New(slog.DiscardHandler)
	site := cfg.site(cfg.http)
	problems := catalog.ProblemWriter{Site: site, Log: log}
	till, err := openTill(context.Background(), cfg, problems, ops.NewMetrics("test", time.Now), log)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{cfg: cfg, site: site, till: till, problems: problems, log: log}
	snap, err := b.load(till.state(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = snap.handler
	srv.Start()
	t.Cleanup(func() {
		srv.Close()
		snap.drop()
		if err := till.close(); err != nil {
			t.Error(err)
		}
	})
	return &service{t: t, url: url, snap: snap, b: b}
}

// flagsOf reads the flags of serve.
func flagsOf(t *testing.T, args ...string) *serveConfig {
	t.Helper()
	cmd := newCommand(io.Discard, "serve", "", "")
	var cfg serveConfig
	cfg.register(cmd.FlagSet)
	if err := cmd.FlagSet.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := cfg.check(); err != nil {
		t.Fatal(err)
	}
	return &cfg
}

// do sends a request and gives the answer with its body.
func (s *service) do(method, path, body string, header ...string) (*http.Response, []byte) {
	s.t.Helper()
	return ask(s.t, method, s.url+path, body, header...)
}

// ask sends a request whose headers are name, value, name, value …, again while the service is too busy for it, and gives the
// answer with its body.
func ask(t *testing.T, method, url, body string, header ...string) (res *http.Response, got []byte) {
	t.Helper()
	waitUntil(t, "the service has time for "+url, func() bool {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		if res, err = http.DefaultClient.Do(req); err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if got, err = io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
		return !tooBusy(res.StatusCode, got)
	})
	return res, got
}

// decode reads JSON into a T.
func decode[T any](t *testing.T, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// A challenge is the body of a 402.
type challenge struct {
	Code, Macaroon, Invoice string
	PaymentHash             string `json:"payment_hash"`
	PriceSats               int64  `json:"price_sats"`
	Credits                 int
	ValidDays               int `json:"valid_days"`
}

// buy gets a challenge, pays it at the demo node, and gives the Authorization value.
func (s *service) buy() string {
	s.t.Helper()
	res, body := s.do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		s.t.Fatalf("status %d, want 402: %s", res.StatusCode, body)
	}
	c := decode[challenge](s.t, body)
	order, err := json.Marshal(map[string]string{"invoice": c.Invoice})
	if err != nil {
		s.t.Fatal(err)
	}
	res, body = s.do(http.MethodPost, "/demo/pay", string(order), "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("demo/pay: status %d: %s", res.StatusCode, body)
	}
	paid := decode[struct{ Preimage string }](s.t, body)
	return "L402 " + c.Macaroon + ":" + paid.Preimage
}

// rpc sends a JSON-RPC request to the tool server and gives the answer.
func (s *service) rpc(method string, params any) []byte {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	res, got := s.do(http.MethodPost, "/mcp", string(body), "Content-Type", "application/json",
		"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25")
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: status %d: %s", method, res.StatusCode, got)
	}
	return got
}

// call calls a tool and gives its structured result.
func (s *service) call(tool string, args any) json.RawMessage {
	s.t.Helper()
	answer := decode[struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           json.RawMessage
		}
	}](s.t, s.rpc("tools/call", map[string]any{"name": tool, "arguments": args}))
	if answer.Result.IsError {
		s.t.Fatalf("%s: %s", tool, answer.Result.Content)
	}
	return answer.Result.StructuredContent
}
