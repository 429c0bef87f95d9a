package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/journal"
	"go.almanac.example/l402/node/lnd/simnet"
)

// TestBuyerOnSimnet buys from this service with real payments of a real node: buy, use again, use up, buy again, and
// stop at the budget.
func TestBuyerOnSimnet(t *testing.T) {
	net := simnet.Start(t)
	payer := net.Payer()
	p := startServe(t, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
		"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network, "-price", "10", "-credits", "3")
	s := newShopper(t, "ALMANAC_WALLET=lnd:"+payer.URL, "ALMANAC_WALLET_CERT="+payer.CertFile, "ALMANAC_WALLET_MACAROON="+payer.MacaroonFile,
		"ALMANAC_NETWORK=simnet", "ALMANAC_MAX_COST=10", "ALMANAC_MAX_DAY=40")
	address := p.base + "/v1/search?q=macaroon"
	for i := range 6 {
		_, errs, status := s.run("get", address)
		if paid := strings.Contains(errs, "paid 10 sat"); status != 0 || paid != (i%3 == 0) {
			t.Errorf("request %d: status %d, paid %v: %s", i, status, paid, errs)
		}
	}
	// Each payment sets 10 sat aside with a fee limit of 10: a third would take 20 of the 20 that are left, a fourth of
	// 10.
	for range 3 {
		s.want(0, nil, "get", address)
	}
	s.want(buyer.ExitBudget, []string{"20 sat with the fee limit", "10 sat of the budget of 40 sat a day is left"}, "get", address)

	var receipts []journal.Purchase
	if err := json.Unmarshal([]byte(s.want(0, nil, "receipts", "-json")), &receipts); err != nil {
		t.Fatal(err)
	}
	payments, err := net.Payments(t.Context())
	if err != nil || len(payments) != 3 || len(receipts) != 3 {
		t.Fatalf("the node has %d payments, the journal %d (%v); want 3", len(payments), len(receipts), err)
	}
	proofs := map[string]string{}
	for _, p := range payments {
		if p.Status != "SUCCEEDED" {
			t.Errorf("payment %s is %s", p.Hash, p.Status)
		}
		proofs[p.Hash] = p.Preimage
	}
	for _, r := range receipts {
		if r.State != journal.Used || proofs[r.Hash] != r.Preimage || r.AmountMilliSats != 10_000 {
			t.Errorf("receipt %+v does not fit the node's list", r)
		}
	}
}
