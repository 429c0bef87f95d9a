package mcpserver

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/internal/rpc"
	"go.almanac.example/mcpserver/conformance"
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
	s := serverOver(t, Options{Paid: paid(), extend: conformance.Extend})
	sdk := conformance.Handler(s.engine.server, mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, Logger: slog.New(slog.DiscardHandler),
		DisableLocalhostProtection: true, MaxRequestBodyBytes: maxBody,
	})
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveFixtures(s, sdk, w, r) }))
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { conformanceSuite(t, url, revision, "") })
	}
}

// serveFixtures is the endpoint of s with streams and sessions, which the fixtures need and the endpoint does not
// have: a message passes the guard and the checks, and then goes to a handler of the SDK's.
func serveFixtures(s *Server, sdk http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		if f := s.admit(w, r); f != nil {
			writeRefusal(w, f, nil)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		version, f := rpc.Version(r.Header)
		messages, _ := rpc.Read(body, version)
		m := messages[0]
		if f == nil {
			f = rpc.Check(version, m)
		}
		switch isResponse := m.Method == ""; { // to a question of the server's
		case m.Fault != nil:
			writeRefusal(w, m.Fault, m.ID)
			return
		case f == rpc.Accepted && !isResponse:
			w.WriteHeader(f.Status)
			return
		case f != nil && !isResponse:
			writeRefusal(w, f, m.ID)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if name, ok := decodedName(r.Header.Get(nameHeader)); ok {
			r.Header.Set(nameHeader, name)
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	sdk.ServeHTTP(w, r)
}
