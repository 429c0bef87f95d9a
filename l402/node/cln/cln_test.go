package cln_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/cln"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
)

func TestLaw(t *testing.T) {
	f := newFake(t)
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: f.node(), Net: &chaincfg.RegressionNetParams, Now: f.Now,
		Break: func() {
			f.set(func() { f.override = status(http.StatusInternalServerError, `{"code":-1,"message":"no"}`) })
		},
		Mend:    func() { f.set(func() { f.override, f.now = nil, f.now.Add(time.Second) }) },
		Secrets: []string{f.rune},
	})
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); io.WriteString(w, body) }
}

func TestInvoiceRequest(t *testing.T) {
	f := newFake(t)
	if _, err := f.node().AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Fatal(err)
	}
	label, _ := f.body["label"].(string)
	want := map[string]any{"amount_msat": 100_000.0, "label": label, "description": "100 requests", "expiry": 900.0}
	if diff := cmp.Diff(want, f.body); diff != "" || !strings.HasPrefix(label, "almanac-") || len(label) < 30 {
		t.Errorf("label %q, request (-want +got):\n%s", label, diff)
	}
}

// TestClnrestFaults breaks one thing at a time, wants the fault told apart, and the next call to work once it is
// mended.
func TestClnrestFaults(t *testing.T) {
	override := func(h http.HandlerFunc) func(*fake) { return func(f *fake) { f.override = h } }
	refused := func(httpStatus, code int, message string) func(*fake) {
		return override(func(w http.ResponseWriter, _ *http.Request) { refuse(w, httpStatus, code, message) })
	}
	answers := func(name string, value any) func(*fake) {
		return func(f *fake) { f.answer = func(a map[string]any) { a[name] = value } }
	}
	invoice := func(edit func(*invoicertest.Terms)) func(*fake) { return func(f *fake) { f.terms = edit } }
	for _, tt := range []struct {
		name, reason, advice string
		edit                 func(*fake)
	}{
		{"another rune", node.ReasonCredentials, "createrune", func(f *fake) { f.rune = "another" }},
		{"a rune for getinfo only", node.ReasonCredentials, "createrune", func(f *fake) { f.methods = "getinfo" }},
		{"a rune for invoice only", "", "", func(f *fake) { f.methods = "invoice" }},
		{"no rune arrives", node.ReasonCredentials, "createrune", refused(http.StatusForbidden, 1501, "Not authorized: Missing rune")},
		{"no inbound capacity", node.ReasonRefused, "inbound", refused(http.StatusInternalServerError, 902, "None of those hints were suitable local channels")},
		{"a preimage used", node.ReasonRefused, "twice", refused(http.StatusInternalServerError, 901, "preimage already used")},
		{"a label taken twice", node.ReasonRefused, "label", refused(http.StatusInternalServerError, 900, "Duplicate label")},
		{"a failure", node.ReasonRefused, "its log", refused(http.StatusInternalServerError, -1, "something")},
		{"no such method", node.ReasonNotNode, "clnrest", refused(http.StatusNotFound, -32601, "Path not registered")},
		{"a page instead of an error", node.ReasonNotNode, "clnrest", override(status(http.StatusForbidden, "<html>"))},
		{"a proxy whose node is away", node.ReasonStarting, "in front", override(status(http.StatusBadGateway, "<html>"))},
		{"a page instead of an answer", node.ReasonGarbled, "understood", override(status(http.StatusOK, "<html>"))},
		{"a redirect", node.ReasonNotNode, "clnrest", override(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })},
		{"closes the connection", node.ReasonUnreachable, "broke", override(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{"an endless answer", node.ReasonGarbled, "524288", override(status(http.StatusCreated, strings.Repeat(" ", 1<<20)))},
		{"an empty answer", node.ReasonGarbled, "understood", override(status(http.StatusCreated, ""))},
		{"an empty object", node.ReasonGarbled, "understood", override(status(http.StatusCreated, "{}"))},
		{"no invoice", node.ReasonGarbled, "it has no invoice", answers("bolt11", "")},
		{"less than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats-- })},
		{"more than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats++ })},
		{"an expired invoice", node.ReasonWrongInvoice, "expired", invoice(func(t *invoicertest.Terms) { t.At = t.At.Add(-time.Hour) })},
		{"an invoice for a week", node.ReasonWrongInvoice, "longer", invoice(func(t *invoicertest.Terms) { t.Expiry = 7 * 24 * time.Hour })},
		{"an invoice of another network", node.ReasonWrongInvoice, "regtest", func(f *fake) { f.net = &chaincfg.MainNetParams }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			accepted := f.rune
			f.set(func() { tt.edit(f) })
			n := f.node()
			_, err := n.AddInvoice(t.Context(), invoicertest.Request())
			wantReason(t, f, err, tt.reason, tt.advice)
			f.set(func() { f.now = f.now.Add(4 * time.Second) })
			if tt.reason != "" {
				wantReason(t, f, n.Ready(t.Context()), tt.reason, "")
			} else {
				wantReason(t, f, n.Ready(t.Context()), node.ReasonCredentials, "getinfo")
			}
			f.set(func() {
				f.rune, f.methods, f.net, f.override, f.answer, f.terms = accepted, "invoice getinfo", &chaincfg.RegressionNetParams, nil, nil, nil
				f.now = f.now.Add(4 * time.Second)
			})
			if err := n.Ready(t.Context()); err != nil {
				t.Errorf("Ready when mended: %v", err)
			}
			if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
				t.Errorf("AddInvoice when mended: %v", err)
			}
		})
	}
}

func wantReason(t *testing.T, f *fake, err error, reason, advice string) {
	t.Helper()
	nodetest.Want(t, err, reason, advice, f.rune)
}

// TestLabelTaken: a request that arrives twice, because the connection broke in between, is made again under another
// label.
func TestLabelTaken(t *testing.T) {
	f := newFake(t)
	asked := 0
	f.invoice = func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			f.set(func() { f.invoice = nil })
		}
		refuse(w, http.StatusInternalServerError, 900, "Duplicate label")
	}
	if _, err := f.node().AddInvoice(t.Context(), invoicertest.Request()); err != nil || asked != 1 {
		t.Errorf("refused %d times: %v", asked, err)
	}
}

