package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/shape"
)

// TestProbe: this service has no faults.
func TestProbe(t *testing.T) {
	p := startServe(t)
	out, _, status := newShopper(t).run("probe", "-json", p.base+"/v1/search?q=macaroon")
	var r probe.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	for _, f := range r.Findings {
		if f.Level != probe.Note {
			t.Errorf("%s: %s", f.Check, f.Message)
		}
	}
	if status != 0 || r.Faults != 0 || len(r.Findings) == 0 {
		t.Errorf("exit status %d with %d faults", status, r.Faults)
	}
	// The demonstration asks on regtest, and the clients were measured with a wallet of mainnet.
	if !slices.ContainsFunc(r.Clients, func(p shape.Prediction) bool { return p.Client == "almanac-get" }) ||
		slices.ContainsFunc(r.Clients, func(p shape.Prediction) bool { return p.Result == shape.Pays }) {
		t.Errorf("the predicted clients: %+v", r.Clients)
	}
}
