package server

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"

	"go.almanac.example/l402"
	"go.almanac.example/server/ops"
)

// TestPingingClient: a client that pings every ten seconds, also without calls, stays connected.
func TestPingingClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bufconn.Listen(1 << 16)
		e := grpcEndpoint(l, &currentSearch{}, new(l402.Paywall), new(ops.Middleware), nil)
		go e.serve()
		conn, err := grpc.NewClient("passthrough:almanac", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, PermitWithoutStream: true}))
		if err != nil {
			t.Fatal(err)
		}
		conn.Connect()
		for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
			conn.WaitForStateChange(t.Context(), state)
		}
		ctx, cancel := context.WithTimeout(t.Context(), idleTimeout-time.Second)
		defer cancel()
		if conn.WaitForStateChange(ctx, connectivity.Ready) {
			t.Errorf("disconnected: %s", conn.GetState())
		}
		conn.Close()
		e.shutdown(t.Context())
	})
}

// TestCompressedCalls: clients may compress their calls. This package knows gzip from the service alone.
func TestCompressedCalls(t *testing.T) {
	if encoding.GetCompressor("gzip") == nil {
		t.Error("calls with gzip are refused")
	}
}
