package lnd_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/lnd"
	"go.almanac.example/l402/node/lnd/simnet"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
)

// TestReal is everything that the fake claims, at a real lnd.
func TestReal(t *testing.T) {
	begin := time.Now()
	net := simnet.Start(t)
	t.Logf("network ready after %s", time.Since(begin).Round(time.Millisecond))
	r := &real{net: net}
	t.Run("pay", r.testPay)
	t.Run("faults", r.testFaults)
	t.Run("hints", r.testHints)
	t.Run("law", r.testLaw)
	t.Run("restart", r.testRestart)
	t.Run("expiry", r.testExpiry)
}

type real struct{ net *simnet.Network }

func (r *real) node(t *testing.T, edit ...func(*node.Settings)) *lnd.Node {
	t.Helper()
	m := r.net.Merchant
	// A loaded machine must not look like a broken node.
	cfg := node.Settings{Address: m.URL, CertFile: m.CertFile, SecretFile: m.MacaroonFile, Network: m.Network, Timeout: 30 * time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	for _, e := range edit {
		e(&cfg)
	}
	n, err := lnd.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// testHints: the merchant's channel is announced, which a macaroon that may list channels shows.
func (r *real) testHints(t *testing.T) {
	both := r.net.Bake("/lnrpc.Lightning/AddInvoice", "/lnrpc.Lightning/ListChannels")
	for file, want := range map[string]bool{both: true, r.net.Merchant.MacaroonFile: false} {
		var log bytes.Buffer
		n := r.node(t, func(c *node.Settings) {
			c.SecretFile, c.Log = file, slog.New(slog.NewTextHandler(&log, nil))
		})
		if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "has announced channels"); got != want || strings.Contains(log.String(), "more than it needs") {
			t.Errorf("saw an announced channel: %t, want %t; the log: %s", got, want, &log)
		}
	}
}

func (r *real) testPay(t *testing.T) {
	inv, err := r.node(t).AddInvoice(t.Context(), invoicertest.Request())
	if err != nil {
		t.Fatal(err)
	}
	r.wantState(t, inv, "OPEN")
	begin := time.Now()
	preimage, err := r.net.Pay(t.Context(), inv.PaymentRequest)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("paid in %s", time.Since(begin).Round(time.Millisecond))
	p, err := lntypes.MakePreimageFromStr(preimage)
	if err != nil {
		t.Fatal(err)
	}
	if p.Hash() != inv.PaymentHash {
		t.Errorf("preimage hashes to %s, want %s", p.Hash(), inv.PaymentHash)
	}
	r.wantState(t, inv, "SETTLED")
}

func (r *real) wantState(t *testing.T, inv l402.Invoice, want string) {
	t.Helper()
	if got, err := r.net.InvoiceState(t.Context(), inv.PaymentHash.String()); err != nil || got != want {
		t.Errorf("invoice is %s (%v), want %s", got, err, want)
	}
}

// testFaults sets one thing wrong at a time.
func (r *real) testFaults(t *testing.T) {
	lookup := r.net.Bake("/lnrpc.Lightning/LookupInvoice")
	rpc, _, _ := r.net.MerchantHost()
	for _, test := range []struct {
		name    string
		edit    func(*node.Settings)
		reasons string
	}{
		{"macaroon that may not", func(c *node.Settings) { c.SecretFile = lookup }, lnd.ReasonCredentials},
		{"macaroon of another node", func(c *node.Settings) { c.SecretFile = r.net.PayerMacaroonFile() }, lnd.ReasonCredentials},
		{"certificate of another node", func(c *node.Settings) { c.CertFile = r.net.PayerCertFile() }, lnd.ReasonTLS},
		{"gRPC port", func(c *node.Settings) { c.Address = "https://" + rpc }, lnd.ReasonUnreachable + " " + lnd.ReasonNotNode},
		{"another network", func(c *node.Settings) { c.Network = "mainnet" }, lnd.ReasonWrongInvoice},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := r.node(t, test.edit)
			for name, err := range map[string]error{"AddInvoice": errOf(n.AddInvoice(t.Context(), invoicertest.Request())), "Ready": n.Ready(t.Context())} {
				var fault *lnd.Error
				if !errors.As(err, &fault) || !strings.Contains(test.reasons, fault.Reason) {
					t.Errorf("%s: %v, want reason %s", name, err, test.reasons)
				}
			}
		})
	}
	t.Run("a macaroon for AddInvoice cannot look up", func(t *testing.T) {
		n := r.node(t)
		if err := n.Ready(t.Context()); err != nil {
			t.Errorf("Ready: %v", err)
		}
		if state, err := r.net.InvoiceStateAs(t.Context(), r.net.Merchant.MacaroonFile, strings.Repeat("00", 32)); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("looking up an invoice gave %s, %v; want permission denied", state, err)
		}
	})
}

