package catalog_test

import (
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

func TestSiteCheck(t *testing.T) {
	for url, want := range map[string]string{
		"https://almanac.example":        "",
		"http://localhost:8402":          "",
		"https://almanac.example/":       "has more than a scheme and a host, and its rest \"/\" is not a path",
		"https://almanac.example?q":      "has more than a scheme and a host",
		"https://me@almanac":             "has more than a scheme and a host",
		"https://almanac.example/x/../y": "is not a path like /almanac",
		"https://almanac.example/x//y":   "is not a path like /almanac",
		"https://almanac.example/a%20b":  "is not a path like /almanac",
		"almanac.example":                "write a scheme and a host",
		"ftp://almanac.example":          "write a scheme and a host",
		"https://":                       "write a scheme and a host",
		"":                               "write a scheme and a host",
	} {
		wantError(t, catalog.Site{Base: url, API: "https://api.example", MCP: "https://mcp.example"}.Check(), want)
		wantError(t, catalog.Site{Base: "https://base.example", API: "https://api.example", MCP: url}.Check(), want)
	}
	const below = "https://almanac.example/docs/almanac"
	wantError(t, catalog.Site{Base: below, API: below, MCP: "https://mcp.example"}.Check(), "")
	wantError(t, catalog.Site{Base: below, API: "https://api.example/docs/almanac", MCP: below}.Check(), "")
	wantError(t, catalog.Site{Base: below, API: below, MCP: below + "/mcp"}.Check(), "its path is not that of -base-url")
	if _, err := load.Load(os.DirFS("../fixtures"), catalog.Options{}); err == nil {
		t.Error("loads for no site")
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got error %v, want %q", err, want)
	}
}
