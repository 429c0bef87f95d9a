// Package invoicertest is the law of [l402.Invoicer] as a test, which every implementation runs.
package invoicertest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/l402"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/lightningnetwork/lnd/zpay32"
)

// waitLimit bounds every wait for a node, which may be a real one on a slow machine.
const waitLimit = 5 * time.Minute

// A Subject is an Invoicer that works, and the facts that the test needs.
type Subject struct {
	Invoicer l402.Invoicer
	Net      *chaincfg.Params
	Now      func() time.Time // its clock; nil means time.Now

	// Break stops the node behind it and Mend brings it back. Both are nil for one that cannot break.
	Break, Mend func()
	Secrets     []string // texts that no error may contain

	// Expiry is how long the node's invoices can be paid, if it chooses that itself, and their descriptions.
	Expiry time.Duration
}

// Test checks all of the law.
func Test(t *testing.T, s Subject) {
	t.Helper()
	if s.Now == nil {
		s.Now = time.Now
	}
	t.Run("the invoice is what was asked for", s.testAnswer)
	t.Run("every invoice is new", s.testNew)
	t.Run("the preimage stays with the node", s.testPreimage)
	t.Run("it returns when the context ends", s.testCanceled)
	t.Run("it is ready", func(t *testing.T) {
		if err := s.Invoicer.Ready(t.Context()); err != nil {
			t.Errorf("Ready: %v", err)
		}
	})
	if s.Break != nil {
		t.Run("a broken node is unavailable until it is mended", s.testBroken)
	}
}

// Request is the usual request of a paywall.
func Request() l402.InvoiceRequest {
	return l402.InvoiceRequest{AmountSats: 100, Memo: "100 requests", Expiry: 15 * time.Minute}
}

func (s Subject) add(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	inv, err := s.Invoicer.AddInvoice(ctx, req)
	if err != nil {
		return inv, fmt.Errorf("AddInvoice(%+v): %w", req, err)
	}
	if s.Expiry > 0 {
		req.Expiry = s.Expiry
	}
	decoded, err := l402.CheckInvoice(inv.PaymentRequest, req, strings.TrimRight(s.Net.Name, "3"), s.Now())
	if err == nil && (decoded.Hash != inv.PaymentHash || !decoded.ExpiresAt.Equal(inv.ExpiresAt)) {
		err = errors.New("its payment hash or its end is not the invoice's")
	}
	if err != nil {
		return inv, fmt.Errorf("AddInvoice(%+v): %w", req, err)
	}
	return inv, nil
}

func (s Subject) testAnswer(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*l402.InvoiceRequest)
	}{
		{"as the paywall asks", func(*l402.InvoiceRequest) {}},
		{"least amount", func(r *l402.InvoiceRequest) { r.AmountSats = 1 }},
		{"large amount", func(r *l402.InvoiceRequest) { r.AmountSats = 123_456_789 }},
		{"no memo", func(r *l402.InvoiceRequest) { r.Memo = "" }},
		{"longest memo", func(r *l402.InvoiceRequest) { r.Memo = strings.Repeat("m", 128) }},
		{"memo with every kind of character", func(r *l402.InvoiceRequest) { r.Memo = "\"q\" \\ \u2028 <é> 雷 \x01\n" }},
		{"short expiry", func(r *l402.InvoiceRequest) { r.Expiry = 30 * time.Second }},
		{"expiry of a day", func(r *l402.InvoiceRequest) { r.Expiry = 24 * time.Hour }},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := Request()
			test.edit(&req)
			before := s.Now()
			inv, err := s.add(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := zpay32.Decode(inv.PaymentRequest, s.Net)
			if err != nil {
				t.Fatal(err)
			}
			if s.Expiry > 0 {
				req.Memo, req.Expiry = "", s.Expiry
			}
			got := l402.InvoiceRequest{AmountSats: int64(*decoded.MilliSat) / 1000, Expiry: decoded.Expiry()}
			if decoded.Description != nil {
				got.Memo = *decoded.Description
			}
			if diff := cmp.Diff(req, got); diff != "" {
				t.Errorf("invoice (-asked +got):\n%s", diff)
			}
			// BOLT 11 counts whole seconds.
			if diff := cmp.Diff(before.Add(req.Expiry), inv.ExpiresAt, cmpopts.EquateApproxTime(time.Minute)); diff != "" {
				t.Errorf("ExpiresAt (-asked +got):\n%s", diff)
			}
		})
	}
}

func (s Subject) testNew(t *testing.T) {
	const workers, each = 16, 4
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		seen = map[lntypes.Hash]bool{}
	)
	for range workers {
		wg.Go(func() {
			for range each {
				inv, err := s.add(t.Context(), Request())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seen[inv.PaymentHash] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if !t.Failed() && len(seen) != workers*each {
		t.Errorf("%d calls gave %d different payment hashes", workers*each, len(seen))
	}
}

// testPreimage tries the slip of a careless node: the 32 bytes that stand in the invoice.
func (s Subject) testPreimage(t *testing.T) {
	inv, err := s.add(t.Context(), Request())
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := zpay32.Decode(inv.PaymentRequest, s.Net)
	if err != nil {
		t.Fatal(err)
	}
	candidates := map[string][32]byte{"zero": {}, "payment hash": inv.PaymentHash}
	decoded.PaymentAddr.WhenSome(func(addr [32]byte) { candidates["payment secret"] = addr })
	if decoded.DescriptionHash != nil {
		candidates["description hash"] = *decoded.DescriptionHash
	}
	for name, c := range candidates {
		if sha256.Sum256(c[:]) == inv.PaymentHash {
			t.Errorf("the invoice shows its preimage as %s", name)
		}
	}
}

func (s Subject) testCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if inv, err := s.Invoicer.AddInvoice(ctx, Request()); err == nil {
		t.Errorf("AddInvoice after the context ended gave %s", inv.PaymentHash)
	} else if !errors.Is(err, l402.ErrNodeUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("AddInvoice after the context ended: %v, want ErrNodeUnavailable because it ended, and no other fault that was waited for", err)
	}
	// Ready may know the answer without asking.
	if err := s.Invoicer.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Ready after the context ended: %v", err)
	}
	if _, err := s.add(t.Context(), Request()); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func (s Subject) testBroken(t *testing.T) {
	s.Break()
	check := func(call string, err error) {
		t.Helper()
		if !errors.Is(err, l402.ErrNodeUnavailable) {
			t.Errorf("%s: %v, want ErrNodeUnavailable", call, err)
			return
		}
		for _, secret := range s.Secrets {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error of %s shows a secret", call)
			}
		}
	}
	for range 3 {
		_, err := s.Invoicer.AddInvoice(t.Context(), Request())
		check("AddInvoice", err)
		check("Ready", s.Invoicer.Ready(t.Context()))
	}
	s.Mend()
	deadline := time.Now().Add(waitLimit)
	for {
		_, err := s.add(t.Context(), Request())
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s after the node was mended: %v", waitLimit, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := s.Invoicer.Ready(t.Context()); err != nil {
		t.Errorf("Ready after an invoice was had: %v", err)
	}
}