func errOf(_ l402.Invoice, err error) error { return err }

func (r *real) testLaw(t *testing.T) {
	raw, err := os.ReadFile(r.net.Merchant.MacaroonFile)
	if err != nil {
		t.Fatal(err)
	}
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: r.node(t), Net: &chaincfg.SimNetParams,
		Break: r.net.StopMerchant, Mend: r.net.StartMerchant,
		Secrets: []string{hex.EncodeToString(raw)},
	})
}

// testRestart asks without pause while the node stops and starts. Whatever it says meanwhile must be a fault of the
// node, and a reason that fits; afterwards the same client has invoices again.
func (r *real) testRestart(t *testing.T) {
	n := r.node(t)
	stop, done := make(chan struct{}), make(chan map[string]int)
	go func() {
		seen := map[string]int{}
		defer func() { done <- seen }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			// Another client each time, for a fault is believed for a second.
			_, err := r.node(t, func(c *node.Settings) { c.Timeout = 2 * time.Second }).AddInvoice(t.Context(), invoicertest.Request())
			var fault *lnd.Error
			switch {
			case err == nil:
				seen["invoice"]++
			case errors.As(err, &fault):
				seen[fault.Reason]++
				switch fault.Reason {
				case lnd.ReasonTLS, lnd.ReasonNotNode, lnd.ReasonCredentials, lnd.ReasonGarbled, lnd.ReasonWrongInvoice:
					t.Errorf("while it restarts: %v", err)
				case lnd.ReasonRefused: // in words that fault.go does not know
					t.Logf("while it restarts: %v", err)
				}
			default:
				t.Errorf("while it restarts: %v", err)
			}
		}
	}()
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Error(err)
	}
	begin := time.Now()
	r.net.StopMerchant()
	stopped := time.Now()
	r.net.StartMerchant()
	t.Logf("stopped in %s, can be paid again after %s", stopped.Sub(begin).Round(time.Millisecond), time.Since(stopped).Round(time.Millisecond))
	close(stop)
	t.Logf("answers meanwhile: %v", <-done)

	inv, err := n.AddInvoice(t.Context(), invoicertest.Request())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.net.Pay(t.Context(), inv.PaymentRequest); err != nil {
		t.Fatal(err)
	}
}

// testExpiry sees what README.md promises of gc-canceled-invoices-on-the-fly, with which the merchant runs.
func (r *real) testExpiry(t *testing.T) {
	req := invoicertest.Request()
	req.Expiry = 3 * time.Second // BOLT 11 cuts the beginning down to a second
	inv, err := r.node(t).AddInvoice(t.Context(), req)
	for err != nil && req.Expiry < time.Minute { // a busy machine may have it only after its end
		req.Expiry *= 2
		inv, err = r.node(t).AddInvoice(t.Context(), req)
	}
	if err != nil {
		t.Fatal(err)
	}
	var state string
	if !parttest.Within(req.Expiry+5*time.Minute, func() bool {
		state, err = r.net.InvoiceState(t.Context(), inv.PaymentHash.String())
		return err != nil && strings.Contains(err.Error(), "unable to locate invoice")
	}) {
		t.Fatalf("five minutes after its end the invoice is %s (%v), want it gone", state, err)
	}
	if _, err := r.net.Pay(t.Context(), inv.PaymentRequest); err == nil {
		t.Error("paid an invoice after its end")
	}
}
