package l402_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node/demo"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/lightningnetwork/lnd/zpay32"
)

// docs/contract.md, "Cases", C24.
func TestPreimageOfAnotherInvoice(t *testing.T) {
	s := openShop(t)
	a, b := s.buy(), s.buy()
	tip, err := s.node.Node.AddInvoice(t.Context(), l402.InvoiceRequest{AmountSats: 1, Memo: "a tip", Expiry: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	tipped, err := s.node.Pay(tip.PaymentRequest)
	if err != nil {
		t.Fatal(err)
	}
	twice := sha256.Sum256(a.preimage[:])
	for name, p := range map[string]string{
		"of another invoice": b.preimage.String(),
		"of a tip":           tipped.String(),
		"hash of the proof":  hex.EncodeToString(twice[:]), // which is the payment hash itself
		"the payment hash":   a.hash.String(),
		"zero":               lntypes.Preimage{}.String(),
	} {
		t.Run(name, func(t *testing.T) {
			s.wantChallenge(s.search1(bearer(std(a.raw), p)), problem.PaymentUnproven)
		})
	}
	accounts, err := s.ledger.Accounts(t.Context(), lntypes.Hash{}, 10)
	if err != nil || len(accounts) != 0 {
		t.Fatalf("%d accounts, %v; want none", len(accounts), err)
	}
}

// C28: a node accepts no less than the invoice asks for, and paying more buys no more: the credits are in the macaroon.

// docs/contract.md, "Cases", C29.
func TestPaidAtTheLastMoment(t *testing.T) {
	s := openShop(t)
	a := s.search1()
	s.clock.Step(l402.InvoiceExpiry - time.Second)
	b := s.pay(a.problem.Macaroon, a.problem.Invoice)
	s.clock.Step(time.Hour) // the invoice has expired; the token has not
	s.wantServed(s.search1(b.header()), 99)
	s.clock.Step(30*24*time.Hour - time.Hour) // paid in the last second, and still 30 days
	s.wantServed(s.search1(b.header()), 98)
	s.clock.Step(2 * time.Second)
	s.wantChallenge(s.search1(b.header()), problem.CredentialExpired)

	if _, err := s.node.Pay(a.problem.Invoice); problem.FromError(err).Code != problem.InvoiceExpired {
		t.Errorf("paying an expired invoice: %v", err)
	}
}

// docs/contract.md, "Cases", C32.
func TestInvoiceIsChecked(t *testing.T) {
	s := openShop(t)
	req := l402.InvoiceRequest{AmountSats: 100, Memo: "m", Expiry: 15 * time.Minute}
	good, err := s.node.AddInvoice(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	add := func(req l402.InvoiceRequest) l402.Invoice {
		inv, err := s.node.Node.AddInvoice(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return inv
	}
	if _, err := l402.CheckInvoice(good, req, demo.Network(), noon); err != nil {
		t.Fatalf("a good invoice: %v", err)
	}
	edit := func(f func(*l402.Invoice)) l402.Invoice { inv := good; f(&inv); return inv }
	for name, tc := range map[string]struct {
		inv l402.Invoice
		net *chaincfg.Params
		now time.Time
	}{
		"another hash":    {edit(func(i *l402.Invoice) { i.PaymentHash[0] ^= 1 }), demo.Network(), noon},
		"another text":    {edit(func(i *l402.Invoice) { i.PaymentRequest = add(req).PaymentRequest }), demo.Network(), noon},
		"less":            {add(l402.InvoiceRequest{AmountSats: 99, Expiry: req.Expiry}), demo.Network(), noon},
		"more":            {add(l402.InvoiceRequest{AmountSats: 101, Expiry: req.Expiry}), demo.Network(), noon},
		"mainnet wanted":  {good, &chaincfg.MainNetParams, noon},
		"testnet wanted":  {good, &chaincfg.TestNet3Params, noon},
		"expired":         {good, demo.Network(), noon.Add(time.Hour)},
		"open for a day":  {add(l402.InvoiceRequest{AmountSats: 100, Expiry: 24 * time.Hour}), demo.Network(), noon},
		"another expiry":  {edit(func(i *l402.Invoice) { i.ExpiresAt = i.ExpiresAt.Add(time.Hour) }), demo.Network(), noon},
		"not an invoice":  {edit(func(i *l402.Invoice) { i.PaymentRequest = "lnbcrt1" }), demo.Network(), noon},
		"nothing":         {l402.Invoice{}, demo.Network(), noon},
		"checksum broken": {edit(func(i *l402.Invoice) { i.PaymentRequest = i.PaymentRequest[:len(i.PaymentRequest)-1] + "q" }), demo.Network(), noon},
	} {
		if name == "checksum broken" && tc.inv == good {
			continue // it ended in q anyway
		}
		t.Run(name, func(t *testing.T) {
			if _, err := l402.CheckInvoice(tc.inv, req, tc.net, tc.now); err == nil {
				t.Error("accepted")
			}
		})
	}
	// The paywall itself lets nothing into a header that is no invoice.
	for _, text := range []string{"", "lnbc1\"", "lnbc1\r\nX: y", "LNBC1", "lnbc1 x"} {
		s.node.edit = func(i *l402.Invoice) { i.PaymentRequest = text }
		s.wantRefusal(s.search1(), 503, problem.NodeUnavailable)
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
		if _, err := l402.CheckInvoice(inv, req, demo.Network(), clock.Now()); err != nil {
			t.Fatal(err)
		}
		if seen[inv.PaymentHash] {
			t.Fatal("a payment hash came twice")
		}
		seen[inv.PaymentHash] = true
		decoded, err := zpay32.Decode(inv.PaymentRequest, demo.Network())
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
