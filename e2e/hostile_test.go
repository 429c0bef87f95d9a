package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client/clienttest"
)

// TestHostileSellers: the program pays no seller who lies about the price, the payment or the network, who sends it
// elsewhere, or who asks again, and ends in time. With those of TestDrippingSellers they are twelve, and one who
// offers two prices gets the lower one.
func TestHostileSellers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	offer := func(node *clienttest.Node, terms clienttest.Terms) string {
		text, hash := node.Invoice(t, terms)
		return clienttest.L402Header(clienttest.Macaroon(t, hash), text)
	}
	price := clienttest.Terms{MilliSats: 20_000}
	asks := func(body string, headers ...func(*clienttest.Node) string) func(*clienttest.Node) http.HandlerFunc {
		return func(node *clienttest.Node) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				for _, h := range headers {
					w.Header().Add("WWW-Authenticate", h(node))
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusPaymentRequired)
				io.WriteString(w, body)
			}
		}
	}
	honest := func(node *clienttest.Node) string { return offer(node, price) }
	for name, tt := range map[string]struct {
		seller func(*clienttest.Node) http.HandlerFunc
		status int
		words  []string
		paid   int64 // in millisatoshis
	}{
		"a lower price in the body": {asks(`{"price_sats":2}`, honest), buyer.ExitChallenge, []string{"2 sat", "20 sat"}, 0},
		"another hash in the body":  {asks(`{"payment_hash":"`+string(bytes.Repeat([]byte("ab"), 32))+`"}`, honest), buyer.ExitChallenge, []string{"abab"}, 0},
		"another payment's macaroon": {asks("", func(node *clienttest.Node) string {
			text, _ := node.Invoice(t, price)
			return clienttest.L402Header(clienttest.Macaroon(t, [32]byte{1}), text)
		}), buyer.ExitChallenge, []string{"payment hash 0100"}, 0},
		"another network": {asks("", func(*clienttest.Node) string {
			other := clienttest.NewNode()
			other.Prefix = "lnbc"
			return offer(other, price)
		}), buyer.ExitChallenge, []string{"of mainnet", "of regtest"}, 0},
		"an expired invoice": {asks("", func(node *clienttest.Node) string {
			return offer(node, clienttest.Terms{MilliSats: 20_000, Expiry: time.Minute, Age: time.Hour})
		}), buyer.ExitChallenge, []string{"expired at"}, 0},
		"an open amount": {asks("", func(node *clienttest.Node) string { return offer(node, clienttest.Terms{}) }), buyer.ExitChallenge, []string{"open"}, 0},
		"a redirect to another seller": {func(node *clienttest.Node) http.HandlerFunc {
			other := httptest.NewServer(asks("", honest)(node))
			t.Cleanup(other.Close)
			return http.RedirectHandler(other.URL, http.StatusFound).ServeHTTP
		}, buyer.ExitChallenge, []string{"redirected to"}, 0},
		"who asks again": {asks("", honest), buyer.ExitRefused, []string{"asks for another"}, 20_000},
		"an endless answer": {func(*clienttest.Node) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				for line := bytes.Repeat([]byte("x"), 4096); r.Context().Err() == nil; {
					if _, err := w.Write(line); err != nil {
						return
					}
				}
			}
		}, 1, []string{"longer than 3s (-max-time)"}, 0},
		"two prices": {asks("", func(node *clienttest.Node) string { return offer(node, clienttest.Terms{MilliSats: 50_000}) }, honest),
			buyer.ExitRefused, []string{"paid 20 sat"}, 20_000},
	} {
		t.Run(name, func(t *testing.T) {
			node := clienttest.NewNode()
			srv := httptest.NewServer(tt.seller(node))
			defer srv.Close()
			s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
			s.want(tt.status, tt.words, "get", "-L", "-o", "/dev/null", "-max-time", "3s", srv.URL+"/a")
			if tt.paid > 0 { // and not again a little later
				s.want(buyer.ExitRefused, []string{"not paid"}, "get", "-max-time", "3s", srv.URL+"/a")
			}
			if _, msat, _ := node.Payments(); msat != tt.paid {
				t.Errorf("%d msat were paid, want %d", msat, tt.paid)
			}
		})
	}
}
