package mcpserver

import (
	"testing"

	"go.almanac.example/catalog"
)

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
