package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"go.almanac.example/http402/testvectors/requests"
	"go.almanac.example/server/servertest"
)

// TestRequests: the service answers every request of testvectors/402/requests as the clauses want when a payment is for
// one search. When it is for more, Payment's credential is good for as many, which is the only departure. What it does
// after 15 minutes is tested where the clock can be moved (l402.TestRequestsAfterExpiry).
func TestRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for credits, departures := range map[string][]string{"1": nil, "100": {"payment-again", "payment-parallel"}} {
		t.Run(credits, func(t *testing.T) {
			p := startServe(t, "-credits", credits, "-challenge-rate", "100000", "-challenge-outstanding", "1000000")
			runner := requests.Runner{URL: p.base + "/v1/search?q=macaroon", Client: &http.Client{Timeout: servertest.Patience},
				Pay: func(_ context.Context, invoice string) (string, error) { return payDemo(t, p, invoice) }}
			all, err := requests.All()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range all {
				want := requests.Passes
				switch {
				case r.ID == "payment-late":
					want = requests.NotRun
				case slices.Contains([]string{"payment-opaque-changed", "payment-digest-changed"}, r.ID):
					want = requests.NotApplicable // its challenges have neither
				case slices.Contains(departures, r.ID):
					want = requests.Deviates
				}
				if got := runner.Run(t.Context(), r); got.Verdict != want {
					t.Errorf("%s (%s) %s: %s", r.ID, r.Title, got.Verdict, got.Reason)
				}
			}
		})
	}
}

// payDemo asks the demo's wallet for the preimage of an invoice.
func payDemo(t *testing.T, p *process, invoice string) (string, error) {
	t.Helper()
	res, body := servertest.Ask(t, http.MethodPost, p.base+"/demo/pay", fmt.Sprintf(`{"invoice":%q}`, invoice), "Content-Type", "application/json")
	var answer struct{ Preimage string }
	if err := json.Unmarshal(body, &answer); err != nil || res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the demo's wallet answers %d: %s (%v)", res.StatusCode, body, err)
	}
	return answer.Preimage, nil
}
