package l402_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.almanac.example/http402/testvectors/requests"
	"go.almanac.example/l402"
)

// TestRequestsAfterExpiry: a credential of Payment outlives its challenge, because it buys credits for 30 days. It is
// the departure from the draft's single use that e2e.TestRequests tells of too: a client that paid in time is served.
func TestRequestsAfterExpiry(t *testing.T) {
	s := openShop(t, bothSchemes, func(c *l402.Config) { c.Terms.Credits = 1 })
	runner := requests.Runner{URL: s.server.URL + "/v1/search?q=a", Client: s.server.Client(),
		Pay: func(_ context.Context, invoice string) (string, error) {
			preimage, err := s.node.Pay(invoice)
			return preimage.String(), err
		},
		Wait: func(until time.Time) { s.clock.Set(until) }}
	all, err := requests.All()
	late := slices.IndexFunc(all, func(r requests.Request) bool { return r.ID == "payment-late" })
	if err != nil || late < 0 {
		t.Fatal(late, err)
	}
	if got := runner.Run(t.Context(), all[late]); got.Verdict != requests.Deviates || got.Reason != "request 1: served (200), want challenged" {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}
