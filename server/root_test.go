package server

import (
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/server/servertest"
)

// TestBelowAPath: a base address with a path has the whole service below it: pages, redirects, negotiated forms, the
// paid search with its challenge, the wallet of the demonstration and the tool server. Well-known documents are also at
// the root of the host; everything else there leads to the site.
func TestBelowAPath(t *testing.T) {
	cfg := testConfig(t)
	cfg.Source.BaseURL, cfg.Payments.DemoAnywhere = "https://user.example/docs/almanac", true
	const root = "/docs/almanac"
	srv, _ := runService(t, cfg)
	host := "http://" + address(srv.listeners.http)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, tt := range []struct {
		path, accept string
		status       int
		name, value  string
	}{
		{root + "/", "text/html", 200, "Link", "<" + root + "/.well-known/api-catalog>"},
		{root + "/library/", "text/markdown", 200, "Content-Location", root + "/library.md"},
		{root + "/api/library/index.json", "", 200, "Link", "<" + root + "/schemas/"},
		{root + "/changes/feed.atom", "", 200, "Content-Type", "application/atom+xml; charset=utf-8"},
		{root + "/library", "", 308, "Location", root + "/library/"},
		{root + "//library/", "", 307, "Location", root + "/library/"},
		{root, "", 302, "Location", "https://user.example" + root + "/"},
		{"/", "", 302, "Location", "https://user.example" + root + "/"},
		{"/library/", "", 404, "Content-Type", "application/problem+json"},
		{"/v1/search", "", 404, "Content-Type", "application/problem+json"},
		{"/robots.txt", "", 200, "Content-Type", "text/plain"},
		{"/.well-known/l402", "", 200, "Link", "<" + root + "/schemas/l402"},
		{"/.well-known/mcp.json", "", 200, "Content-Type", "application/mcp-server-card+json"},
		{root + "/.well-known/l402", "", 200, "Link", "<" + root + "/schemas/l402"},
		{root + "/v1/search?q=macaroon", "", 402, "Www-Authenticate", "L402 "},
		{root + "/v1/search?q=macaroon", "text/html", 402, "Content-Type", "text/html"},
	} {
		req, _ := http.NewRequest(http.MethodGet, host+tt.path, nil)
		if tt.accept != "" {
			req.Header.Set("Accept", tt.accept)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get(tt.name); res.StatusCode != tt.status || !strings.Contains(got, tt.value) {
			t.Errorf("%s (%s): status %d, %s %q, want %d, %q", tt.path, tt.accept, res.StatusCode, tt.name, got, tt.status, tt.value)
		}
		if res.Header.Get("Content-Security-Policy") == "" && strings.Contains(res.Header.Get("Content-Type"), "html") {
			t.Errorf("%s: no security headers", tt.path)
		}
	}
	c := &servertest.Client{T: t, URL: host + root}
	credential := c.Buy()
	res, body := c.Do(http.MethodGet, "/v1/search?q=specification", "", "Authorization", credential)
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), `"https://user.example`+root+"/library/entry/") {
		t.Errorf("paid search: status %d: %.300s", res.StatusCode, body)
	}
	if got := string(c.Call("fetch", map[string]any{"id": "caip-19-asset-id"})); !strings.Contains(got, `"id":"caip-19-asset-id"`) {
		t.Errorf("fetch: %s", got)
	}
	admin := &servertest.Client{T: t, URL: "http://" + address(srv.listeners.admin)}
	_, metrics := admin.Do(http.MethodGet, "/metrics", "")
	for _, surface := range []string{"search", "mcp", "demo", "mirror"} {
		if !strings.Contains(string(metrics), `surface="`+surface+`"`) {
			t.Errorf("no requests of the surface %s were counted", surface)
		}
	}
}
