package mcpserver

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
)

// hosts are the names under which the endpoint answers. Without such a list a page anywhere could
// point its own name at this machine and call it from the visitor's browser (DNS rebinding).
type hosts struct {
	any   bool
	names []string
	exact map[string]bool // Host headers in their usual form, which need no parsing
}

func newHosts(names []string, site catalog.Site) (hosts, error) {
	if len(names) == 0 {
		u, err := url.Parse(site.MCP)
		if err != nil {
			return hosts{}, fmt.Errorf("address %q: %w", site.MCP, err)
		}
		names = []string{u.Hostname()}
	}
	h := hosts{exact: make(map[string]bool)}
	for _, name := range names {
		if name == "*" {
			h.any = true
		} else if name != "" {
			h.names = append(h.names, hostname(name))
			h.exact[name] = true
		}
	}
	if u, err := url.Parse(site.MCP); err == nil && slices.Contains(h.names, strings.ToLower(u.Hostname())) {
		h.exact[u.Host] = true
	}
	return h, nil
}

func (h *hosts) allow(host string) bool {
	if h.any || h.exact[host] {
		return true
	}
	name := hostname(host)
	return name != "" && (isLoopback(name) || slices.Contains(h.names, name))
}

// hostname returns the name in a Host header in lower case, or "" when the header is not valid.
func hostname(host string) string {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host || u.User != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
