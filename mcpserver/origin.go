package mcpserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/peer"
)

// cors holds the rules for pages in browsers (Fetch standard, "CORS protocol").
type cors struct {
	any      bool
	loopback bool
	origins  []string
}

// The values of the headers, shared between answers and never modified.
var (
	anyOrigin   = []string{"*"}
	exposed     = []string{"MCP-Protocol-Version, Mcp-Session-Id, WWW-Authenticate, Retry-After, RateLimit"}
	corsMethods = []string{"POST, OPTIONS"}
	corsHeaders = []string{"Content-Type, Accept, Authorization, Accept-Payment, Payment-Authorization, Idempotency-Key, " +
		"MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"}
	corsMaxAge   = []string{"86400"}
	varyOnOrigin = []string{"Origin"}
)

func newCORS(origins []string, site catalog.Site) cors {
	if len(origins) == 0 {
		u, err := url.Parse(site.MCP)
		if err == nil && peer.IsLoopback(u.Hostname()) {
			return cors{loopback: true}
		}
		return cors{any: true}
	}
	c := cors{origins: origins}
	for _, o := range origins {
		c.any = c.any || o == "*"
		c.loopback = c.loopback || o == "loopback"
	}
	return c
}

// allow sets the headers that let a page read the answer, refusals too, and reports whether the
// page may call. A request without Origin does not come from a page.
func (c *cors) allow(answer, request http.Header) bool {
	if c.any {
		answer["Access-Control-Allow-Origin"] = anyOrigin
		answer["Access-Control-Expose-Headers"] = exposed
		return true
	}
	answer["Vary"] = varyOnOrigin
	origin := request["Origin"]
	if len(origin) == 0 {
		return true
	}
	if len(origin) > 1 || !c.allowed(origin[0]) {
		return false
	}
	answer["Access-Control-Allow-Origin"] = origin[:1]
	answer["Access-Control-Expose-Headers"] = exposed
	return true
}

func (c *cors) allowed(origin string) bool {
	if slices.Contains(c.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
		return false
	}
	return c.loopback && (u.Scheme == "http" || u.Scheme == "https") && peer.IsLoopback(u.Hostname())
}

// preflight sets the headers that answer a browser's preflight request.
func (c *cors) preflight(answer http.Header) {
	answer["Access-Control-Allow-Methods"] = corsMethods
	answer["Access-Control-Allow-Headers"] = corsHeaders
	answer["Access-Control-Max-Age"] = corsMaxAge
}

// hosts are the names under which the endpoint answers. Without such a list a page anywhere could
// point its own name at this machine and call it from the visitor's browser (DNS rebinding).
type hosts struct {
	any   bool
	names []string
}

func newHosts(names []string, site catalog.Site) (hosts, error) {
	if len(names) == 0 {
		u, err := url.Parse(site.MCP)
		if err != nil {
			return hosts{}, fmt.Errorf("address %q: %w", site.MCP, err)
		}
		names = []string{u.Hostname()}
	}
	var h hosts
	for _, name := range names {
		if name == "*" {
			h.any = true
		} else if name != "" {
			h.names = append(h.names, hostname(name))
		}
	}
	return h, nil
}

func (h *hosts) allow(host string) bool {
	name := hostname(host)
	return h.any || name != "" && (peer.IsLoopback(name) || slices.Contains(h.names, name))
}

// hostname returns the name in a Host header in lower case, or "" when the header is not valid.
func hostname(host string) string {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host || u.User != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
