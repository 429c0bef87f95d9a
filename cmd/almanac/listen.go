package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"almanac/catalog"
	"almanac/mcpserver"
	"almanac/ops"
)

// A listener is one of the service's doors.
type listener struct {
	name     string // http, grpc or admin
	net      net.Listener
	serve    func() error
	shutdown func(context.Context) error
}

// The limits of a connection. Every answer is in memory before it is written, so a client that
// is still reading after writeTimeout is not reading.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	maxStreams        = 250 // of one HTTP/2 connection, at once
	drainTimeout      = 20 * time.Second
)

// open binds an address, and says in one sentence why it cannot.
func open(ctx context.Context, name, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		remedy := "choose another address"
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			remedy = "end the program that uses the address, or choose another one"
		case errors.Is(err, syscall.EACCES):
			remedy = "choose a port above 1023, or give the program the right to this one (CAP_NET_BIND_SERVICE)"
		}
		return nil, fmt.Errorf("-%s: %w; %s", name, err, remedy)
	}
	return netutil.LimitListener(l, maxConnections(name)), nil
}

// maxConnections is how many connections a listener has at once; more wait to be accepted. It leaves the process file
// descriptors for the ledger, the node and the data, which must not fail because many are connected.
func maxConnections(name string) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		files.Cur = 1024
	}
	const kept = 256
	spare := max(int(min(files.Cur, 1<<20))-kept, 64)
	switch name {
	case "http":
		return spare * 3 / 4
	case "grpc":
		return spare / 8
	}
	return 32
}

func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		HTTP2:          &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		Protocols:      new(http.Protocols),
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	srv.Protocols.SetUnencryptedHTTP2(true) // from proxies that speak TLS for us
	return srv
}

// httpListener serves h at l, with TLS when there are certificates.
func httpListener(name string, l net.Listener, h http.Handler, certs *certificates, log *slog.Logger) listener {
	srv := newHTTPServer(h, log)
	serve := srv.Serve
	if certs != nil {
		srv.TLSConfig = certs.config()
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	return listener{name, l, func() error {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, srv.Shutdown}
}

// drain ends every listener after the requests at hand, all at the same time.
func (s *server) drain(listeners []listener) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, l := range listeners {
		wg.Go(func() {
			if err := l.shutdown(ctx); err != nil {
				s.log.Warn("requests were cut off at the end", "listener", l.name, "err", err)
			}
		})
	}
	wg.Wait()
}

// doors are the addresses bound, before anything is served there. A door that is off is nil.
type doors struct{ http, grpc, admin net.Listener }

// addr gives the address of a door, or "" when it is off.
func addr(l net.Listener) string {
	if l == nil {
		return ""
	}
	return l.Addr().String()
}

// openDoors binds every address that the flags name, so that a fault of one shows at once.
func openDoors(ctx context.Context, c *serveConfig) (doors, error) {
	var d doors
	for _, door := range []struct {
		name, addr string
		to         *net.Listener
	}{{"http", c.http, &d.http}, {"grpc", c.grpc, &d.grpc}, {"admin", c.admin, &d.admin}} {
		if door.addr == "" || door.name == "grpc" && c.payments.mode == "off" {
			continue // paid search is all there is over gRPC
		}
		l, err := open(ctx, door.name, door.addr)
		if err != nil {
			d.close()
			return doors{}, err
		}
		*door.to = l
	}
	return d, nil
}

// close gives the addresses back. Closing one that was served is no harm.
func (d doors) close() {
	for _, l := range []net.Listener{d.http, d.grpc, d.admin} {
		if l != nil {
			l.Close()
		}
	}
}

// httpName gives the address of the mirror as the flag names its host, with the port that was
// bound: -http localhost:0 takes a free one.
func (d doors) httpName(flag string) string {
	host, _, err := net.SplitHostPort(flag)
	_, port, perr := net.SplitHostPort(d.http.Addr().String())
	if err != nil || perr != nil {
		return flag
	}
	return net.JoinHostPort(host, port)
}

// listeners puts the handlers behind the doors.
func (s *server) listeners() ([]listener, error) {
	d := s.doors
	door, err := s.door()
	if err != nil {
		return nil, err
	}
	list := []listener{httpListener("http", d.http, door.Handler(&s.now), s.certs, s.log)}
	if d.grpc != nil {
		list = append(list, s.grpcListener(d.grpc, door))
	}
	if d.admin != nil {
		list = append(list, httpListener("admin", d.admin, s.adminHandler(), nil, s.log))
	}
	return list, nil
}

// door is what stands before the public handlers.
func (s *server) door() (ops.Middleware, error) {
	d := ops.Middleware{Metrics: s.metrics, Proxies: s.cfg.trustedProxies, Log: s.log, Refuse: s.refuse, Now: time.Now}
	if s.cfg.accessLog {
		d.Access = s.log
	}
	if s.cfg.freeRate == 0 {
		return d, nil
	}
	var err error
	d.Limit, err = ops.NewLimit(s.cfg.freeRate, time.Now)
	return d, err
}

// refuse answers a request that is over the limit, on each surface in its own form.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var p *catalog.Problem
	if r.URL.Path == catalog.MCPPath && errors.As(err, &p) {
		mcpserver.Refuse(w, s.problems.Site, p)
		return
	}
	s.problems.Write(w, r, err)
}

// hostsOf gives the names under which the tool server may be called: the public ones, and the
// address listened on.
func hostsOf(site catalog.Site, listen string) []string {
	hosts := []string{localName(listen)}
	for _, a := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(a); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
