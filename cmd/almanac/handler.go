package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/index"
	"almanac/mcpserver"
	"almanac/ops"
)

// A builder holds what every snapshot is built with.
type builder struct {
	cfg      *serveConfig
	site     catalog.Site
	till     *till // nil: payments are off
	problems catalog.ProblemWriter
	log      *slog.Logger
}

// load reads the data and builds a snapshot of it.
func (b *builder) load(payments catalog.Payments) (*snapshot, error) {
	cat, err := b.cfg.load(b.site, payments)
	if err != nil {
		return nil, faultsError(b.cfg.fixtures, err)
	}
	x, err := index.New(cat, b.cfg.index())
	if err != nil {
		return nil, fmt.Errorf("build the index: %w", err)
	}
	return b.build(cat, &searchIndex{Index: x})
}

// withPayments builds a snapshot of the same data that speaks of another state of payments.
// The caller holds s.
func (b *builder) withPayments(s *snapshot, payments catalog.Payments) (*snapshot, error) {
	s.search.refs.take()
	return b.build(s.cat.WithPayments(payments), s.search)
}

// build wires the handler of a snapshot, which owns one reference of x.
func (b *builder) build(cat *catalog.Catalog, x *searchIndex) (*snapshot, error) {
	handler, err := b.newHandler(cat, x.Index)
	if err != nil {
		x.drop()
		return nil, err
	}
	return &snapshot{cat: cat, search: x, handler: handler}, nil
}

// newHandler is the whole service over HTTP, but for the operator's own listener. The public
// hosts may be one or three: each path means the same on all of them.
func (b *builder) newHandler(cat *catalog.Catalog, x *index.Index) (http.Handler, error) {
	mirror, err := httpmirror.Build(cat, httpmirror.Options{Version: versionText(), Log: b.log, Contact: b.cfg.securityContact})
	if err != nil {
		return nil, fmt.Errorf("build the mirror: %w", err)
	}
	server, err := mcpserver.New(cat, x, mcpserver.Options{
		Version: versionText(), Log: b.log, Paid: b.till.paidTool(cat.Offer()), Hosts: hostsOf(b.site, b.cfg.http),
		Source:  func(r *http.Request) netip.Addr { return ops.ClientAddr(r, b.cfg.trustedProxies) },
		Observe: b.observeCalls(),
	})
	if err != nil {
		return nil, fmt.Errorf("build the tool server: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", mirror)
	mux.Handle(catalog.MCPPath, server)
	for _, path := range mcpserver.CardPaths {
		mux.Handle(path, server.Card())
	}
	b.handlePaid(mux, x)
	return mux, nil
}

// observeCalls adds what a call to the tool server was to the access log, if there is one: never its
// arguments.
func (b *builder) observeCalls() func(method, tool string, status int, took time.Duration, bytes int) {
	if !b.cfg.accessLog {
		return nil
	}
	return func(method, tool string, status int, took time.Duration, bytes int) {
		b.log.Info("mcp", slog.String("method", method), slog.String("tool", tool), slog.Int("status", status),
			slog.Duration("took", took.Round(time.Microsecond)), slog.Int("bytes", bytes))
	}
}

// handlePaid adds the paid interface, or says that there is none.
func (b *builder) handlePaid(mux *http.ServeMux, x *index.Index) {
	if b.till == nil {
		off := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b.problems.Write(w, r, &catalog.Problem{Code: catalog.CodePaymentsOff})
		})
		mux.Handle(catalog.SearchPath, off)
		mux.Handle(catalog.CreditsPath, off)
		return
	}
	search := &index.Handler{Index: x, Credits: creditsLeft, Fail: b.problems.Write}
	mux.Handle(catalog.SearchPath, b.till.wall.Protect(search, search.Check))
	mux.Handle(catalog.CreditsPath, b.till.wall.CreditsHandler())
	if b.till.demo != nil {
		mux.Handle("/demo/pay", b.till.demo.PayHandler(b.till.refuse))
	}
}
