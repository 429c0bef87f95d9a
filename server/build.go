package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/httpmirror/file"
	"almanac/index"
	"almanac/mcpserver"
	"almanac/ops"
	"almanac/peer"
	"almanac/problem"
)

// A builder builds snapshots. It holds what all of them share.
type builder struct {
	cfg      *Config
	site     catalog.Site
	payments *payments
	problems problem.Writer
	metrics  *ops.Metrics
	files    *file.Cache // of the files of all snapshots
	indexes  *indexProcesses
	calls    *mcpserver.Admission // of all snapshots
}

// load reads the data and builds a snapshot of it, until ctx ends. before is the snapshot in use; nil: none.
func (b *builder) load(ctx context.Context, before *snapshot, state catalog.Payments) (*snapshot, error) {
	if before == nil {
		before = new(snapshot)
	}
	cat, err := b.cfg.Source.Reload(before.catalog, b.site, state)
	if err != nil {
		return nil, err
	}
	s := &snapshot{catalog: cat, mirror: new(liveMirror)}
	if err := b.build(ctx, s, before); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// manyEntries is from how many entries on the finder is made before somebody asks for it. For 100,000 it takes seconds, for the curated library
// some milliseconds.
const manyEntries = 10_000

// build builds what a snapshot serves of its catalogue.
func (b *builder) build(ctx context.Context, s, before *snapshot) error {
	m, err := httpmirror.Build(s.catalog, httpmirror.Options{Version: b.cfg.Version, Log: b.cfg.Log, Contact: b.cfg.SecurityContact, Cache: b.files})
	if err != nil {
		return fmt.Errorf("build the mirror: %w", err)
	}
	s.mirror.p.Store(m)
	options := b.cfg.Index
	options.Build = b.indexes.builder(ctx)
	if s.search, err = index.Reload(before.search, s.catalog, options); err != nil {
		return fmt.Errorf("build the index: %w", err)
	}
	if len(s.catalog.Entries()) >= manyEntries { // not while another process builds the index: memory is short then
		if _, err := m.Finder(); err != nil {
			return fmt.Errorf("build the finder: %w", err)
		}
	}
	s.handler, err = b.handler(s)
	return err
}

// handler returns everything that is served over HTTP, except on the operator's listener. The public hosts may be one or three:
// each path means the same on all of them.
func (b *builder) handler(s *snapshot) (http.Handler, error) {
	mcp, err := mcpserver.New(s.catalog, s.search, s.mirror, mcpserver.Options{
		Version: b.cfg.Version, Log: b.cfg.Log, Paid: b.payments.paidTool(s.catalog.Terms()), Hosts: hostsOf(b.site, b.cfg.HTTP),
		Source:  func(r *http.Request) netip.Addr { return peer.FromRequest(r, b.cfg.TrustedProxies) },
		Observe: b.observeCall, RegistryAuth: b.cfg.RegistryAuth, Admission: b.calls,
	})
	if err != nil {
		return nil, fmt.Errorf("build the tool server: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.mirror)
	mux.Handle(catalog.MCPPath, mcp)
	mux.Handle(catalog.MCPPath+"/{$}", mcp) // as some clients write it
	for _, path := range mcpserver.CardPaths {
		mux.Handle(path, mcp.Card())
	}
	if proof := mcp.RegistryAuth(); proof != nil {
		mux.Handle("GET "+mcpserver.RegistryAuthPath, proof)
	}
	b.payments.handlePaid(mux, s.search, s.mirror, b.problems)
	return securedRedirects(mux, b.site), nil
}

// securedRedirects lets the redirects of a mux from paths such as // and /./ carry the security headers of the site: they are the
// only answers that none of its handlers makes.
func securedRedirects(mux *http.ServeMux, site catalog.Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, "/.") {
			httpmirror.SetSecurityHeaders(w.Header(), site)
		}
		mux.ServeHTTP(w, r)
	})
}

// hostsOf returns the hosts under which the tool server may be called: the public ones, and the address listened on.
func hostsOf(site catalog.Site, listen string) []string {
	hosts := []string{LocalAddress(listen)}
	for _, a := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(a); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// observeCall counts a call to the tool server and adds to its line in the access log what was called, never the arguments.
func (b *builder) observeCall(w http.ResponseWriter, c mcpserver.Call) {
	b.metrics.ToolCalled(c.Method, c.Tool, c.Outcome())
	ops.Annotate(w, slog.String("rpc", c.Method), slog.String("tool", c.Tool), slog.String("outcome", c.Outcome()))
}
