package mcpserver

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// TestRegistryFile holds server.json, which an operator edits and hands to the MCP registry, to
// what the registry requires and to the server card of the same installation.
func TestRegistryFile(t *testing.T) {
	b, err := os.ReadFile("server.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Schema      string `json:"$schema"`
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Version     string `json:"version"`
		WebsiteURL  string `json:"websiteUrl"`
		Icons       []mcp.Icon
		Remotes     []struct{ Type, URL string }
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	site := catalog.Site{Base: "https://almanac.example", API: "https://almanac.example", MCP: "https://almanac.example"}
	var card struct {
		Name, Title, Description, Version, WebsiteURL string
		Icons                                         []mcp.Icon
		Remotes                                       []struct{ Type, URL string }
	}
	if err := json.Unmarshal(Card(real().Catalog.Identity(), site, file.Version), &card); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{card.Name, card.Title, card.Description, card.WebsiteURL, card.Icons, card.Remotes},
		[]any{file.Name, file.Title, file.Description, file.WebsiteURL, file.Icons, file.Remotes}); diff != "" {
		t.Errorf("server.json and the server card differ (-card +file):\n%s", diff)
	}
	if file.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("$schema is %s", file.Schema)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(file.Name) || len(file.Name) > 200 {
		t.Errorf("the registry does not take the name %q", file.Name)
	}
	if strings.ContainsAny(file.Version, "^~*x ") || file.Version == "latest" || len(file.Description) > 100 || len(file.Title) > 100 {
		t.Errorf("the registry does not take version %q, title %q or description %q", file.Version, file.Title, file.Description)
	}
}

// registrySchema is the schema of the registry; testdata/schemas/README.md names its source.
func registrySchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	b, err := os.ReadFile("testdata/schemas/server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRegistryFileSatisfiesItsSchema: server.json is what the registry's schema wants, and would not be with one thing broken.
func TestRegistryFileSatisfiesItsSchema(t *testing.T) {
	schema := registrySchema(t)
	b, err := os.ReadFile("server.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	if err := valid(string(b)); err != nil {
		t.Errorf("server.json: %v", err)
	}
	for _, broken := range [][2]string{
		{`"name": "example.almanac/almanac"`, `"name": "almanac"`},
		{`"name": "example.almanac/almanac",`, ``},
		{`"description": "`, `"description": "` + strings.Repeat("x", 100)},
		{`"version": "1.0.0",`, ``},
		{`"type": "streamable-http"`, `"type": "http"`},
		{`"url": "https://almanac.example/mcp"`, `"url": "almanac.example/mcp"`},
		{`"mimeType": "image/svg+xml"`, `"mimeType": "text/plain"`},
		{`["any"]`, `["all"]`},
	} {
		text := strings.Replace(string(b), broken[0], broken[1], 1)
		if text == string(b) || valid(text) == nil {
			t.Errorf("%s in place of %s is valid", broken[1], broken[0])
		}
	}
}

// TestOneIdentifier: the AI catalogue names the server as its card does: the card's name is the publisher's host in reverse
// and a name, and the identifier has both.
func TestOneIdentifier(t *testing.T) {
	f, ok := real().mirror.File(catalog.AICatalogPath)
	if !ok {
		t.Fatal("there is no AI catalogue")
	}
	var ai struct {
		Entries []struct{ Identifier, Type, URL string }
	}
	var card struct{ Name string }
	if err := json.Unmarshal(f.Body, &ai); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(Card(real().Catalog.Identity(), catalog.DefaultSite, "1.2.3"), &card); err != nil {
		t.Fatal(err)
	}
	namespace, name, _ := strings.Cut(card.Name, "/")
	labels := strings.Split(namespace, ".")
	slices.Reverse(labels)
	want := "urn:air:" + strings.Join(labels, ".") + ":mcp:" + name
	if len(ai.Entries) == 0 || ai.Entries[0].Identifier != want || ai.Entries[0].Type != catalog.ServerCardType || ai.Entries[0].URL != catalog.DefaultSite.ServerCardURL() {
		t.Errorf("the catalogue has %+v, want %s", ai.Entries, want)
	}
}

// TestCardFollowsItsSchema holds the card to the rules of the extension's schema (experimental-ext-server-card, schema.ts of
// 2026-07-24), which lets it have other members: those of the drafts before, which directories read.
func TestCardFollowsItsSchema(t *testing.T) {
	var card struct {
		Schema      string     `json:"$schema"`
		Name        string     `json:"name"`
		Version     string     `json:"version"`
		Description string     `json:"description"`
		Title       string     `json:"title"`
		WebsiteURL  string     `json:"websiteUrl"`
		Icons       []mcp.Icon `json:"icons"`
		Remotes     []struct {
			Type     string   `json:"type"`
			URL      string   `json:"url"`
			Versions []string `json:"supportedProtocolVersions"`
		} `json:"remotes"`
		ServerInfo struct{ Name, Version string }  `json:"serverInfo"`
		Transport  struct{ Type, Endpoint string } `json:"transport"`
	}
	d := json.NewDecoder(strings.NewReader(string(Card(real().Catalog.Identity(), catalog.DefaultSite, "1.2.3"))))
	d.DisallowUnknownFields()
	if err := d.Decode(&card); err != nil {
		t.Fatal(err)
	}
	for what, ok := range map[string]bool{
		"$schema":     card.Schema == "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":        card.Name == "localhost/almanac",
		"version":     card.Version == "1.2.3",
		"description": card.Description != "" && len([]rune(card.Description)) <= 100,
		"title":       card.Title != "" && len([]rune(card.Title)) <= 100,
		"websiteUrl":  strings.HasPrefix(card.WebsiteURL, "http"),
		"remotes": len(card.Remotes) == 1 && card.Remotes[0].Type == "streamable-http" && slices.Contains(card.Remotes[0].Versions, "2026-07-28") &&
			card.Remotes[0].URL == "http://localhost:8402/mcp",
		"serverInfo": card.ServerInfo.Name == "almanac" && card.ServerInfo.Version == card.Version,
		"transport":  card.Transport.Type == card.Remotes[0].Type && card.Transport.Endpoint == card.Remotes[0].URL,
		"icons":      len(card.Icons) == 1 && card.Icons[0].MIMEType == "image/svg+xml",
	} {
		if !ok {
			t.Errorf("the card's %s breaks the schema: %+v", what, card)
		}
	}
	path := strings.TrimPrefix(card.Icons[0].Source, catalog.DefaultSite.Base)
	if f, ok := real().mirror.File(path); !ok || f.Type != card.Icons[0].MIMEType {
		t.Errorf("the icon %s is not a published file of its type", card.Icons[0].Source)
	}
}
