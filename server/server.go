// Package server runs almanac as a service: it publishes a catalogue over HTTP, MCP and gRPC, sells searches, and
// follows changes of the curated files and of the Lightning node.
//
// It is a library: it reads no flags, handles no signals and ends no process.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/problem"
	"go.almanac.example/mcpserver"
	"go.almanac.example/server/ops"
)

// A Server is a service whose addresses are bound and whose node and ledger are open.
type Server struct {
	cfg       Config
	site      catalog.Site
	listeners listeners
	publisher publisher
	stopping  atomic.Bool
}

// Open binds the addresses that cfg names and opens the node and the ledger. Requests wait until Run.
func Open(ctx context.Context, cfg Config) (_ *Server, err error) {
	s := &Server{cfg: cfg}
	metrics := ops.NewMetrics(cfg.Version, time.Now)
	if cfg.DroppedLines != nil {
		metrics.CountDropped(cfg.DroppedLines)
	}
	if s.listeners, err = listen(ctx, &s.cfg, metrics); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.listeners.close()
		}
	}()
	certs, err := openCertificates(cfg.TLS, cfg.State, metrics.CertificateExpiry)
	if err != nil {
		return nil, err
	}
	s.cfg.Source.Terms.Demo = cfg.Payments.Backend == BackendDemo
	at := s.listeners.httpAddress(cfg.HTTP)
	if certs != nil && cfg.Source.BaseURL == "" {
		s.cfg.Source.BaseURL = "https://" + localAddress(at)
		if len(cfg.TLS.Hosts) > 0 {
			s.cfg.Source.BaseURL = "https://" + cfg.TLS.Hosts[0]
		}
	}
	s.site = s.cfg.Source.Site(at)
	problems := problem.Writer{Base: s.site.ProblemBase(), Log: cfg.Log}
	starting, cancel := context.WithTimeout(ctx, cmp.Or(cfg.StartTimeout, 5*time.Second)) // the data are free
	defer cancel()
	payments, err := openPayments(starting, &s.cfg, s.site, problems, metrics)
	if err != nil {
		return nil, err
	}
	s.publisher = publisher{
		cfg: &s.cfg, site: s.site, payments: payments, problems: problems, metrics: metrics,
		calls: mcpserver.NewAdmission(0, 0), certs: certs, reports: openReports(cfg.State),
	}
	exposed := diagnosis{cfg: s.cfg}
	exposed.cfg.HTTP, exposed.cfg.Admin = address(s.listeners.http), address(s.listeners.admin)
	exposed.addExposure(starting)
	for _, f := range exposed.findings {
		if f.Err != nil {
			s.cfg.Log.Warn(strings.ToUpper(f.Name)+": "+f.Err.Error(), "then", f.Then)
		}
	}
	return s, nil
}

// Run loads the data and serves them until ctx ends or a listener fails. It returns when the requests at hand are
// answered and everything is closed.
func (s *Server) Run(ctx context.Context) error {
	defer s.listeners.close()
	defer s.publisher.payments.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if err := s.publisher.publish(); err != nil {
		return err
	}
	endpoints := s.endpoints()
	for _, e := range endpoints {
		go func() {
			if err := e.serve(); err != nil {
				stop(fmt.Errorf("serve %s: %w", e.name, err))
			}
		}()
	}
	s.publisher.payments.start(ctx)
	s.announce()
	s.publisher.follow(ctx, s.cfg.Reload)
	failure := context.Cause(ctx)
	if errors.Is(failure, context.Canceled) { // the end that was asked for
		failure = nil
		s.lameDuck()
	}
	drain(endpoints, s.cfg.Log)
	return failure
}

// lameDuck reports that the service is not ready any more, and goes on serving until balancers have noticed. Meanwhile
// each answer ends its connection, so that the next request of its client goes to another replica.
func (s *Server) lameDuck() {
	s.stopping.Store(true)
	s.cfg.Log.Info("stopping; requests are still served for the time of -lame-duck", "lame_duck", s.cfg.LameDuck.String())
	time.Sleep(s.cfg.LameDuck)
}

// closing returns next, whose answers end their connections once the service is stopping.
func (s *Server) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close") // over HTTP/2: GOAWAY
		}
		next.ServeHTTP(w, r)
	})
}

// endpoints puts the handlers behind the listeners.
func (s *Server) endpoints() []endpoint {
	p, log, m := &s.publisher, s.cfg.Log, s.middleware()
	list := []endpoint{httpEndpoint("http", s.listeners.http, s.closing(s.secured(m.Handler(&p.current))), p.certs, log)}
	if l := s.listeners.redirect; l != nil {
		list = append(list, httpEndpoint("redirect", l, p.certs.redirect(s.site), nil, log))
	}
	if l := s.listeners.grpc; l != nil {
		list = append(list, grpcEndpoint(l, &currentSearch{current: &p.current, log: log}, p.payments.paywall, m, p.certs))
	}
	if l := s.listeners.admin; l != nil {
		list = append(list, httpEndpoint("admin", l, adminHandler(&readiness{&p.current, p.payments, &s.stopping}, p.metrics), nil, log))
	}
	return list
}

// secured adds the header that makes browsers use HTTPS alone (RFC 6797), where that is known to work: with
// certificates of our own, for a host other than this machine.
func (s *Server) secured(next http.Handler) http.Handler {
	if s.publisher.certs == nil || s.cfg.TLS.HSTS <= 0 || isLocalURL(s.site.Base) {
		return next
	}
	value := []string{"max-age=" + strconv.FormatInt(int64(s.cfg.TLS.HSTS/time.Second), 10)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Strict-Transport-Security"] = value
		next.ServeHTTP(w, r)
	})
}

// middleware returns the middleware of the public handlers.
func (s *Server) middleware() *ops.Middleware {
	m := &ops.Middleware{Metrics: s.publisher.metrics, Proxies: s.cfg.TrustedProxies, RequestHeader: s.cfg.RequestHeader,
		Log: s.cfg.Log, Refuse: s.refuse, Now: time.Now, Site: s.site, Unread: ops.NewUnread()}
	if s.cfg.AccessLog {
		m.Access = slog.New(ops.NewRefusalSampler(cmp.Or(s.cfg.Access, s.cfg.Log).Handler(), time.Now))
	}
	if s.cfg.FreeRate > 0 {
		m.Limit = ops.NewLimit(s.cfg.FreeRate)
	}
	return m
}

// refuse answers a request that the middleware does not let through, on each surface in its own form.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem.Problem
	if strings.TrimSuffix(r.URL.Path, "/") == catalog.Root(s.site.MCPURL()) && errors.As(err, &p) {
		mcpserver.Refuse(w, s.site, p)
		return
	}
	s.publisher.problems.Write(w, r, err)
}

// announce writes where everything is served to the log and to the terminal.
func (s *Server) announce() {
	now := s.publisher.current.p.Load()
	s.cfg.Log.Info("serving", "base", s.site.Base, "api", s.site.API, "mcp", s.site.MCPURL(),
		"http", address(s.listeners.http), "grpc", address(s.listeners.grpc), "admin", address(s.listeners.admin),
		"redirect", address(s.listeners.redirect), "entries", len(now.catalog.Entries()), "payments", paymentsText(now.catalog),
		"memory", memoryText(s.cfg.Memory), "heap", memoryText(uint64(debug.SetMemoryLimit(-1))))
	if now.catalog.Terms().Demo {
		s.cfg.Log.Warn("payments are a demonstration: no money moves, and everybody who reaches this service searches for free; set -payments to sell (docs/nodes.md)")
	}
}
