package mcpserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

func TestServerCard(t *testing.T) {
	h := serverOver(t, Options{}).Card()
	get := func(method, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost"+catalog.ServerCardPath, nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := get("GET", "")
	for name, want := range map[string]string{
		"Content-Type": catalog.ServerCardType, "Cache-Control": "public, max-age=3600",
		"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var card struct {
		Schema, Name, Version, Description, Title, WebsiteURL string
		Remotes                                               []struct {
			Type, URL                 string
			SupportedProtocolVersions []string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &card); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(card.Description)); n == 0 || n > 100 {
		t.Errorf("the description has %d characters", n)
	}
	if card.Name != "localhost/almanac" || card.Version != "1.2.3" || len(card.Remotes) != 1 || card.Remotes[0].Type != "streamable-http" ||
		card.Remotes[0].URL != "http://localhost:8402/mcp" || !slices.Contains(card.Remotes[0].SupportedProtocolVersions, "2026-07-28") {
		t.Errorf("the card is %s", w.Body)
	}
	etag := w.Header().Get("ETag")
	for _, match := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
		if w := get("GET", match); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("If-None-Match: %s answered %d", match, w.Code)
		}
	}
	if w := get("HEAD", ""); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD answered %d with %d bytes", w.Code, w.Body.Len())
	}
	if w := get("POST", ""); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" || !strings.Contains(w.Body.String(), `"code":"method_not_allowed"`) {
		t.Errorf("POST answered %d", w.Code)
	}
	if w := get("OPTIONS", ""); w.Code != 204 {
		t.Errorf("OPTIONS answered %d", w.Code)
	}
}

func TestRegistryName(t *testing.T) {
	for address, want := range map[string]string{
		"https://mcp.example.org":  "org.example.mcp/almanac",
		"https://MCP.example:8443": "example.mcp/almanac",
		"http://localhost:8402":    "localhost/almanac",
		"http://127.0.0.1:8402":    "localhost/almanac",
		"http://[::1]:8402":        "localhost/almanac",
	} {
		if got := RegistryName(catalog.Identity{Name: "almanac"}, catalog.Site{MCP: address}); got != want {
			t.Errorf("%s is named %s, want %s", address, got, want)
		}
	}
}
