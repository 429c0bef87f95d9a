package mcpserver

import (
	"path/filepath"
	"strings"
	"testing"

	"almanac/mcpserver/conformance"
)

// conformanceSuite runs the official suite's requirements of a revision against an endpoint. The
// baseline lists what may fail; what stands there and passes fails the run.
func conformanceSuite(t *testing.T, url, revision, baseline string) {
	t.Helper()
	dir := npmDir(t)
	suite := filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	args := []string{suite, "server", "--url", url, "--requirements", revision, "-o", t.TempDir()}
	if baseline != "" {
		path, err := filepath.Abs(baseline)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--expected-failures", path)
	}
	out, errs, code := node(t, dir, args...)
	if _, summary, ok := strings.Cut(out, "=== SUMMARY ==="); ok {
		out = summary
	}
	if code != 0 {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
		return
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "Total:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// TestConformance runs the official suite against the real endpoint.
func TestConformance(t *testing.T) {
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			conformanceSuite(t, url, revision, "testdata/conformance-"+revision+".yml")
		})
	}
}

// TestFullConformance runs the suite's whole lists of requirements, against the endpoint with the
// fixtures that they call.
func TestFullConformance(t *testing.T) {
	url := listen(t, serverOver(t, Options{Paid: paid(), extension: extension{
		extend: conformance.Extend, handler: conformance.Handler, owns: conformance.Owns,
	}}))
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { conformanceSuite(t, url, revision, "") })
	}
}
