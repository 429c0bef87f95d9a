package nwc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"
	"go.almanac.example/l402/node/nwc"
	"go.almanac.example/l402/node/nwc/nip47test"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
	"github.com/nbd-wtf/go-nostr"
)

func TestLaw(t *testing.T) {
	t.Parallel()
	for name, withNIP44 := range map[string]bool{"NIP-44": true, "NIP-04": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, withNIP44)
			f.now = time.Time{}
			invoicertest.Test(t, invoicertest.Subject{
				Invoicer: f.node(), Net: &chaincfg.RegressionNetParams, Now: f.Now,
				Break:   func() { f.relay.SetAway(true) },
				Mend:    func() { f.relay.SetAway(false) },
				Secrets: []string{f.wallet.Secret()},
			})
		})
	}
}

func add(t *testing.T, n *node.Node) error {
	t.Helper()
	_, err := n.AddInvoice(t.Context(), invoicertest.Request())
	return err
}

func wantReason(t *testing.T, f *fake, err error, reason, advice string) {
	t.Helper()
	nodetest.Want(t, err, reason, advice, f.wallet.Secret())
}

func TestMakeInvoiceRequest(t *testing.T) {
	f := newFake(t, true)
	if err := add(t, f.node()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"amount": 100_000.0, "description": "100 requests", "expiry": 900.0}, f.params); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
	for _, e := range f.relay.Events() {
		if e.Kind != nostr.KindNWCWalletInfo && strings.Contains(e.Content, "lnbcrt") || e.Kind != nostr.KindNWCWalletInfo && strings.Contains(e.Content, "make_invoice") {
			t.Errorf("the relay can read %s", e.Content)
		}
	}
}

// TestWalletFaults breaks one thing at a time, wants the fault told apart, and the next call to work once it is mended.
func TestWalletFaults(t *testing.T) {
	fault := func(code string) func(*fake) { return func(f *fake) { f.fault = code } }
	raw := func(v any) func(*fake) { return func(f *fake) { f.answer = func(map[string]any) any { return v } } }
	answers := func(name string, value any) func(*fake) {
		return func(f *fake) { f.answer = func(result map[string]any) any { result[name] = value; return result } }
	}
	invoice := func(edit func(*invoicertest.Terms)) func(*fake) { return func(f *fake) { f.terms = edit } }
	for _, tt := range []struct {
		name, reason, advice string
		edit                 func(*fake)
	}{
		{"unauthorized", node.ReasonCredentials, "-nwc-connection", fault("UNAUTHORIZED")},
		{"restricted", node.ReasonCredentials, "-nwc-connection", fault("RESTRICTED")},
		{"rate limited", node.ReasonBusy, "limit", fault("RATE_LIMITED")},
		{"quota exceeded", node.ReasonBusy, "limit", fault("QUOTA_EXCEEDED")},
		{"not implemented", node.ReasonRefused, "another wallet", fault("NOT_IMPLEMENTED")},
		{"internal", node.ReasonRefused, "its log", fault("INTERNAL")},
		{"unknown code", node.ReasonRefused, "its log", fault("SOMETHING_NEW")},
		{"no result", node.ReasonGarbled, "NIP-47", raw(nil)},
		{"a text", node.ReasonGarbled, "NIP-47", raw("lnbcrt1")},
		{"an empty object", node.ReasonGarbled, "NIP-47", raw(map[string]any{})},
		{"other types", node.ReasonGarbled, "NIP-47", raw(map[string]any{"invoice": 5, "payment_hash": []int{}})},
		{"no invoice", node.ReasonGarbled, "it has no invoice", answers("invoice", "")},
		{"less than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats-- })},
		{"a hundred millisatoshis", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats /= 1000 })},
		{"an expired invoice", node.ReasonWrongInvoice, "expired", invoice(func(t *invoicertest.Terms) { t.At = t.At.Add(-time.Hour) })},
		{"an invoice for a quarter", node.ReasonWrongInvoice, "longer", invoice(func(t *invoicertest.Terms) { t.Expiry = 90 * 24 * time.Hour })},
		{"an invoice of another network", node.ReasonWrongInvoice, "regtest", func(f *fake) { f.net = &chaincfg.MainNetParams }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, true)
			f.set(func() { tt.edit(f) })
			n := f.node()
			wantReason(t, f, add(t, n), tt.reason, tt.advice)
			f.set(func() { f.now = f.now.Add(4 * time.Second) })
			wantReason(t, f, n.Ready(t.Context()), tt.reason, "")
			f.set(func() {
				f.fault, f.net, f.answer, f.terms, f.now = "", &chaincfg.RegressionNetParams, nil, nil, f.now.Add(4*time.Second)
			})
			if err := n.Ready(t.Context()); err != nil {
				t.Errorf("Ready when mended: %v", err)
			}
			if err := add(t, n); err != nil {
				t.Errorf("AddInvoice when mended: %v", err)
			}
		})
	}
}

