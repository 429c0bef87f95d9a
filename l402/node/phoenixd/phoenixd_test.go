package phoenixd_test

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
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"
	"go.almanac.example/l402/node/phoenixd"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
)

func TestLaw(t *testing.T) {
	f := newFake(t)
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: f.node(), Net: &chaincfg.SigNetParams, Now: f.Now,
		Break:   func() { f.set(func() { f.override = answer(http.StatusInternalServerError, "no") }) },
		Mend:    func() { f.set(func() { f.override, f.now = nil, f.now.Add(time.Second) }) },
		Secrets: []string{f.password},
	})
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); io.WriteString(w, body) }
}

func TestCreateInvoiceRequest(t *testing.T) {
	f := newFake(t)
	if _, err := f.node().AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"amountSat": "100", "description": "100 requests", "expirySeconds": "900"}, f.form); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
}

// TestPhoenixdFaults breaks one thing at a time, wants the fault told apart, and the next call to work once it is
// mended.
func TestPhoenixdFaults(t *testing.T) {
	override := func(h http.HandlerFunc) func(*fake) { return func(f *fake) { f.override = h } }
	answers := func(edit func(*created)) func(*fake) {
		return func(f *fake) { f.answer = func(c created) any { edit(&c); return c } }
	}
	raw := func(v any) func(*fake) { return func(f *fake) { f.answer = func(created) any { return v } } }
	invoice := func(edit func(*invoicertest.Terms)) func(*fake) { return func(f *fake) { f.terms = edit } }
	page := "<!DOCTYPE html><html><body>down</body></html>"
	for _, tt := range []struct {
		name, reason, advice string
		edit                 func(*fake)
	}{
		{"another password", node.ReasonCredentials, "http-password-limited-access", func(f *fake) { f.password = "another" }},
		{"no right", node.ReasonCredentials, "http-password-limited-access", override(answer(http.StatusForbidden, "no"))},
		{"bad request", node.ReasonRefused, "too long", override(answer(http.StatusBadRequest, "Request parameter description is too long"))},
		{"server error", node.ReasonRefused, "its log", override(answer(http.StatusInternalServerError, ""))},
		{"a proxy's error page", node.ReasonStarting, "in front", override(answer(http.StatusBadGateway, page))},
		{"a page instead of an error", node.ReasonNotNode, "9740", override(answer(http.StatusNotFound, page))},
		{"a page instead of an answer", node.ReasonGarbled, "understood", override(answer(http.StatusOK, page))},
		{"a redirect", node.ReasonNotNode, "9740", override(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })},
		{"created", node.ReasonNotNode, "9740", override(answer(http.StatusCreated, "{}"))},
		{"closes the connection", node.ReasonUnreachable, "broke", override(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{"half an answer", node.ReasonUnreachable, "broke", override(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			io.WriteString(w, "{")
		})},
		{"an endless answer", node.ReasonGarbled, "524288", override(answer(http.StatusOK, strings.Repeat(" ", 1<<20)))},
		{"an empty answer", node.ReasonGarbled, "understood", override(answer(http.StatusOK, ""))},
		{"an empty object", node.ReasonGarbled, "understood", raw(map[string]any{})},
		{"other types", node.ReasonGarbled, "understood", raw(map[string]any{"paymentHash": 5, "serialized": []int{}})},
		{"no invoice", node.ReasonGarbled, "it has no invoice", answers(func(c *created) { c.Serialized = "" })},
		{"less than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats-- })},
		{"more than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats++ })},
		{"an expired invoice", node.ReasonWrongInvoice, "expired", invoice(func(t *invoicertest.Terms) { t.At = t.At.Add(-time.Hour) })},
		{"an invoice for a week", node.ReasonWrongInvoice, "longer", invoice(func(t *invoicertest.Terms) { t.Expiry = 7 * 24 * time.Hour })},
		{"an invoice of another network", node.ReasonWrongInvoice, "signet", func(f *fake) { f.net = &chaincfg.MainNetParams }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			password := f.password
			f.set(func() { tt.edit(f) })
			n := f.node()
			_, err := n.AddInvoice(t.Context(), invoicertest.Request())
			wantReason(t, f, err, tt.reason, tt.advice)
			f.set(func() { f.now = f.now.Add(4 * time.Second) })
			wantReason(t, f, n.Ready(t.Context()), tt.reason, "")
			f.set(func() {
				f.password, f.net, f.override, f.answer, f.terms, f.now = password, &chaincfg.SigNetParams, nil, nil, nil, f.now.Add(4*time.Second)
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
	nodetest.Want(t, err, reason, advice, f.password)
}

// TestChain: getinfo names the network, and so no invoice is needed to find that it is another.
func TestChain(t *testing.T) {
	for chain, network := range map[string]string{"mainnet": "mainnet", "testnet": "testnet", "testnet3": "testnet", "testnet4": "testnet", "signet": "signet", "regtest": "regtest"} {
		for configured, params := range map[string]*chaincfg.Params{"mainnet": &chaincfg.MainNetParams, "testnet": &chaincfg.TestNet3Params,
			"signet": &chaincfg.SigNetParams, "simnet": &chaincfg.SimNetParams, "regtest": &chaincfg.RegressionNetParams} {
			f := newFake(t)
			f.chain, f.net = chain, params
			err := f.node(func(c *node.Settings) { c.Network = configured }).Ready(t.Context())
			if configured == network && err != nil || configured != network && (err == nil || f.created > 0 || !strings.Contains(err.Error(), "-phoenixd-network says "+configured)) {
				t.Errorf("chain %s, configured %s: %v", chain, configured, err)
			}
		}
	}
}

// TestPasswordReadsPreimages: a phoenixd whose payments can be read without its password is refused; that the password
// shows them is said.
func TestPasswordReadsPreimages(t *testing.T) {
	f := newFake(t)
	var log bytes.Buffer
	n := f.node(func(c *node.Settings) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	if err := n.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "as safe as the key file") {
		t.Errorf("the log does not say what the password can do: %s", &log)
	}
	f.set(func() { f.open = true })
	err := f.node().Ready(t.Context())
	wantReason(t, f, err, node.ReasonReadable, "password")
	if !errors.Is(err, node.ErrReadable) {
		t.Errorf("%v is not ErrReadable", err)
	}
}

// TestPasswordIsRenewed: a new password is read when the old one is refused, and on Reload; a file that is being
// replaced leaves the old one in force.
func TestPasswordIsRenewed(t *testing.T) {
	f := newFake(t)
	n := f.node()
	add := func() error { _, err := n.AddInvoice(t.Context(), invoicertest.Request()); return err }
	f.writePassword("new")
	f.set(func() { f.password = "new" })
	if err := add(); err != nil {
		t.Errorf("after the password has changed: %v", err)
	}
	f.writePassword("")
	if err := add(); err != nil {
		t.Errorf("with an empty file: %v", err)
	}
	if err := n.Reload(); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("Reload of an empty file: %v", err)
	}
	f.writePassword("newer")
	if err := n.Reload(); err != nil {
		t.Error(err)
	}
	f.writePassword("")
	f.set(func() { f.password = "newer" })
	if err := add(); err != nil {
		t.Errorf("after Reload: %v", err)
	}
}

func TestPhoenixdConfig(t *testing.T) {
	f := newFake(t)
	for _, tt := range []struct {
		name string
		edit func(*node.Settings)
		want string // "" means that it is accepted
	}{
		{"as it is", func(*node.Settings) {}, ""},
		{"a container", func(c *node.Settings) { c.Address = "http://phoenixd:9740" }, ""},
		{"a private network", func(c *node.Settings) { c.Address = "http://10.1.2.3:9740" }, ""},
		{"elsewhere with TLS", func(c *node.Settings) { c.Address = "https://node.example" }, ""},
		{"elsewhere without TLS", func(c *node.Settings) { c.Address = "http://node.example:9740" }, "https://"},
		{"a public address without TLS", func(c *node.Settings) { c.Address = "http://192.0.2.1:9740" }, "https://"},
		{"no scheme", func(c *node.Settings) { c.Address = "localhost:9740" }, "like http://localhost:9740"},
		{"a password in the address", func(c *node.Settings) { c.Address = "http://:hunter2@localhost:9740" }, "a host, a port"},
		{"no network", func(c *node.Settings) { c.Network = "" }, "use one of mainnet"},
		{"no file", func(c *node.Settings) { c.SecretFile = "nowhere" }, "password"},
	} {
		cfg := f.config()
		tt.edit(&cfg)
		if _, err := phoenixd.New(cfg); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(fmt.Sprint(err), tt.want) || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
