package e2e

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/wallet"
)

// serveWallet serves a node as the demo's wallet, and returns its setting.
func serveWallet(t *testing.T, node *clienttest.Node) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var order struct{ Invoice string }
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			t.Error(err)
		}
		inv, err := bolt11.Decode(order.Invoice)
		if err != nil {
			t.Error(err)
		}
		out, err := node.Pay(r.Context(), wallet.Payment{Hash: inv.Hash, AmountMilliSats: inv.MilliSats})
		if err != nil || out.Status != wallet.Succeeded {
			w.WriteHeader(http.StatusNotFound)
		}
		json.NewEncoder(w).Encode(map[string]string{"preimage": hex.EncodeToString(out.Preimage[:]), "title": out.Reason})
	}))
	t.Cleanup(srv.Close)
	return "demo:" + srv.URL
}

// TestHangingAnswer: a program that waits for the answer it paid for keeps others no longer than -max-time, and when it
// is killed, the next one uses its payment.
func TestHangingAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	node := clienttest.NewNode()
	seller := &clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 1}
	reached, hang := make(chan struct{}, 1), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		default:
			if r.Header.Get("Authorization") != "" {
				reached <- struct{}{}
				<-hang
				return
			}
		}
		seller.ServeHTTP(w, r)
	}))
	defer srv.Close()
	s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
	first := s.command("get", srv.URL+"/a")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	s.want(1, []string{"not paid", "longer than 2s (-max-time)"}, "get", "-max-time", "2s", srv.URL+"/a")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	close(hang)
	s.want(0, []string{"served /a"}, "get", "-max-time", "1m", srv.URL+"/a")
	if payments, _, _ := node.Payments(); payments != 1 {
		t.Errorf("%d payments for one answer", payments)
	}
}
