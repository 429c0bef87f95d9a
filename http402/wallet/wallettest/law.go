// Package wallettest is the law of [wallet.Wallet] as a test, which every implementation runs.
package wallettest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/wallet"
)

// A Subject is a wallet that works, and somebody who can be paid.
type Subject struct {
	Wallet wallet.Wallet

	// Invoice makes an invoice that the wallet can pay, of at least 1,000 millisatoshis.
	Invoice func(t testing.TB, msat int64, expiry time.Duration) (text string, hash [32]byte)
	// Unpayable makes one that it cannot. Nil when there is none.
	Unpayable func(t testing.TB) (text string, hash [32]byte, msat int64)
	// Received returns how often the payee was paid. Nil when that cannot be known.
	Received func(t testing.TB) int
	// Moneyless says that no money moves, so that the list of payments is empty.
	Moneyless bool
	// Reopen returns the wallet as another process would open it. Nil when it forgets.
	Reopen func(t testing.TB) wallet.Wallet
}

const msat = 21_000

func payment(text string, hash [32]byte, amount int64) wallet.Payment {
	return wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: amount, FeeLimitMilliSats: 10_000,
		Timeout: time.Minute}
}

// Test checks all of the law.
func Test(t *testing.T, s Subject) {
	t.Helper()
	t.Run("it pays and proves it", s.testPay)
	t.Run("it pays an invoice once, however often it is asked", s.testOnce)
	t.Run("it pays an invoice once, asked many times at once", s.testOnceAtOnce)
	t.Run("it knows nothing of what it was never asked to pay", s.testUnknown)
	t.Run("it does not pay what has expired", s.testExpired)
	if lister, ok := s.Wallet.(wallet.Lister); ok {
		t.Run("it lists what it paid", func(t *testing.T) { s.testList(t, lister) })
	}
	t.Run("it says so when the context has ended", s.testCanceled)
	if s.Unpayable != nil {
		t.Run("what cannot be paid has failed", s.testUnpayable)
	}
}

// paidOnce begins to count payments; the function it returns wants one since then.
func (s Subject) paidOnce(t testing.TB) (check func()) {
	if s.Received == nil {
		return func() {}
	}
	before := s.Received(t)
	return func() {
		t.Helper()
		if got := s.Received(t) - before; got != 1 {
			t.Errorf("the payee was paid %d times, want once", got)
		}
	}
}

// pay has a wallet pay an invoice, which must succeed.
func pay(t testing.TB, what string, w wallet.Wallet, text string, hash [32]byte) wallet.Outcome {
	t.Helper()
	out, err := w.Pay(t.Context(), payment(text, hash, msat))
	wantSuccess(t, what, out, err, hash)
	return out
}

func wantSuccess(t testing.TB, what string, out wallet.Outcome, err error, hash [32]byte) {
	t.Helper()
	if err != nil || out.Status != wallet.Succeeded {
		t.Fatalf("%s: %s %s (%v), want a success", what, out.Status, out.Reason, err)
	}
	if sha256.Sum256(out.Preimage[:]) != hash {
		t.Fatalf("%s: the preimage is not that of the payment", what)
	}
	if out.FeeMilliSats < 0 || out.FeeMilliSats > 10_000 {
		t.Errorf("%s: a fee of %d millisatoshis, above the limit", what, out.FeeMilliSats)
	}
}

func (s Subject) testPay(t *testing.T) {
	defer s.paidOnce(t)()
	text, hash := s.Invoice(t, msat, 10*time.Minute)
	pay(t, "Pay", s.Wallet, text, hash)
	out, err := s.Wallet.Track(t.Context(), hash)
	wantSuccess(t, "Track", out, err, hash)
	if s.Reopen != nil {
		out, err = s.Reopen(t).Track(t.Context(), hash)
		wantSuccess(t, "Track after a restart", out, err, hash)
	}
}

