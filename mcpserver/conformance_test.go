package mcpserver

import (
	"path/filepath"
	"strings"
	"testing"
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
