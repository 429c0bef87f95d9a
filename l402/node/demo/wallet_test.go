package demo_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	seller "go.almanac.example/l402/node/demo"

	"go.almanac.example/http402/wallet/demo"
	"go.almanac.example/http402/wallet/wallettest"
	"go.almanac.example/l402"
)

// TestWalletLaw runs the law against the demo node of the service itself.
func TestWalletLaw(t *testing.T) {
	node := seller.New([seller.KeySize]byte{1}, time.Now)
	other := seller.New([seller.KeySize]byte{2}, time.Now)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /demo/pay", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Invoice string }
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		preimage, err := node.Pay(in.Invoice)
		if err != nil {
			w.WriteHeader(http.StatusGone)
			fmt.Fprintf(w, `{"title":%q}`, err)
			return
		}
		fmt.Fprintf(w, `{"preimage":%q}`, preimage)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	w, err := demo.New(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	invoice := func(n *seller.Node) func(testing.TB, int64, time.Duration) (string, [32]byte) {
		return func(t testing.TB, msat int64, expiry time.Duration) (string, [32]byte) {
			t.Helper()
			inv, err := n.AddInvoice(t.Context(), l402.InvoiceRequest{AmountSats: msat / 1000, Expiry: expiry})
			if err != nil {
				t.Fatal(err)
			}
			return inv.PaymentRequest, inv.PaymentHash
		}
	}
	wallettest.Test(t, wallettest.Subject{
		Wallet:    w,
		Moneyless: true,
		Invoice:   invoice(node),
		Unpayable: func(t testing.TB) (string, [32]byte, int64) {
			text, hash := invoice(other)(t, 1000, time.Hour)
			return text, hash, 1000
		},
	})
}

func TestAddress(t *testing.T) {
	for _, bad := range []string{"", "localhost:8402", "ftp://localhost", "http://", "http://x?y=z"} {
		if _, err := demo.New(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
