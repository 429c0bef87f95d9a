package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
	"go.almanac.example/tools"
)

// CardPaths are the paths of the server card: first the one that the extension for server cards
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

// A card is the server card (MCP, experimental-ext-server-card): the description that a directory reads before it
// connects.
type card struct {
	body     []byte
	etag     string
	problems problem.Writer
}

// An icon is in the card and in the registry, and not in the name that this server gives itself, which is in every
// answer.
type icon struct {
	Source string   `json:"src"`
	Type   string   `json:"mimeType"`
	Sizes  []string `json:"sizes"`
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions,omitempty"`
}

func newCard(id catalog.Identity, site catalog.Site, version string, log *slog.Logger) *card {
	impl := implementation(id, site, version)
	doc := struct {
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Title       string   `json:"title"`
		WebsiteURL  string   `json:"websiteUrl"`
		Icons       []icon   `json:"icons"`
		Remotes     []remote `json:"remotes"`
	}{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   RegistryName(id, site), Version: impl.Version, Description: tools.Summary(id),
		Title: impl.Title, WebsiteURL: site.Base,
		Icons:   []icon{{site.URL("/static/icon.svg"), "image/svg+xml", []string{"any"}}},
		Remotes: []remote{{"streamable-http", site.MCPURL(), mcp.SupportedProtocolVersions()}},
	}
	body := wirejson.Must(wirejson.Indent(doc))
	sum := sha256.Sum256(body)
	return &card{body, `"` + hex.EncodeToString(sum[:16]) + `"`, problem.Writer{Base: site.ProblemBase(), Log: log}}
}

// The file server.json beside this one is for the MCP registry. An operator replaces
// almanac.example by the host of the installation, reversed in the name, and sets the version that
// runs; a test compares the rest with the server card.

// RegistryName is the name of an installation in directories: its host in reverse, which is the
// namespace that the registry proves by DNS, and its name.
func RegistryName(id catalog.Identity, site catalog.Site) string {
	host := "localhost"
	if u, err := url.Parse(site.MCP); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	labels := strings.Split(host, ".")
	if !strings.Contains(host, ":") && !peer.IsLoopback(host) {
		slices.Reverse(labels)
	} else {
		labels = []string{"localhost"}
	}
	return strings.Join(labels, ".") + "/" + id.Slug()
}

func (c *card) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "If-None-Match")
		h.Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		c.problems.Write(w, r, problem.New(problem.MethodNotAllowed))
		return
	}
	h.Set("ETag", c.etag)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", catalog.ServerCardType)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(c.body))
}
