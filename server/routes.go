package server

import (
	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/index"
	"almanac/l402"
	"almanac/mcpserver"
	"almanac/peer"
	"almanac/problem"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// handler returns the handler of the public listener. This is the list of all addresses that programs answer; every
// other address is a document, which httpmirror declares by its kind. The public hosts may be one or three: each path
// means the same on all of them.
func (b *builder) handler(s *snapshot) (http.Handler, error) {
	mcp, err := b.toolServer(s)
	if err != nil {
		return nil, fmt.Errorf("build the tool server: %w", err)
	}
	search, credits := b.paidHandlers(s)
	mux := http.NewServeMux()
	mux.Handle("/", s.mirror)
	mux.Handle(catalog.SearchPath, s.mirror.forBrowsers(search))
	mux.Handle(catalog.CreditsPath, credits)
	mux.Handle(catalog.MCPPath, mcp)
	mux.Handle(catalog.MCPPath+"/{$}", mcp) // as some clients write it
	for _, path := range mcpserver.CardPaths {
		mux.Handle(path, mcp.Card())
	}
	if proof := mcp.RegistryAuth(); proof != nil {
		mux.Handle("GET "+mcpserver.RegistryAuthPath, proof)
	}
	if b.payments != nil && b.payments.demo != nil {
		mux.Handle(catalog.DemoWalletPath, b.payments.demo.PayHandler(b.problems.Write))
	}
	return securedRedirects(mux, b.site), nil
}

// toolServer returns the MCP endpoint of a snapshot.
func (b *builder) toolServer(s *snapshot) (*mcpserver.Server, error) {
	return mcpserver.New(s.catalog, s.search, s.mirror, mcpserver.Options{
		Version: b.cfg.Version, Log: b.cfg.Log, Paid: b.payments.paidTool(s.catalog.Terms()), Hosts: hostsOf(b.site, b.cfg.HTTP),
		Source:  func(r *http.Request) netip.Addr { return peer.FromRequest(r, b.cfg.TrustedProxies) },
		Observe: b.observeCall, RegistryAuth: b.cfg.RegistryAuth, Admission: b.calls,
	})
}

// paidHandlers returns the handlers of paid search and of a credential's balance. While nothing is sold, both say so.
func (b *builder) paidHandlers(s *snapshot) (search, credits http.Handler) {
	if b.payments == nil {
		off := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b.problems.Write(w, r, problem.New(problem.PaymentsOff))
		})
		return off, off
	}
	h := &index.Handler{Index: s.search, Credits: creditsLeft, Waive: l402.Waive, Fail: b.problems.Write}
	return b.payments.paywall.Protect(h, h.Check), b.payments.paywall.CreditsHandler()
}

// securedRedirects adds the security headers to the redirects that the mux itself makes, from paths such as // and /./.
func securedRedirects(mux *http.ServeMux, site catalog.Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "/.") {
			httpmirror.SetSecurityHeaders(w.Header(), site)
		}
		mux.ServeHTTP(w, r)
	})
}

// hostsOf returns the hosts of the tool server: the public ones, and the address of the listener.
func hostsOf(site catalog.Site, listen string) []string {
	hosts := []string{LocalAddress(listen)}
	for _, a := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(a); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
