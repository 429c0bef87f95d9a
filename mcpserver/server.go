// Package mcpserver is the streamable-HTTP endpoint around package tools.
//
// A request passes the guard (guard.go), which refuses what no client should send; then the clean
// and common case is answered from encoded bytes (fast.go); everything else goes to the SDK
// unchanged, which stays the engine and the judge: a test holds the two equal. The endpoint is
// stateless and answers in JSON, in both eras of the protocol: 2026-07-28, where each request
// says all about itself, and the versions before it, which begin with initialize.
package mcpserver

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/index"
	"almanac/tools"
)

// Options are what the endpoint depends on besides the data. The zero value serves.
type Options struct {
	Version string       // of the program; "" means "dev"
	Log     *slog.Logger // nil: nothing is logged
	Paid    *tools.Paid  // nil: search_library is not offered

	// Hosts are the names the endpoint answers to, besides loopback ones. Empty means the host of
	// the catalog's MCP address. "*" means any.
	Hosts []string
	// Origins are the origins whose pages may call, such as "https://app.example". "*" means any,
	// "loopback" any on this machine. Empty means any, since there are no cookies and nothing to
	// change; but only "loopback" when the MCP address is a loopback one, because then a page
	// elsewhere has no business here.
	Origins []string

	Deadline   time.Duration // of one tool call; 0 means 2 seconds
	Concurrent int           // requests worked on at one time; 0 means 256

	// Source tells the address a request comes from, which differs from the connection's behind a
	// proxy. nil means the connection's.
	Source func(*http.Request) netip.Addr
	// Observe, when set, is told of every request: the JSON-RPC method, the tool if one was
	// called, the HTTP status, the time taken and the bytes of the answer. Names that a client
	// made up are told as "other".
	Observe func(method, tool string, status int, took time.Duration, bytes int)
	Now     func() time.Time // nil: time.Now
}

// A Server is the endpoint over one catalog, as an http.Handler for the path catalog.MCPPath.
type Server struct {
	o      Options
	site   catalog.Site
	tools  *tools.Tools
	engine *mcp.Server
	sdk    http.Handler
	cors   cors
	hosts  hosts
	slots  chan struct{}
	metas  metas
	card   *card
	modern eraTail
}

// New makes the endpoint over a catalog and its index.
func New(c *catalog.Catalog, x *index.Index, o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{o: o, site: c.Site(), slots: make(chan struct{}, o.Concurrent)}
	var err error
	if s.hosts, err = newHosts(o.Hosts, c.Site()); err != nil {
		return nil, fmt.Errorf("mcp endpoint: %w", err)
	}
	s.cors = newCORS(o.Origins, c.Site())
	s.tools = tools.New(c, x, tools.Options{Paid: o.Paid, Now: o.Now, Log: o.Log})
	s.modern = newEraTail(s.implementation())
	s.newEngine()
	s.card = newCard(c.Site(), s.implementation(), o.Log)
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Deadline == 0 {
		o.Deadline = 2 * time.Second
	}
	if o.Concurrent == 0 {
		o.Concurrent = 256
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Source == nil {
		o.Source = connectionAddr
	}
	return o
}

func connectionAddr(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

const title = "almanac: checked data on payment and agent protocols"

// implementation names this server. It stands in every answer of the 2026 era, so it is short.
func (s *Server) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "almanac", Title: title, Version: s.o.Version, WebsiteURL: s.site.Base}
}

// newEngine sets up the SDK.
func (s *Server) newEngine() {
	quiet := slog.New(slog.DiscardHandler) // the SDK logs each request of a stateless server as a session
	server := &mcp.ServerOptions{
		Instructions:      s.tools.Instructions(),
		Logger:            quiet,
		Capabilities:      s.tools.Capabilities(),
		CompletionHandler: s.tools.Complete,
		SetCacheable:      cacheable,
	}
	extend(server)
	s.engine = mcp.NewServer(s.implementation(), server)
	s.engine.AddReceivingMiddleware(s.protect)
	s.tools.Register(s.engine, caller)
	s.sdk = s.engineHandler(mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: quiet,
		DisableLocalhostProtection: true, // the guard has its own list of hosts, which knows proxies
		MaxRequestBodyBytes:        maxBody,
	})
}

// Tools gives what the endpoint offers.
func (s *Server) Tools() *tools.Tools { return s.tools }
