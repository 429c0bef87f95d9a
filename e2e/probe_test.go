package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/shape"
)

// TestProbe: this service has no faults, and a purchase is as it should be.
func TestProbe(t *testing.T) {
	p := startServe(t)
	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	out, _, status := s.run("probe", "-json", "-pay", "-mcp", p.base+"/mcp", p.base+"/v1/search?q=macaroon")
	var r probe.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	bought := 0
	for _, f := range r.Findings {
		switch {
		case f.Level == probe.Fault, f.Level == probe.Warn:
			t.Errorf("%s: %s", f.Check, f.Message)
		case f.Check == "paid" && strings.HasSuffix(f.Message, "status 200, and says how many requests are left: true"):
			bought++
		case f.Check == "paid.count" && f.Message != "payments for two requests: 1":
			t.Errorf("%s", f.Message)
		}
	}
	if bought != 2 {
		t.Errorf("%d findings of two paid requests, want 2: %+v", bought, r.Findings)
	}
	if status != 0 || r.Faults != 0 {
		t.Errorf("exit status %d with %d faults", status, r.Faults)
	}
	// The demonstration asks on regtest, and the clients were measured with a wallet of mainnet.
	if !slices.ContainsFunc(r.Clients, func(p shape.Prediction) bool { return p.Client == "almanac-get" }) ||
		slices.ContainsFunc(r.Clients, func(p shape.Prediction) bool { return p.Result == shape.Pays }) {
		t.Errorf("the predicted clients: %+v", r.Clients)
	}
}
