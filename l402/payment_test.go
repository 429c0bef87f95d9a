package l402_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node/demo"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/lightningnetwork/lnd/zpay32"
	"go.almanac.example/http402/bolt11"
)

// docs/cases.md, C32.
func TestInvoiceIsChecked(t *testing.T) {
	s := openShop(t)
	req := l402.InvoiceRequest{AmountSats: 100, Memo: "m", Expiry: 15 * time.Minute}
	add := func(req l402.InvoiceRequest) string {
		inv, err := s.node.Node.AddInvoice(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return inv.PaymentRequest
	}
	good := add(req)
	if _, err := l402.CheckInvoice(good, req, bolt11.Regtest, noon); err != nil {
		t.Fatalf("a good invoice: %v", err)
	}
	for name, tc := range map[string]struct {
		text string
		net  string
		now  time.Time
	}{
		"less":            {add(l402.InvoiceRequest{AmountSats: 99, Expiry: req.Expiry}), bolt11.Regtest, noon},
		"more":            {add(l402.InvoiceRequest{AmountSats: 101, Expiry: req.Expiry}), bolt11.Regtest, noon},
		"mainnet wanted":  {good, bolt11.Mainnet, noon},
		"testnet wanted":  {good, bolt11.Testnet, noon},
		"expired":         {good, bolt11.Regtest, noon.Add(time.Hour)},
		"open for a day":  {add(l402.InvoiceRequest{AmountSats: 100, Expiry: 24 * time.Hour}), bolt11.Regtest, noon},
		"not an invoice":  {"lnbcrt1", bolt11.Regtest, noon},
		"nothing":         {"", bolt11.Regtest, noon},
		"checksum broken": {good[:len(good)-1] + map[bool]string{true: "p", false: "q"}[strings.HasSuffix(good, "q")], bolt11.Regtest, noon},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := l402.CheckInvoice(tc.text, req, tc.net, tc.now); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestDemoLaw(t *testing.T) {
	clock := newClock()
	n := demo.New([32]byte{1}, clock.Now)
	req := l402.InvoiceRequest{AmountSats: 100, Memo: "100 requests", Expiry: l402.InvoiceExpiry}
	seen := map[lntypes.Hash]bool{}
	for range 20 {
		inv, err := n.AddInvoice(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l402.CheckInvoice(inv.PaymentRequest, req, bolt11.Regtest, clock.Now()); err != nil {
			t.Fatal(err)
		}
		if seen[inv.PaymentHash] {
			t.Fatal("a payment hash came twice")
		}
		seen[inv.PaymentHash] = true
		decoded, err := zpay32.Decode(inv.PaymentRequest, &chaincfg.RegressionNetParams)
		if err != nil || *decoded.Description != req.Memo {
			t.Fatalf("description: %v, %v", decoded, err)
		}
		// A restarted node, the same by its key, pays it; another does not.
		p, err := demo.New([32]byte{1}, clock.Now).Pay(inv.PaymentRequest)
		if err != nil || p.Hash() != inv.PaymentHash {
			t.Fatalf("pay after restart: %v", err)
		}
		if _, err := demo.New([32]byte{2}, clock.Now).Pay(inv.PaymentRequest); problem.FromError(err).Code != problem.InvoiceForeign {
			t.Fatalf("another node pays: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.AddInvoice(ctx, req); !errors.Is(err, l402.ErrNodeUnavailable) {
		t.Fatalf("after the context's end: %v", err)
	}
	if err := n.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}
