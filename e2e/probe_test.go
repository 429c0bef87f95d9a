package e2e

import (
	"encoding/json"
	"testing"

	"almanac/l402/client/probe"
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
		case f.Check == "paid" && f.Level == probe.OK, f.Check == "paid.left" && f.Level == probe.OK:
			bought++
		case f.Check == "paid.count" && f.Message != "payments for two requests: 1":
			t.Errorf("%s", f.Message)
		}
	}
	if bought != 4 {
		t.Errorf("%d findings of two paid requests, want 4: %+v", bought, r.Findings)
	}
	if status != 0 || r.Faults != 0 {
		t.Errorf("exit status %d with %d faults", status, r.Faults)
	}
	if n := len(r.Families); n != 8 || !r.Families[0].Pays {
		t.Errorf("families %+v", r.Families)
	}
}
