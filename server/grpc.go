package server

import (
	"context"
	"log/slog"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"almanac/index"
	"almanac/index/searchpb"
	"almanac/l402"
	"almanac/ops"
)

// maxGRPCMessage bounds a request; the longest query with every filter is far below it.
const maxGRPCMessage = 16 << 10

// grpcEndpoint serves paid search over gRPC at l, behind the same paywall as over HTTP.
func grpcEndpoint(l net.Listener, search *currentSearch, paywall *l402.Paywall, m ops.Middleware, certs *certificates) endpoint {
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

// check refuses a query that cannot be answered.
func (c *currentSearch) check(req any) error {
	s := c.current.acquire()
	defer s.release()
	service := index.Service{Index: s.search, Log: c.log}
	return service.Check(req.(*searchpb.SearchRequest))
}

// Search implements almanac.search.v1.Search.
func (c *currentSearch) Search(ctx context.Context, r *searchpb.SearchRequest) (*searchpb.SearchResponse, error) {
	s := c.current.acquire()
	defer s.release()
	service := index.Service{Index: s.search, Credits: creditsLeft, Waive: l402.Waive, Log: c.log}
	return service.Search(ctx, r)
}
