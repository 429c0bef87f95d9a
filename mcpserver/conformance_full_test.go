//go:build conformance

package mcpserver

import "testing"

// TestFullConformance runs every requirement of the official suite against the endpoint with its
// fixtures: go test -tags conformance -run FullConformance ./mcpserver.
func TestFullConformance(t *testing.T) {
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { conformanceSuite(t, url, revision, "") })
	}
}