// TestGetinfo: getinfo names the network and says whether the node is syncing.
func TestGetinfo(t *testing.T) {
	for network, want := range map[string]string{"regtest": "", "bitcoin": "-cln-network says regtest", "testnet": "-cln-network says regtest", "": "understood"} {
		f := newFake(t)
		f.network = network
		if err := f.node().Ready(t.Context()); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("network %q: %v, want %q", network, err, want)
		}
	}
	for _, warning := range []string{"warning_bitcoind_sync", "warning_lightningd_sync"} {
		f := newFake(t)
		f.warnings = map[string]string{warning: "Bitcoind is not up-to-date with network."}
		wantReason(t, f, f.node().Ready(t.Context()), node.ReasonStarting, "syncing")
	}
	f := newFake(t)
	f.network, f.net = "bitcoin", &chaincfg.MainNetParams
	if err := f.node(func(c *node.Settings) { c.Network = "mainnet" }).Ready(t.Context()); err != nil {
		t.Errorf("mainnet: %v", err)
	}
}

// TestRuneRights: a node that tells preimages without a rune is refused; a rune that permits more than it needs is
// named in the log.
func TestRuneRights(t *testing.T) {
	f := newFake(t)
	var log bytes.Buffer
	logged := func(c *node.Settings) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) }
	if err := f.node(logged).Ready(t.Context()); err != nil || log.Len() > 0 {
		t.Errorf("%v; the log says %s", err, &log)
	}
	f.set(func() { f.methods += " listinvoices" })
	if err := f.node(logged).Ready(t.Context()); err != nil || !strings.Contains(log.String(), "more than it needs") {
		t.Errorf("%v; the log says %s", err, &log)
	}
	f.set(func() { f.open = true })
	err := f.node().Ready(t.Context())
	wantReason(t, f, err, node.ReasonReadable, "rune")
	if !errors.Is(err, node.ErrReadable) {
		t.Errorf("%v is not ErrReadable", err)
	}
}

// TestRuneIsRenewed: a new rune is read when the old one is refused, and on Reload.
func TestRuneIsRenewed(t *testing.T) {
	f := newFake(t)
	n := f.node()
	add := func() error { _, err := n.AddInvoice(t.Context(), invoicertest.Request()); return err }
	fresh := strings.Repeat("n", 44)
	f.write(f.runeFile, fresh)
	f.set(func() { f.rune = fresh })
	if err := add(); err != nil {
		t.Errorf("after the rune has changed: %v", err)
	}
	f.write(f.runeFile, strings.Repeat("m", 44))
	if err := n.Reload(); err != nil {
		t.Error(err)
	}
	f.set(func() { f.rune = strings.Repeat("m", 44) })
	f.write(f.runeFile, "")
	if err := add(); err != nil {
		t.Errorf("after Reload: %v", err)
	}
	if err := n.Reload(); err == nil {
		t.Error("Reload of an empty file")
	}
}

func TestClnrestConfig(t *testing.T) {
	f, other := newFake(t), t.TempDir()+"/other"
	f.write(other, "lightning-cli: unknown command")
	for _, tt := range []struct {
		name string
		edit func(*node.Settings)
		want string // "" means that it is accepted
	}{
		{"as it is", func(*node.Settings) {}, ""},
		{"no TLS", func(c *node.Settings) { c.Address = "http://localhost:3010" }, "https://"},
		{"no scheme", func(c *node.Settings) { c.Address = "localhost:3010" }, "like https://localhost:3010"},
		{"a query", func(c *node.Settings) { c.Address += "?x=y" }, "a host, a port"},
		{"no network", func(c *node.Settings) { c.Network = "bitcoin" }, "use one of mainnet"},
		{"no certificate", func(c *node.Settings) { c.CertFile = "nowhere" }, "certificate"},
		{"a rune for a certificate", func(c *node.Settings) { c.CertFile = c.SecretFile }, "ca.pem"},
		{"no rune", func(c *node.Settings) { c.SecretFile = "nowhere" }, "rune"},
		{"an error message for a rune", func(c *node.Settings) { c.SecretFile = other }, "createrune"},
	} {
		cfg := f.config()
		tt.edit(&cfg)
		if _, err := cln.New(cfg); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
