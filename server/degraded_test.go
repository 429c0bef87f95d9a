package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/server/ops"
	"go.almanac.example/server/servertest"
)

// freePaths are one address of each free surface.
var freePaths = []string{"/", "/api/library/index.json", "/library/", catalog.SupportJSONPath, "/llms.txt"}

// TestSlowStart: a node and a database that take connections and never answer do not keep the free pages waiting.
func TestSlowStart(t *testing.T) {
	silent, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // whose connections the system accepts
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := testConfig(t)
	cfg.StartTimeout = 20 * time.Millisecond
	cfg.Payments.Backend, cfg.Payments.Ledger = BackendPhoenixd, "postgres://x@"+silent.Addr().String()+"/x?sslmode=disable"
	cfg.Payments.Node = node.Settings{Address: "http://" + silent.Addr().String(), SecretFile: password, Network: "regtest"}
	s, client := runService(t, cfg)
	if last := s.publisher.payments.prober.last.Load(); last.node != errNotProbed || last.ledger != errNotProbed {
		t.Errorf("the start waited for the node (%v) and the ledger (%v)", last.node, last.ledger)
	}
	for _, path := range freePaths {
		if res, _ := client.Do(http.MethodGet, path, ""); res.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
	if res, _ := client.Do(http.MethodGet, "/v1/search?q=macaroon", ""); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a search: status %d, want 503", res.StatusCode)
	}
}

// TestFreeWithoutLedger: a service whose ledger cannot be opened starts, serves everything that is free, is ready, and sells nothing;
// when the ledger can be opened it sells, without a restart.
func TestFreeWithoutLedger(t *testing.T) {
	cfg := testConfig(t)
	dir := filepath.Join(t.TempDir(), "disk") // not there yet
	cfg.Payments.Ledger = "sqlite:" + filepath.Join(dir, "ledger.db")
	s, client := runService(t, cfg)
	readyz := func() (status int, report map[string]any) {
		res, body := servertest.Ask(t, http.MethodGet, "http://"+s.listeners.admin.Addr().String()+"/readyz", "")
		if err := json.Unmarshal(body, &report); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, report
	}
	free := func() {
		t.Helper()
		for _, path := range freePaths {
			if res, _ := client.Do(http.MethodGet, path, ""); res.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d", path, res.StatusCode)
			}
		}
		client.Call("list_categories", map[string]any{})
		if _, published := client.Do(http.MethodGet, catalog.SupportJSONPath, ""); client.Resource("library://support") != string(published) {
			t.Error("over MCP, the support document is another than the published one")
		}
		if status, report := readyz(); status != http.StatusOK || report["ready"] != true {
			t.Errorf("readyz: status %d, %v", status, report)
		}
	}
	offered := func() bool {
		_, body := client.Do(http.MethodGet, catalog.SupportJSONPath, "")
		return strings.Contains(string(body), `"paid_api"`)
	}

	free()
	if offered() {
		t.Error("support.json offers what cannot be sold")
	}
	if _, report := readyz(); report["selling"] != false || report["node"] != "ok" || !strings.Contains(fmt.Sprint(report["ledger"]), "no such file") {
		t.Errorf("readyz reports %v", report)
	}
	if res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", ""); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("WWW-Authenticate") != "" || !strings.Contains(string(body), "ledger_unavailable") {
		t.Errorf("a search without a ledger: status %d, challenge %q: %s", res.StatusCode, res.Header.Get("WWW-Authenticate"), body)
	}

	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	servertest.WaitUntil(t, "the paid interface is offered", offered)
	free()
	if _, report := readyz(); report["selling"] != true || report["ledger"] != "ok" {
		t.Errorf("readyz reports %v", report)
	}
	if res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", client.Buy()); res.StatusCode != http.StatusOK {
		t.Errorf("a paid search: status %d: %s", res.StatusCode, body)
	}
}

// TestRemovedState: a service whose state directory is removed sells nothing and takes no credit until it is back, and
// the free surfaces go on.
func TestRemovedState(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	cfg := testConfig(t)
	s, client := runService(t, cfg)
	bought := client.Buy()
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(cfg.State, away); err != nil {
		t.Fatal(err)
	}
	report := func() string {
		_, body := servertest.Ask(t, http.MethodGet, "http://"+s.listeners.admin.Addr().String()+"/readyz", "")
		return string(body)
	}
	servertest.WaitUntil(t, "readyz tells that the ledger was removed", func() bool { return strings.Contains(report(), "was removed from") })
	for _, credential := range []string{"", bought} {
		res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
		if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "ledger_unavailable") {
			t.Errorf("with credential %t: status %d: %s", credential != "", res.StatusCode, body)
		}
	}
	if !strings.Contains(report(), `"ready":true`) {
		t.Errorf("the free surfaces are not ready: %s", report())
	}
	if err := os.Rename(away, cfg.State); err != nil {
		t.Fatal(err)
	}
	servertest.WaitUntil(t, "searches are sold again", func() bool { return strings.Contains(report(), `"selling":true`) })
	if res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", bought); res.StatusCode != http.StatusOK {
		t.Errorf("when it is back: status %d: %s", res.StatusCode, body)
	}
}