func (s Subject) testOnce(t *testing.T) {
	defer s.paidOnce(t)()
	text, hash := s.Invoice(t, msat, 10*time.Minute)
	for range 3 {
		pay(t, "Pay", s.Wallet, text, hash)
	}
	if s.Reopen != nil {
		pay(t, "Pay after a restart", s.Reopen(t), text, hash)
	}
}

func (s Subject) testOnceAtOnce(t *testing.T) {
	defer s.paidOnce(t)()
	text, hash := s.Invoice(t, msat, 10*time.Minute)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			out, err := s.Wallet.Pay(t.Context(), payment(text, hash, msat))
			// One that came second may only say that it does not know yet.
			if err == nil && out.Status == wallet.Failed {
				t.Errorf("Pay says that nothing was paid: %s", out.Reason)
			}
		})
	}
	wg.Wait()
	pay(t, "Pay afterwards", s.Wallet, text, hash)
}

// testList pays, and wants the payment in the list since then, and not in one of the future. The demo's list is empty.
func (s Subject) testList(t *testing.T, lister wallet.Lister) {
	begun := time.Now()
	text, hash := s.Invoice(t, msat, 10*time.Minute)
	paid := pay(t, "Pay", s.Wallet, text, hash)
	list, err := lister.Payments(t.Context(), begun)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range list {
		if r.Hash == hex.EncodeToString(hash[:]) {
			found++
			if r.Preimage != hex.EncodeToString(paid.Preimage[:]) || r.AmountMilliSats < msat ||
				r.AmountMilliSats+r.FeeMilliSats < msat+paid.FeeMilliSats || r.At.Before(begun.Truncate(time.Second)) {
				t.Errorf("the list has %+v", r)
			}
		}
	}
	if found != 1 && !s.Moneyless {
		t.Errorf("the payment is %d times in a list of %d", found, len(list))
	}
	if list, err := lister.Payments(t.Context(), begun.Add(time.Hour)); err != nil || len(list) > 0 {
		t.Errorf("%d payments in the future, %v", len(list), err)
	}
}

func (s Subject) testUnknown(t *testing.T) {
	_, hash := s.Invoice(t, msat, 10*time.Minute)
	if out, err := s.Wallet.Track(t.Context(), hash); err != nil || out.Status != wallet.Unknown {
		t.Errorf("Track: %s (%v), want unknown", out.Status, err)
	}
}

func (s Subject) testExpired(t *testing.T) {
	text, hash := s.Invoice(t, msat, time.Second)
	timer := time.NewTimer(2500 * time.Millisecond) // BOLT 11 counts whole seconds
	defer timer.Stop()
	<-timer.C
	out, err := s.Wallet.Pay(t.Context(), payment(text, hash, msat))
	if err != nil || out.Status != wallet.Failed || out.Reason == "" {
		t.Errorf("Pay: %s %q (%v), want a failure with its reason", out.Status, out.Reason, err)
	}
}

func (s Subject) testCanceled(t *testing.T) {
	text, hash := s.Invoice(t, msat, 10*time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := s.Wallet.Pay(ctx, payment(text, hash, msat)); err == nil {
		t.Errorf("Pay: %s without an error", out.Status)
	}
	if out, err := s.Wallet.Track(ctx, hash); err == nil {
		t.Errorf("Track: %s without an error", out.Status)
	}
	pay(t, "Pay afterwards", s.Wallet, text, hash)
}

func (s Subject) testUnpayable(t *testing.T) {
	text, hash, amount := s.Unpayable(t)
	out, err := s.Wallet.Pay(t.Context(), payment(text, hash, amount))
	if err != nil || out.Status != wallet.Failed || out.Reason == "" {
		t.Errorf("Pay: %s %q (%v), want a failure with its reason", out.Status, out.Reason, err)
	}
	if out, err := s.Wallet.Track(t.Context(), hash); err != nil || out.Status != wallet.Failed &&
		out.Status != wallet.Unknown {
		t.Errorf("Track: %s (%v), want failed or unknown", out.Status, err)
	}
}
