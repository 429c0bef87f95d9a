package server

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
	"go.almanac.example/server/servertest"
)

// testConfig returns the configuration of a service on free ports of this machine, real but for the node, which is the
// demo's, and the data, which are few: a start takes a tenth of the time.
func testConfig(t *testing.T) Config {
	t.Helper()
	state := t.TempDir()
	return Config{
		Version: "test", Source: Source{Builtin: os.DirFS("../httpmirror/testdata/small"), Terms: catalog.DefaultTerms},
		HTTP: "localhost:0", GRPC: "localhost:0", Admin: "localhost:0", State: state,
		Payments: PaymentConfig{Backend: BackendDemo, Ledger: "sqlite:" + state + "/ledger.db", GRPCChallenge: codes.Code(http.StatusPaymentRequired), Challenges: l402.DefaultLimits()},
		FreeRate: 100, AccessLog: true, Log: slog.New(slog.DiscardHandler),
	}
}

// newService runs a service until the test ends.
func newService(t *testing.T, cfg Config) *servertest.Client {
	t.Helper()
	_, client := runService(t, cfg)
	return client
}

// runService runs a service until the test ends. It probes the node and the ledger often.
func runService(t *testing.T, cfg Config) (*Server, *servertest.Client) {
	t.Helper()
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if p := s.publisher.payments; p != nil {
		p.prober.interval = 20 * time.Millisecond
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		http.DefaultClient.CloseIdleConnections()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, &servertest.Client{T: t, URL: s.site.Base}
}