// A switchable is a node and a ledger that can be turned off.
type switchable struct {
	l402.Ledger
	nodeDown, ledgerDown atomic.Bool
	made                 atomic.Int64 // invoices
}

// newPaywall returns a paywall of the parts.
func newPaywall(t *testing.T, parts *switchable) *l402.Paywall {
	t.Helper()
	p, err := l402.New(t.Context(), l402.Config{Terms: l402.Terms{PriceSats: 1, Credits: 1, Validity: time.Hour}, Limits: l402.DefaultLimits(),
		Invoicer: switchableNode{parts}, Ledger: parts, Keys: l402.NewKeys(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Adopt takes any keys.
func (s *switchable) Adopt(context.Context, []l402.KeyID) error { return nil }

func (s *switchable) AddInvoice(context.Context, l402.InvoiceRequest) (l402.Invoice, error) {
	s.made.Add(1)
	return l402.Invoice{PaymentRequest: "lnbcrt1"}, nil
}

type switchableNode struct{ *switchable }

func (s switchableNode) Ready(context.Context) error { return fails(s.nodeDown.Load()) }

func (s *switchable) Ready(context.Context) error { return fails(s.ledgerDown.Load()) }

func fails(yes bool) error {
	if yes {
		return errors.New("down")
	}
	return nil
}

// TestProber: searches are sold exactly while the node and the ledger work, each change is announced once, and nobody waits
// for a node that is away.
func TestProber(t *testing.T) {
	var parts switchable
	p := newProber(newPaywall(t, &parts), ops.NewMetrics("test", time.Now), slog.New(slog.DiscardHandler))
	if p.last.Load().state() != catalog.PaymentsDown {
		t.Error("searches are sold before anything was probed")
	}
	for i, step := range []struct{ node, ledger, changes bool }{
		{true, true, true}, {true, true, false}, {false, true, true}, {false, false, false}, {true, false, false}, {true, true, true},
		{true, false, true}, {true, true, true},
	} {
		parts.nodeDown.Store(!step.node)
		parts.ledgerDown.Store(!step.ledger)
		p.probe(t.Context())
		want := catalog.PaymentsDown
		if step.node && step.ledger {
			want = catalog.PaymentsLive
		}
		if got := p.last.Load().state(); got != want {
			t.Errorf("step %d: state %v, want %v", i, got, want)
		}
		if changed := len(p.changed) == 1; changed != step.changes {
			t.Errorf("step %d: change announced %t, want %t", i, changed, step.changes)
		} else if changed {
			<-p.changed
		}
		made := parts.made.Load()
		if _, err := p.paywall.Challenge(t.Context(), netip.Addr{}, nil); (err == nil) != (want == catalog.PaymentsLive) {
			t.Errorf("step %d: a challenge: %v", i, err)
		} else if err != nil && parts.made.Load() > made {
			t.Errorf("step %d: the node was asked", i)
		}
	}
}

// TestLameDuck: after the end of its context the service still answers, and says that it is not ready.
func TestLameDuck(t *testing.T) {
	cfg := testConfig(t)
	cfg.LameDuck = time.Hour
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go s.Run(ctx)
	t.Cleanup(s.listeners.close)
	readyz := func() int {
		res, _ := servertest.Ask(t, http.MethodGet, "http://"+s.listeners.admin.Addr().String()+"/readyz", "")
		return res.StatusCode
	}
	if got := readyz(); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	stop()
	servertest.WaitUntil(t, "it is not ready", func() bool { return readyz() == http.StatusServiceUnavailable })
	client := &servertest.Client{T: t, URL: s.site.Base}
	for _, path := range freePaths {
		if res, _ := client.Do(http.MethodGet, path, ""); res.StatusCode != http.StatusOK || !res.Close {
			t.Errorf("%s: status %d; the connection ends: %t", path, res.StatusCode, res.Close)
		}
	}
}
