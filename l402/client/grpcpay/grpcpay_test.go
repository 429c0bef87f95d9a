package grpcpay_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"almanac/l402/client"
	"almanac/l402/client/bolt11"
	"almanac/l402/client/clienttest"
	"almanac/l402/client/grpcpay"
	"almanac/l402/client/journal"
)

// A shop sells health checks by one of the two bindings, each payment for some of them.
type shop struct {
	health.UnimplementedHealthServer
	t       *testing.T
	node    *clienttest.Node
	credits int
	trailer bool // status 13 and WWW-Authenticate instead of status 402 and details

	mu   sync.Mutex
	left map[[32]byte]int
	runs int
}

// spend takes one of what a payment has bought.
func (s *shop) spend(hash [32]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[hash] == 0 {
		return false
	}
	s.left[hash]--
	s.runs++
	return true
}

func (s *shop) admit(ctx context.Context, setTrailer func(metadata.MD)) error {
	md, _ := metadata.FromIncomingContext(ctx)
	if values := md["authorization"]; len(values) == 1 {
		_, proof, _ := strings.Cut(values[0], ":")
		raw, err := hex.DecodeString(proof)
		if err != nil {
			return status.Error(codes.InvalidArgument, "preimage")
		}
		if s.spend(sha256.Sum256(raw)) {
			return nil
		}
	}
	text, hash := s.node.Invoice(s.t, clienttest.Terms{MilliSats: 10_000})
	s.mu.Lock()
	if s.left == nil {
		s.left = map[[32]byte]int{}
	}
	s.left[hash] = s.credits
	s.mu.Unlock()
	mac := clienttest.Macaroon(s.t, hash)
	if s.trailer {
		setTrailer(metadata.Pairs("www-authenticate", clienttest.L402Header(mac, text)))
		return status.Error(codes.Internal, "payment required")
	}
	st, err := status.New(402, "missing L402").WithDetails(&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{
		{Subject: "macaroon", Description: "macaroon:" + mac}, {Subject: "invoice", Description: "invoice:" + text}}})
	if err != nil {
		s.t.Error(err)
	}
	return st.Err()
}

func (s *shop) Check(ctx context.Context, req *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if err := s.admit(ctx, func(md metadata.MD) { grpc.SetTrailer(ctx, md) }); err != nil {
		return nil, err
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
}

func (s *shop) Watch(req *health.HealthCheckRequest, ss grpc.ServerStreamingServer[health.HealthCheckResponse]) error {
	if err := s.admit(ss.Context(), ss.SetTrailer); err != nil {
		return err
	}
	for range 3 {
		if err := ss.Send(&health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}); err != nil {
			return err
		}
	}
	return nil
}

// open starts the shop and a buyer.
func open(t *testing.T, s *shop, budget int64) (health.HealthClient, *client.Client) {
	t.Helper()
	s.t, s.node = t, clienttest.NewNode()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	health.RegisterHealthServer(server, s)
	go server.Serve(lis)
	t.Cleanup(server.Stop)
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Wallet: s.node, Journal: j, Budget: client.Budget{PerPayment: budget}, Networks: []string{bolt11.Regtest}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(grpcpay.UnaryInterceptor(c)), grpc.WithStreamInterceptor(grpcpay.StreamInterceptor(c)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return health.NewHealthClient(conn), c
}

func watch(ctx context.Context, h health.HealthClient) (n int, err error) {
	stream, err := h.Watch(ctx, &health.HealthCheckRequest{})
	if err != nil {
		return 0, err
	}
	for ; ; n++ {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// TestBuy pays for calls and streams, by both bindings, from one credential.
func TestBuy(t *testing.T) {
	for name, trailer := range map[string]bool{"status 402 with details": false, "status 13 with a trailer": true} {
		t.Run(name, func(t *testing.T) {
			s := &shop{credits: 4, trailer: trailer}
			h, _ := open(t, s, 10)
			for i := range 3 {
				if _, err := h.Check(t.Context(), &health.HealthCheckRequest{}); err != nil {
					t.Fatal(err)
				}
				if n, err := watch(t.Context(), h); err != nil || n != 3 {
					t.Fatalf("stream %d: %d messages (%v), want 3", i, n, err)
				}
			}
			if n, _, _ := s.node.Payments(); n != 2 || s.runs != 6 {
				t.Errorf("%d payments for %d runs, want 2 for 6", n, s.runs)
			}
		})
	}
}

// TestTogether: many calls with an empty store pay once.
func TestTogether(t *testing.T) {
	s := &shop{credits: 100}
	h, _ := open(t, s, 10)
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if _, err := h.Check(t.Context(), &health.HealthCheckRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, _, _ := s.node.Payments(); n != 1 {
		t.Errorf("%d payments, want 1", n)
	}
}

// TestRefused: over budget, nothing is paid, and the caller learns why.
func TestRefused(t *testing.T) {
	s := &shop{credits: 1}
	h, _ := open(t, s, 9)
	_, err := h.Check(t.Context(), &health.HealthCheckRequest{})
	var r *client.Refusal
	if !errors.As(err, &r) || r.Reason != client.OverPayment {
		t.Errorf("unary: %v, want the refusal over_payment", err)
	}
	if _, err := watch(t.Context(), h); !errors.As(err, &r) || r.Reason != client.OverPayment {
		t.Errorf("stream: %v, want the refusal over_payment", err)
	}
	if n, _, orders := s.node.Payments(); n+orders != 0 {
		t.Errorf("%d payments", n)
	}
}
