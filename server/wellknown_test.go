package server

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/problem"
)

// TestPreflight: a page of any site may send any header to every public address, also to one where nothing is: clients of MCP
// look for authorization there with a header that asks the browser for a preflight first (modelcontextprotocol/inspector#758).
func TestPreflight(t *testing.T) {
	c := newService(t, testConfig(t))
	for _, path := range []string{"/", "/library", catalog.ARDPath, catalog.ServerCardPath, "/.well-known/oauth-protected-resource/mcp", catalog.SearchPath, catalog.CreditsPath} {
		res, _ := c.Do("OPTIONS", path, "", "Origin", "https://app.example", "Access-Control-Request-Method", "GET")
		h, allowed := res.Header, strings.Split(res.Header.Get("Access-Control-Allow-Headers"), ", ")
		for _, name := range []string{"*", "Authorization", "Content-Type", "If-None-Match", "MCP-Protocol-Version"} {
			if !slices.Contains(allowed, name) || res.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s with %s: status %d, %v", path, name, res.StatusCode, h)
			}
		}
	}
}

// TestProofs: the files of -well-known are served at their addresses and no others are; what is no proof is refused at
// the start.
func TestProofs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, body string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	proofs := map[string]string{
		"/6f1c8a2e.txt": "text/plain; charset=utf-8", "/.well-known/402index-verify.txt": "text/plain; charset=utf-8",
		"/.well-known/did.json": "application/json", "/.well-known/acme/token-1": "text/plain; charset=utf-8",
	}
	for path := range proofs {
		write(path, "proof of "+path)
	}
	cfg := testConfig(t)
	cfg.WellKnown = dir
	c := newService(t, cfg)
	for path, mediaType := range proofs {
		res, body := c.Do("GET", path, "")
		if res.StatusCode != http.StatusOK || string(body) != "proof of "+path || res.Header.Get("Content-Type") != mediaType ||
			res.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: status %d, %v: %s", path, res.StatusCode, res.Header, body)
		}
	}
	for path, control := range map[string]string{catalog.ServerCardPath: "public, max-age=3600", "/.well-known/did.json": "no-cache"} {
		res, _ := c.Do("HEAD", path, "")
		etag := res.Header.Get("ETag")
		if res.Header.Get("Cache-Control") != control || res.Header.Get("Access-Control-Allow-Origin") != "*" || etag == "" {
			t.Errorf("%s: %v", path, res.Header)
		}
		if res, body := c.Do("GET", path, "", "If-None-Match", `"other", W/`+etag); res.StatusCode != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s unchanged: status %d", path, res.StatusCode)
		}
		if res, body := c.Do("POST", path, ""); res.Header.Get("Allow") != "GET, HEAD, OPTIONS" || !strings.Contains(string(body), string(problem.MethodNotAllowed)) {
			t.Errorf("POST %s: status %d, %s", path, res.StatusCode, body)
		}
	}
	for _, path := range []string{"/.well-known/", "/.well-known/acme/", "/.well-known/acme", "/.well-known/acme/token-2", "/402index.txt"} {
		if res, body := c.Do("GET", path, ""); res.StatusCode != http.StatusNotFound || !strings.Contains(string(body), string(problem.NotFound)) {
			t.Errorf("%s: status %d: %s", path, res.StatusCode, body)
		}
	}
	for name, want := range map[string]string{
		"index.html": "not the address of a proof", "a/b.txt": "not the address of a proof", ".git": "not the address of a proof",
		".well-known/.hidden": "not the address of a proof", "large.txt": "more than", "link.txt": "is a link",
		".well-known/ard.json": "answers /.well-known/ard.json itself", ".well-known/mcp.json": "answers /.well-known/mcp.json itself",
		"robots.txt": "answers /robots.txt itself",
	} {
		dir = t.TempDir()
		body := "x"
		if name == "large.txt" {
			body = strings.Repeat("x", maxProofBytes+1)
		}
		if name == "link.txt" {
			if err := os.Symlink("/etc/hostname", filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		} else {
			write(name, body)
		}
		cfg := testConfig(t)
		cfg.WellKnown = dir
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}
