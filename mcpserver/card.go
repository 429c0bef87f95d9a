package mcpserver

import (
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/wirejson"
	"go.almanac.example/tools"
)

// CardPaths are the paths of [Card]: first the one that the extension for server cards
// defines, then those where scanners written before it still look.
var CardPaths = []string{
	catalog.ServerCardPath,
	"/.well-known/mcp/server-card.json",
	"/.well-known/mcp-server-card",
	"/.well-known/mcp.json",
}

// implementation names this server. Every answer since 2026-07-28 has it, so it is short.
func implementation(id catalog.Identity, site catalog.Site, version string) *mcp.Implementation {
	return &mcp.Implementation{Name: id.Slug(), Title: tools.Title(id), Version: version, WebsiteURL: site.Base}
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions,omitempty"`
}

// Card returns the server card (MCP, experimental-ext-server-card): the description that a directory reads before it
// connects.
func Card(id catalog.Identity, site catalog.Site, version string) []byte {
	impl := implementation(id, site, version)
	doc := struct {
		Schema      string `json:"$schema"`
		Name        string `json:"name"`
		Version     string `json:"version"`
		Description string `json:"description"`
		Title       string `json:"title"`
		WebsiteURL  string `json:"websiteUrl"`
		// The icon is in the card and in the registry, and not in the name that this server gives itself, which is in
		// every answer.
		Icons   []mcp.Icon `json:"icons"`
		Remotes []remote   `json:"remotes"`
		// Members of the drafts before the extension (SEP-1649), which Smithery and isitagentready.com read.
		ServerInfo map[string]string `json:"serverInfo"`
		Transport  map[string]string `json:"transport"`
	}{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   RegistryName(id, site), Version: impl.Version, Description: tools.Summary(id),
		Title: impl.Title, WebsiteURL: site.Base,
		Icons:      []mcp.Icon{{Source: site.URL("/static/icon.svg"), MIMEType: "image/svg+xml", Sizes: []string{"any"}}},
		Remotes:    []remote{{"streamable-http", site.MCPURL(), mcp.SupportedProtocolVersions()}},
		ServerInfo: map[string]string{"name": impl.Name, "version": impl.Version},
		Transport:  map[string]string{"type": "streamable-http", "endpoint": site.MCPURL()},
	}
	return wirejson.Must(wirejson.Indent(doc))
}

// The file server.json beside this one is for the MCP registry. An operator replaces
// almanac.example by the host of the installation, reversed in the name, and sets the version that
// runs; a test compares the rest with the server card.

// RegistryName is the name of an installation in directories: its host in reverse, which is the
// namespace that the registry proves by DNS, and its name.
func RegistryName(id catalog.Identity, site catalog.Site) string {
	labels := []string{"localhost"}
	u, err := url.Parse(site.MCP)
	if err == nil && !strings.Contains(u.Hostname(), ":") && !peer.IsLoopback(u.Hostname()) {
		labels = strings.Split(strings.ToLower(u.Hostname()), ".")
		slices.Reverse(labels)
	}
	return strings.Join(labels, ".") + "/" + id.Slug()
}
