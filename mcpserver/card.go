package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
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
	return &mcp.Implementation{Name: "almanac", Title: tools.Title(id), Version: version, WebsiteURL: site.Base}
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
		Name:   RegistryName(site), Version: impl.Version, Description: tools.Summary(id),
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
// namespace that the registry proves by DNS, and the name of the program.
func RegistryName(site catalog.Site) string {
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
	return strings.Join(labels, ".") + "/" + catalog.MCPName
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

// RegistryAuthPath is where the MCP registry looks for the public key of a domain (registry, "HTTP Authentication").
const RegistryAuthPath = "/.well-known/mcp-registry-auth"

// A proof record as the registry reads it: version, algorithm and public key.
var proofRecord = regexp.MustCompile(`^v=MCPv1; *k=([a-z0-9]+); *p=([A-Za-z0-9+/]+={0,2})$`)

// keySizes are the algorithms of the registry with the sizes of their public keys in bytes.
var keySizes = map[string]int{"ed25519": 32, "ecdsap384": 49} // the second is a compressed point

// checkRegistryAuth returns the fault of a proof record; "" is no record and has none.
func checkRegistryAuth(record string) error {
	if record == "" {
		return nil
	}
	parts := proofRecord.FindStringSubmatch(record)
	if parts == nil {
		return fmt.Errorf("%.80q is not a proof record of the MCP registry: it must have the form v=MCPv1; k=ed25519; p=<public key in base64>", record)
	}
	size, ok := keySizes[parts[1]]
	if !ok {
		return fmt.Errorf("the MCP registry knows no algorithm %q; use ed25519 or ecdsap384", parts[1])
	}
	if key, err := base64.StdEncoding.DecodeString(parts[2]); err != nil || len(key) != size {
		return fmt.Errorf("the key of the proof record must be %d bytes in base64 for %s", size, parts[1])
	}
	return nil
}

// serveRegistryAuth returns a handler that serves a proof record, or nil when there is none.
func serveRegistryAuth(record string) http.Handler {
	if record == "" {
		return nil
	}
	body := []byte(record + "\n")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "public, max-age=300") // a key may be replaced
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}
