package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// TestBooks lets three buyers pay at a real lnd, of whom one never comes. The sales are those of two, and compared with
// the node they name the third. doctor says what the node can receive, and that a price above it cannot be paid; both
// say which right their macaroon lacks.
func TestBooks(t *testing.T) {
	net := simnet.Start(t)
	state := t.TempDir()
	withMacaroon := func(file string) []string {
		return []string{"-state", state, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
			"-lnd-macaroon", file, "-lnd-network", net.Merchant.Network}
	}
	flags := withMacaroon(net.Merchant.MacaroonFile)
	p := startServe(t, append([]string{"-price", "70"}, flags...)...)
	s := &servertest.Client{T: t, URL: p.base}
	if _, _, err := net.Invoice(t.Context(), 5000, "of somebody else", 600e9); err != nil {
		t.Fatal(err)
	}
	var hashes []string
	for i := range 3 {
		_, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
		c := servertest.Decode[struct {
			servertest.Challenge
			Hash string `json:"payment_hash"`
		}](t, body)
		preimage, err := net.Pay(t.Context(), c.Invoice)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, c.Hash)
		if i == 1 {
			continue // never comes
		}
		if res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", "L402 "+c.Macaroon+":"+preimage); res.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", res.StatusCode, body)
		}
	}
	operator := newShopper(t)
	lists := withMacaroon(net.Bake("/lnrpc.Lightning/ListInvoices"))
	books := operator.want(0, []string{"lists 3 payments of 210 sat", "1 of them, 70 sat, have no request yet", hashes[1]}, slices.Concat([]string{"sales", "-node"}, lists)...)
	if strings.Contains(books, hashes[0]) || strings.Contains(books, "not among") {
		t.Errorf("the books: %s", books)
	}
	var got struct {
		Total salesRow
		Node  struct {
			Payments, Sats int
			Unused         []struct {
				Hash string `json:"payment_hash"`
			}
			Unpaid []string
		}
	}
	if err := json.Unmarshal([]byte(operator.want(0, nil, slices.Concat([]string{"sales", "-node", "-json"}, lists)...)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Total.Sold != 2 || got.Node.Payments != 3 || got.Node.Sats != 210 || len(got.Node.Unused) != 1 || got.Node.Unused[0].Hash != hashes[1] || len(got.Node.Unpaid) != 0 {
		t.Errorf("%+v", got)
	}
	operator.want(1, []string{"may not list invoices", "/lnrpc.Lightning/ListInvoices"}, slices.Concat([]string{"sales", "-node"}, flags)...)

	operator.want(0, []string{"whether it can be paid is not known", "/lnrpc.Lightning/ListChannels"}, slices.Concat([]string{"doctor", "-http", "localhost:0", "-admin", "off"}, flags)...)
	doctor := slices.Concat([]string{"doctor", "-http", "localhost:0", "-admin", "off"}, withMacaroon(net.Bake("/lnrpc.Lightning/AddInvoice", "/lnrpc.Lightning/ListChannels")))
	operator.want(0, []string{"its channels can receive 19"}, append(doctor, "-price", "70")...)
	operator.want(1, []string{"FAIL", "its channels can receive 19", "active channels: 1", "and the price is 3000000", "inbound liquidity"}, append(doctor, "-price", "3000000")...)
}