// TestAnswerToAnotherMethod: what a wallet answers to something else is no invoice.
func TestAnswerToAnotherMethod(t *testing.T) {
	f := newFake(t, true)
	f.wallet.Handle(func(method string, raw json.RawMessage) map[string]any {
		answer := f.handle(method, raw)
		answer["result_type"] = "lookup_invoice"
		return answer
	})
	wantReason(t, f, add(t, f.node()), node.ReasonGarbled, "lookup_invoice")
}

// TestStrangersAtWallet: a wallet that answers everybody is refused; one that refuses strangers, or answers its own
// client alone, is not. What the connection itself can do is said in the log.
func TestStrangersAtWallet(t *testing.T) {
	f := newFake(t, true)
	f.wallet.HandleStrangers(func(string, json.RawMessage) map[string]any { return nip47test.Fault("UNAUTHORIZED") })
	wantReason(t, f, f.node(func(c *config) { c.silence = time.Minute }).Ready(t.Context()), "", "")

	f.set(func() {
		f.other = func(method string) map[string]any {
			if method == "get_info" {
				return map[string]any{"result": map[string]any{"methods": []string{"make_invoice", "pay_invoice"}, "network": "regtest"}}
			}
			all := make([]string, 0, len(f.preimage))
			for _, preimage := range f.preimage {
				all = append(all, preimage)
			}
			return map[string]any{"result": map[string]any{"preimage": strings.Join(all, " ")}}
		}
	})
	var log bytes.Buffer
	err := f.node(func(c *config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) }).Ready(t.Context())
	wantReason(t, f, err, "", "")
	for _, want := range []string{"as safe as the key file", "can spend money"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, &log)
		}
	}

	f.wallet.HandleStrangers(f.tell)
	err = f.node(func(c *config) { c.silence = time.Minute }).Ready(t.Context())
	wantReason(t, f, err, node.ReasonReadable, "preimage")
	if !errors.Is(err, node.ErrReadable) {
		t.Errorf("%v is not ErrReadable", err)
	}
}

// TestConnectionIsRenewed: another connection is read when the wallet refuses the old one, and on Reload.
func TestConnectionIsRenewed(t *testing.T) {
	f, other := newFake(t, true), newFake(t, true)
	n := f.node()
	if err := add(t, n); err != nil {
		t.Fatal(err)
	}
	f.write(other.wallet.URI())
	if err := add(t, n); err != nil || other.count("make_invoice") != 0 {
		t.Errorf("the other wallet was asked %d times before it had to be: %v", other.count("make_invoice"), err)
	}
	f.set(func() { f.fault = "UNAUTHORIZED" })
	if err := add(t, n); err != nil || other.count("make_invoice") != 1 {
		t.Errorf("the other wallet was asked %d times: %v", other.count("make_invoice"), err)
	}
	f.set(func() { f.fault = "" })
	f.write(f.wallet.URI())
	before := f.count("make_invoice")
	if err := n.Reload(); err != nil {
		t.Error(err)
	}
	if err := add(t, n); err != nil || f.count("make_invoice") != before+1 {
		t.Errorf("after Reload: %v", err)
	}
	f.write("nothing")
	if err := n.Reload(); err == nil || strings.Contains(err.Error(), f.wallet.Secret()) {
		t.Errorf("Reload of what is no connection: %v", err)
	}
	if err := add(t, n); err != nil {
		t.Errorf("with a bad file: %v", err)
	}
}

