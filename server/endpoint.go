package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // in which clients may send
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"go.almanac.example/index"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/l402"
	"go.almanac.example/server/ops"
)

// An endpoint is a listener with its server.
type endpoint struct {
	name     string
	serve    func() error // until shutdown; then nil
	shutdown func(context.Context) error
}

// The limits of a connection. Every answer is in memory before it is written, so a client that is still reading after
// writeTimeout is not reading.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	maxStreams        = 250 // of one HTTP/2 connection, at once
	drainTimeout      = 20 * time.Second
)

// httpEndpoint serves h at l, with TLS when there are certificates.
func httpEndpoint(name string, l net.Listener, h http.Handler, certs *certificates, log *slog.Logger) endpoint {
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
	serve := srv.Serve
	if certs != nil {
		srv.TLSConfig = certs.config()
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	return endpoint{name, func() error {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, srv.Shutdown}
}

// drain ends all endpoints at the same time, each after the requests it is answering.
func drain(endpoints []endpoint, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range endpoints {
		wg.Go(func() {
			if err := e.shutdown(ctx); err != nil {
				log.Warn("requests were cut off at the end", "listener", e.name, "err", err)
			}
		})
	}
	wg.Wait()
}

// maxGRPCMessage bounds a request; the longest query with every filter is far below it.
const maxGRPCMessage = 16 << 10

// grpcEndpoint serves paid search over gRPC at l, behind the same paywall as over HTTP.
func grpcEndpoint(
	l net.Listener, search *currentSearch, paywall *l402.Paywall, m *ops.Middleware, certs *certificates,
) endpoint {
	paid := func(method string) bool { return method == searchpb.Search_Search_FullMethodName }
	creds := insecure.NewCredentials()
	if certs != nil {
		creds = credentials.NewTLS(certs.config())
	}
	srv := grpc.NewServer(
		grpc.Creds(creds),
		grpc.ChainUnaryInterceptor(m.UnaryInterceptor, paywall.UnaryInterceptor(paid, search.check)),
		grpc.MaxRecvMsgSize(maxGRPCMessage),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.MaxConcurrentStreams(128),
		grpc.ConnectionTimeout(readTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTimeout}),
		// Clients of nodes ping every ten seconds or more, also without calls.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)
	searchpb.RegisterSearchServer(srv, search)
	reflection.Register(srv)
	return endpoint{"grpc", func() error { return srv.Serve(l) }, func(ctx context.Context) error {
		done := make(chan struct{})
		go func() { srv.GracefulStop(); close(done) }()
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			srv.Stop()
			return ctx.Err()
		}
	}}
}

// currentSearch answers from the snapshot that is current when the call arrives.
type currentSearch struct {
	searchpb.UnimplementedSearchServer
	current *current
	log     *slog.Logger
}

func (c *currentSearch) service() *index.Service {
	return &index.Service{Seller: seller(c.current.p.Load().search), Log: c.log}
}

// check refuses a query that cannot be answered.
func (c *currentSearch) check(req any) error { return c.service().Check(req.(*searchpb.SearchRequest)) }

// Search implements almanac.search.v1.Search.
func (c *currentSearch) Search(ctx context.Context, r *searchpb.SearchRequest) (*searchpb.SearchResponse, error) {
	return c.service().Search(ctx, r)
}
