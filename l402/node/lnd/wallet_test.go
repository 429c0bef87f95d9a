package lnd_test

import (
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/lnd"
	"go.almanac.example/http402/wallet/wallettest"
	"go.almanac.example/l402/node/lnd/simnet"
)

// TestWalletLaw is the law at a real lnd, with a macaroon that may pay and track and nothing else.
func TestWalletLaw(t *testing.T) {
	net := simnet.Start(t)
	payer := net.Payer()
	open := func(t testing.TB) wallet.Wallet {
		t.Helper()
		w, err := lnd.New(payer.URL, payer.CertFile, payer.MacaroonFile)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	wallettest.Test(t, wallettest.Subject{
		Wallet: open(t),
		Invoice: func(t testing.TB, msat int64, expiry time.Duration) (string, [32]byte) {
			t.Helper()
			text, hash, err := net.Invoice(t.Context(), msat, "law", expiry)
			if err != nil {
				t.Fatal(err)
			}
			return text, hash
		},
		Unpayable: func(t testing.TB) (string, [32]byte, int64) {
			t.Helper()
			const dear = 1_990_000_000 // nearly the whole channel, of which a part is a reserve
			text, hash, err := net.Invoice(t.Context(), dear, "too dear", time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			return text, hash, dear
		},
		Received: func(t testing.TB) int {
			t.Helper()
			n, err := net.SettledInvoices(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		},
		Reopen: open,
	})
	t.Run("a macaroon that may not pay", func(t *testing.T) {
		w, err := lnd.New(payer.URL, payer.CertFile, net.Merchant.MacaroonFile)
		if err != nil {
			t.Fatal(err)
		}
		text, hash, err := net.Invoice(t.Context(), 1000, "", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000, Timeout: time.Minute})
		if err == nil || out.Status == wallet.Succeeded || strings.Contains(err.Error(), "macaroon=") {
			t.Errorf("Pay: %s (%v), want an error", out.Status, err)
		}
	})
}
