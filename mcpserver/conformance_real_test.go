//go:build !conformance

package mcpserver

import (
	"os/exec"
	"testing"
)

// TestConformance runs the official suite against the real endpoint.
func TestConformance(t *testing.T) {
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			conformanceSuite(t, url, revision, "testdata/conformance-"+revision+".yml")
		})
	}
}

// TestFullRequirements runs the suite's whole lists of requirements. They call fixtures, which only
// the tag conformance adds to the endpoint.
func TestFullRequirements(t *testing.T) {
	npmDir(t)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-tags", "conformance", "-count", "1", "-timeout", "30m", "-run", "^TestFullConformance$", ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
