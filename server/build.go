package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/mcpserver"
	"go.almanac.example/server/ops"
)

// load reads the data and builds a snapshot of them.
func (p *publisher) load() (*snapshot, error) {
	cat, err := p.cfg.Source.Load(p.site, p.payments.state())
	if err != nil {
		return nil, err
	}
	s := &snapshot{catalog: cat}
	if s.search, err = index.New(cat, index.Options{}); err != nil {
		return nil, fmt.Errorf("build the index: %w", err)
	}
	s.mirror, err = httpmirror.Build(cat, httpmirror.Options{Version: p.cfg.Version, Log: p.cfg.Log,
		Contact: p.cfg.SecurityContact, Index: s.search, Reports: p.takesReports(cat)})
	if err != nil {
		return nil, fmt.Errorf("build the mirror: %w", err)
	}
	if s.proofs, err = readProofs(p.cfg.WellKnown, s.mirror); err != nil {
		return nil, fmt.Errorf("read -well-known %s: %w", p.cfg.WellKnown, err)
	}
	s.handler = p.handler(s)
	return s, nil
}

// observeCall counts a call to the tool server, and adds its method and tool to the access log, never its arguments.
func (p *publisher) observeCall(w http.ResponseWriter, c mcpserver.Call) {
	p.metrics.ToolCalled(c.Method, c.Tool, c.Outcome())
	ops.Annotate(w, slog.String("rpc", c.Method), slog.String("tool", c.Tool), slog.String("outcome", c.Outcome()))
}

// handler returns the handler of the public listener. This is the list of all addresses that programs answer; every
// other address is a document, which httpmirror declares by its kind. The public hosts may be one or three: each path
// means the same on all of them.
func (p *publisher) handler(s *snapshot) http.Handler {
	mcp := p.toolServer(s)
	search, credits := p.paidHandlers(s)
	mux := http.NewServeMux()
	handle := func(address, path string, h http.Handler) {
		root := catalog.Root(address)
		mux.Handle(root+path, http.StripPrefix(root, h))
		if root != "" && strings.HasPrefix(path, wellKnown) {
			mux.Handle(path, h)
		}
	}
	handle(p.site.Base, "/", s.mirror)
	handle(p.site.API, catalog.SearchPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mirror.ForBrowsers(search, w, r)
	}))
	handle(p.site.API, catalog.CreditsPath, credits)
	handle(p.site.MCP, catalog.MCPPath, mcp)
	handle(p.site.MCP, catalog.MCPPath+"/{$}", mcp) // as some clients write it
	for _, path := range mcpserver.CardPaths {
		handle(p.site.MCP, path, p.fixed(file.New(path, catalog.ServerCardType,
			mcpserver.Card(s.catalog.Identity(), p.site, p.cfg.Version)), "public, max-age=3600"))
	}
	p.handleProofs(mux, s)
	if p.explains(s.catalog) {
		handle(p.site.API, catalog.ExplainAPIPath, http.HandlerFunc(p.explain))
		mux.Handle("POST "+catalog.Root(p.site.Base)+catalog.ExplainPath+"{$}", p.explainPage(s.mirror))
	}
	if p.takesReports(s.catalog) {
		mux.Handle("POST "+catalog.Root(p.site.Base)+catalog.TrustPath+"{$}", p.reportPage(s.mirror))
	}
	if p.payments != nil && p.payments.demo != nil {
		handle(p.site.API, catalog.DemoWalletPath, p.payments.demo.PayHandler(p.problems.Write))
	}
	if root := catalog.Root(p.site.Base); root != "" {
		mux.Handle(root, http.HandlerFunc(p.outside))
		mux.Handle("/", http.HandlerFunc(p.outside))
		mux.Handle(wellKnown, s.mirror)
		mux.Handle(catalog.RobotsPath, s.mirror)
	}
	return securedRedirects(mux, p.site)
}

// wellKnown is where clients look at the root of a host (RFC 8615), also if the site is below a path of it.
const wellKnown = "/.well-known/"

// outside answers what is not below the path of the site: it leads from the root of the host to the site.
func (p *publisher) outside(w http.ResponseWriter, r *http.Request) {
	httpmirror.SetSecurityHeaders(w.Header(), p.site)
	if r.URL.Path == "/" || r.URL.Path == catalog.Root(p.site.Base) {
		http.Redirect(w, r, p.site.URL("/"), http.StatusFound)
		return
	}
	p.problems.Write(w, r, problem.Errorf(problem.NotFound, "Nothing is published at this address. The site is at %s", p.site.URL("/")))
}

// toolServer returns the MCP endpoint of a snapshot.
func (p *publisher) toolServer(s *snapshot) *mcpserver.Server {
	return mcpserver.New(s.catalog, s.search, s.mirror, mcpserver.Options{
		Version: p.cfg.Version, Log: p.cfg.Log, Paid: p.payments.paidTool(s.catalog.Terms()),
		Hosts:   hostsOf(p.site, p.cfg.HTTP),
		Observe: p.observeCall, Admission: p.calls,
		Explain: p.cfg.Explain,
	})
}

// paidHandlers returns the handlers of paid search and of a credential's balance. While nothing is sold, both say so.
func (p *publisher) paidHandlers(s *snapshot) (search, credits http.Handler) {
	if p.payments == nil {
		off := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.problems.Write(w, r, problem.New(problem.PaymentsOff))
		})
		return off, off
	}
	h := &index.Handler{Seller: seller(s.search), Fail: p.problems.Write}
	return p.payments.paywall.Protect(h, h.Check), p.payments.paywall.CreditsHandler()
}

// securedRedirects adds the security headers to the redirects that the mux itself makes, from paths such as // and /./.
func securedRedirects(mux *http.ServeMux, site catalog.Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "/.") {
			httpmirror.SetSecurityHeaders(w.Header(), site)
		}
		mux.ServeHTTP(w, asBrowsersRead(r))
	})
}

// asBrowsersRead returns a request whose address means what the URL Standard says: a path is the same in every encoding; of
// a query, a semicolon separates nothing, and a percent sign without two digits stands for itself. Browsers send both as
// they were typed, and package url refuses them.
func asBrowsersRead(r *http.Request) *http.Request {
	if r.URL.RawPath == "" && !strings.ContainsAny(r.URL.RawQuery, ";%") {
		return r
	}
	query := percent.ReplaceAllStringFunc(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"), func(code string) string {
		if code == "%" {
			return "%25"
		}
		return code
	})
	read, u := *r, *r.URL
	u.RawPath, u.RawQuery = "", query
	read.URL = &u
	return &read
}

// percent matches a percent sign with its digits, or alone.
var percent = regexp.MustCompile(`%([0-9A-Fa-f]{2})?`)

// hostsOf returns the hosts of the tool server: the public ones, and the address of the listener.
func hostsOf(site catalog.Site, listen string) []string {
	hosts := []string{localAddress(listen)}
	for _, a := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(a); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
