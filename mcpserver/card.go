package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/problem"
)

// CardPaths are where the server card is found: first where the extension for server cards puts
// it, then where scanners written before it still look.
var CardPaths = []string{
	catalog.ServerCardPath,
	"/.well-known/mcp/server-card.json",
	"/.well-known/mcp-server-card",
	"/.well-known/mcp.json",
}

// CardType is the media type of the server card.
const CardType = "application/mcp-server-card+json"

// summary is what the card and the registry say, 100 characters at most.
const summary = "Checked data on machine payment and agent protocols: library, facts with sources, change feed."

// A card is the server card (MCP, experimental-ext-server-card): what a directory has to know
// before it connects.
type card struct {
	body     []byte
	etag     string
	problems problem.Writer
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions,omitempty"`
}

func newCard(site catalog.Site, impl *mcp.Implementation, log *slog.Logger) *card {
	doc := struct {
		Schema      string   `json:"$schema"`
		Name        string   `json:"name"`
		Version     string   `json:"version"`
		Description string   `json:"description"`
		Title       string   `json:"title"`
		WebsiteURL  string   `json:"websiteUrl"`
		Remotes     []remote `json:"remotes"`
	}{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   RegistryName(site), Version: impl.Version, Description: summary,
		Title: impl.Title, WebsiteURL: site.Base,
		Remotes: []remote{{"streamable-http", site.MCPURL(), mcp.SupportedProtocolVersions()}},
	}
	body := indent(doc)
	sum := sha256.Sum256(body)
	return &card{body, `"` + hex.EncodeToString(sum[:16]) + `"`, problem.Writer{Base: site.ProblemBase(), Log: log}}
}

// The file server.json beside this one is what the MCP registry takes. An operator puts the host of
// the installation in place of almanac.example, reversed in the name, and the version that runs;
// a test holds the rest of it to the server card.

// RegistryName is the name of an installation in directories: its host in reverse, which is the
// namespace that the registry proves by DNS, and the name of the program.
func RegistryName(site catalog.Site) string {
	host := "localhost"
	if u, err := url.Parse(site.MCP); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	labels := strings.Split(host, ".")
	if !strings.Contains(host, ":") && !isLoopback(host) {
		slices.Reverse(labels)
	} else {
		labels = []string{"localhost"}
	}
	return strings.Join(labels, ".") + "/almanac"
}

func indent(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic("mcpserver: a document of ours does not encode: " + err.Error())
	}
	return b.Bytes()
}

// Card serves the server card at each of CardPaths.
func (s *Server) Card() http.Handler { return s.card }

func (c *card) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Access-Control-Allow-Origin"] = anyOrigin
	h.Set("Access-Control-Expose-Headers", "ETag")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "If-None-Match")
		h["Access-Control-Max-Age"] = corsMaxAge
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
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == c.etag || tag == "*" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", CardType)
	h.Set("Content-Length", strconv.Itoa(len(c.body)))
	if r.Method == http.MethodGet {
		w.Write(c.body)
	}
}