func TestNWCConfig(t *testing.T) {
	f := newFake(t, true)
	uri := f.wallet.URI()
	for _, tt := range []struct{ name, content, file, network, want string }{
		{"as it is", uri, f.file, "regtest", ""},
		{"no network", uri, f.file, "moon", "use one of mainnet"},
		{"no file", uri, "nowhere", "regtest", "-nwc-connection"},
		{"an empty file", "", f.file, "regtest", "one line"},
		{"the connection itself", uri, uri, "regtest", "path of a file"},
		{"no relay", strings.ReplaceAll(uri, "relay=", "x="), f.file, "regtest", "no relay"},
		{"two lines", uri + "\n" + uri, f.file, "regtest", "one line"},
	} {
		f.write(tt.content)
		_, err := nwc.New(node.Settings{SecretFile: tt.file, Network: tt.network, Log: slog.New(slog.DiscardHandler)})
		if tt.want == "" && err != nil || tt.want != "" && !strings.Contains(fmt.Sprint(err), tt.want) || strings.Contains(fmt.Sprint(err), f.wallet.Secret()) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestNetworkNames: wallets name the network as their nodes do.
func TestNetworkNames(t *testing.T) {
	for name, network := range map[string]string{"bitcoin": "mainnet", "Mainnet": "mainnet", "testnet4": "testnet", "regtest": "regtest"} {
		f := newFake(t, true)
		f.other = func(string) map[string]any {
			return map[string]any{"result": map[string]any{"network": name, "methods": []string{"make_invoice"}}}
		}
		f.net = map[string]*chaincfg.Params{"mainnet": &chaincfg.MainNetParams, "testnet": &chaincfg.TestNet3Params, "regtest": &chaincfg.RegressionNetParams}[network]
		n := f.node(func(c *config) { c.Network = network })
		for range 2 { // the first makes an invoice, the second asks the wallet
			if err := n.Ready(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			f.set(func() { f.now = f.now.Add(time.Minute) })
		}
		if err := f.node(func(c *config) { c.Network = "signet" }).Ready(t.Context()); err == nil {
			t.Errorf("%s: ready on signet", name)
		}
	}
}

// TestBareAnswer: of the members of an answer, the invoice is enough (NIP-47 makes none of the others sure), and the wallet
// may have chosen its end.
func TestBareAnswer(t *testing.T) {
	f := newFake(t, true)
	f.answer = func(result map[string]any) any { return map[string]any{"invoice": result["invoice"]} }
	f.terms = func(t *invoicertest.Terms) { t.Expiry = 30 * 24 * time.Hour }
	if err := add(t, f.node()); err != nil {
		t.Error(err)
	}
}

// TestRelayThatDemandsToKnow: a relay that answers nobody who has not said who asks (NIP-42) is told, for each of the
// secrets that ask over one connection, whether its challenge comes first or its refusal.
func TestRelayThatDemandsToKnow(t *testing.T) {
	for _, withNIP44 := range []bool{true, false} {
		f := newFake(t, withNIP44)
		f.relay.Demands.Store(true)
		f.relay.Late.Store(withNIP44)
		n := f.node()
		for range 2 {
			if err := add(t, n); err != nil {
				t.Fatal(err)
			}
		}
		f.relay.Refuse("restricted: not for you")
		wantReason(t, f, add(t, n), node.ReasonUnreachable, "restricted")
	}
}
