package server

import (
	"net"
	"net/http"
	"net/url"

	"almanac/catalog"
)

// redirect returns what answers cleartext requests: it sends them on to the same path over HTTPS, and answers ACME's challenges
// (RFC 8555, section 8.3).
func (c *certificates) redirect(site catalog.Site) http.Handler {
	bases := make(map[string]string) // by host name
	for _, base := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(base); err == nil && bases[u.Hostname()] == "" {
			bases[u.Hostname()] = base
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		base, ok := bases[host]
		if !ok {
			base = site.Base // never to wherever a request says
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, base+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if c.manager != nil {
		return c.manager.HTTPHandler(h)
	}
	return h
}
