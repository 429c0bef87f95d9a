package l402_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A counter is a gRPC service: health checks stand for searches.
type counter struct {
	health.UnimplementedHealthServer
	t    testing.TB
	runs atomic.Int64
}

func (c *counter) answer(ctx context.Context, req *health.HealthCheckRequest) error {
	c.runs.Add(1)
	if _, ok := l402.BalanceFrom(ctx); !ok {
		c.t.Error("no balance in the context")
	}
	md, _ := metadata.FromIncomingContext(ctx)
	if len(md.Get("authorization"))+len(md.Get("macaroon"))+len(md.Get("token")) > 0 {
		c.t.Error("the handler sees the credential")
	}
	switch req.Service {
	case "invalid":
		return status.Error(codes.InvalidArgument, "no such thing")
	case "nothing":
		l402.Waive(ctx)
	case "panic":
		panic("search broke")
	}
	return nil
}

func (c *counter) Check(ctx context.Context, req *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if err := c.answer(ctx, req); err != nil {
		return nil, err
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
}

// List is free.
func (c *counter) List(context.Context, *health.HealthListRequest) (*health.HealthListResponse, error) {
	return &health.HealthListResponse{}, nil
}

// checkCall is checkQuery for calls.
func checkCall(req any) error {
	if r, ok := req.(*health.HealthCheckRequest); ok && r.Service == "unaskable" {
		return status.Error(codes.InvalidArgument, "invalid_query")
	}
	return nil
}

// listenGRPC opens the shop over gRPC as well. The interceptors in before come first.
func (s *shop) listenGRPC(before ...grpc.UnaryServerInterceptor) (health.HealthClient, *counter, string) {
	s.t.Helper()
	paid := func(method string) bool { return method != health.Health_List_FullMethodName }
	server := grpc.NewServer(grpc.ChainUnaryInterceptor(append(before, s.middleware.UnaryInterceptor, s.paywall.UnaryInterceptor(paid, checkCall))...))
	c := &counter{t: s.t}
	health.RegisterHealthServer(server, c)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	go server.Serve(lis)
	s.t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return health.NewHealthClient(conn), c, lis.Addr().String()
}

func with(pairs ...string) context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), pairs...)
}

var question = &health.HealthCheckRequest{Service: "x402"}

// challengeOf reads macaroon and invoice from the details, as the binding's sample code does.
func challengeOf(t *testing.T, err error) (mac, invoice string, reason problem.Code) {
	t.Helper()
	st := status.Convert(err)
	if st.Code() != 402 {
		t.Fatalf("got %v %q, want 402", st.Code(), st.Message())
	}
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.QuotaFailure:
			for _, v := range d.Violations {
				if m, ok := strings.CutPrefix(v.Description, "macaroon:"); ok {
					mac = m
				}
				if i, ok := strings.CutPrefix(v.Description, "invoice:"); ok {
					invoice = i
				}
			}
		case *errdetails.ErrorInfo:
			reason = problem.Code(strings.ToLower(d.Reason))
		}
	}
	want := problem.New(reason).Title() // the true reason
	if reason == problem.PaymentRequired {
		want = "missing L402" // as the binding has it
	}
	if st.Message() != want {
		t.Errorf("refused because of %s with the message %q, want %q", reason, st.Message(), want)
	}
	return mac, invoice, reason
}

// docs/cases.md, C56.
func TestGRPC(t *testing.T) {
	s := openShop(t)
	client, counter, _ := s.listenGRPC()
	var trailer metadata.MD
	_, err := client.Check(context.Background(), question, grpc.Trailer(&trailer))
	mac, invoice, reason := challengeOf(t, err)
	want := fmt.Sprintf(`L402 macaroon="%s", invoice="%s", version="0", token="%[1]s"`, mac, invoice)
	if got := trailer.Get("www-authenticate"); len(got) != 1 || got[0] != want || reason != problem.PaymentRequired {
		t.Fatalf("www-authenticate %q, reason %s; want %q", got, reason, want)
	}
	if _, err := client.List(context.Background(), &health.HealthListRequest{}); err != nil {
		t.Fatalf("a free method: %v", err)
	}
	if counter.runs.Load() != 0 {
		t.Fatal("a handler ran unpaid")
	}

	b := s.pay(mac, invoice)
	alone := hex.EncodeToString(b.narrowed("preimage=" + b.preimage.String()).raw)
	left := 100
	for _, ctx := range []context.Context{
		with("authorization", b.header()), with("authorization", "LSAT "+strings.TrimPrefix(b.header(), "L402 ")),
		with("macaroon", alone), with("token", strings.ToUpper(alone)), with("macaroon", alone, "token", alone),
		with("authorization", b.header(), "authorization", b.header()),
	} {
		left--
		var header metadata.MD
		if _, err := client.Check(ctx, question, grpc.Header(&header)); err != nil {
			t.Fatal(err)
		}
		if got := header.Get("x-credit-balance"); len(got) != 1 || got[0] != fmt.Sprint(left) {
			t.Fatalf("x-credit-balance %q, want %d", got, left)
		}
	}
	s.wantServed(s.search1(b.header()), left-1) // one balance for HTTP and gRPC

	for _, service := range []string{"invalid", "panic"} {
		req := &health.HealthCheckRequest{Service: service}
		if _, err := client.Check(with("macaroon", alone), req); status.Code(err) == codes.OK || status.Code(err) == 402 {
			t.Errorf("%s: %v", service, err)
		}
		var header metadata.MD
		client.Check(with("macaroon", alone), req, grpc.Header(&header))
		if len(header.Get("x-credit-balance")) > 0 {
			t.Errorf("%s: %v has a balance", service, header)
		}
	}
	s.wantUsed(b, 100-left+1)

	other := s.buy()
	otherAlone := hex.EncodeToString(other.narrowed("preimage=" + other.preimage.String()).raw)
	for name, tc := range map[string]struct {
		ctx  context.Context
		code problem.Code
	}{
		"two credentials":     {with("macaroon", alone, "token", otherAlone), problem.AmbiguousCredential},
		"two kinds":           {with("macaroon", alone, "authorization", other.header()), problem.AmbiguousCredential},
		"two preimages":       {with("macaroon", hex.EncodeToString(b.narrowed("preimage="+b.preimage.String(), "preimage="+other.preimage.String()).raw)), problem.AmbiguousCredential},
		"no preimage":         {with("macaroon", hex.EncodeToString(b.raw)), problem.CredentialMalformed},
		"short preimage":      {with("macaroon", hex.EncodeToString(b.narrowed("preimage=00").raw)), problem.CredentialMalformed},
		"not hex":             {with("macaroon", std(b.raw)), problem.CredentialMalformed},
		"too long":            {with("macaroon", strings.Repeat("00", 5<<10)), problem.CredentialMalformed},
		"too many":            {with("macaroon", alone, "macaroon", alone, "macaroon", alone, "token", alone, "token", alone), problem.CredentialMalformed},
		"another's preimage":  {with("macaroon", hex.EncodeToString(b.narrowed("preimage="+other.preimage.String()).raw)), problem.PaymentUnproven},
		"narrowed to nothing": {with("authorization", b.narrowed("almanac_credits=0").header()), problem.CreditsExhausted},
		"narrowed, expired":   {with("authorization", b.narrowed("almanac_valid_until=0").header()), problem.CredentialExpired},
		"another scheme":      {with("authorization", "Bearer x"), problem.PaymentRequired},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Check(tc.ctx, question)
			if _, _, reason := challengeOf(t, err); reason != tc.code {
				t.Errorf("reason %s, want %s", reason, tc.code)
			}
		})
	}
	s.wantUsed(b, 100-left+1)
	s.wantUsed(other, 0)

	s.node.breakDown(l402.ErrNodeUnavailable)
	trailer = nil
	if _, err := client.Check(context.Background(), question, grpc.Trailer(&trailer)); status.Code(err) != codes.Unavailable || len(trailer.Get("www-authenticate")) > 0 || len(trailer.Get("retry-after")) != 1 {
		t.Errorf("node down: %v %v", err, trailer)
	}
	down := fmt.Errorf("%w: off", l402.ErrLedgerUnavailable)
	s.ledger.spend.Store(&down)
	if _, err := client.Check(with("macaroon", alone), question); status.Code(err) != codes.Unavailable {
		t.Errorf("ledger down: %v", err)
	}
}

// TestCallChecked asks a bad question: it is refused before it is charged, also when no credit is left, and a probe
// without a credential still learns the price.
func TestCallChecked(t *testing.T) {
	s := openShop(t)
	client, counter, _ := s.listenGRPC()
	bad := &health.HealthCheckRequest{Service: "unaskable"}
	if _, err := client.Check(context.Background(), bad); status.Code(err) != 402 {
		t.Errorf("without a credential: %v, want a challenge", err)
	}
	b := s.buy()
	for _, credential := range []string{b.header(), b.narrowed("almanac_credits=0").header()} {
		if _, err := client.Check(with("authorization", credential), bad); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v, want InvalidArgument", err)
		}
	}
	s.wantUsed(b, 0)
	if n := counter.runs.Load(); n != 0 {
		t.Errorf("the handler ran %d times", n)
	}
}

// docs/cases.md, C56.
func TestGRPCTrailersOnly(t *testing.T) {
	for want, grpcCode := range map[string]codes.Code{"402": 402, "13": 13} {
		s := openShop(t, grpcStatus(grpcCode))
		_, _, address := s.listenGRPC()
		tr := &http.Transport{Protocols: new(http.Protocols)}
		tr.Protocols.SetUnencryptedHTTP2(true)
		for _, method := range []string{health.Health_Check_FullMethodName} {
			req, err := http.NewRequest("POST", "http://"+address+method, bytes.NewReader(make([]byte, 5))) // one empty message
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/grpc")
			req.Header.Set("TE", "trailers")
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || len(body) != 0 || len(resp.Trailer) != 0 {
				t.Errorf("%s: body %q, trailer %v, %v; want one block of headers", method, body, resp.Trailer, err)
			}
			h := resp.Header
			message := map[string]string{"402": "missing L402", "13": "payment required"}[want]
			if resp.StatusCode != 200 || h.Get("Grpc-Status") != want || h.Get("Grpc-Message") != message {
				t.Errorf("%s: %d %v", method, resp.StatusCode, h)
			}
			if !strings.HasPrefix(h.Get("Www-Authenticate"), `L402 macaroon="`) {
				t.Errorf("%s: www-authenticate %q is not in the block", method, h.Get("Www-Authenticate"))
			}
			if details := h.Get("Grpc-Status-Details-Bin"); details == "" || len(details) > 8<<10 {
				t.Errorf("%s: details %q", method, details)
			}
		}
		tr.CloseIdleConnections()
	}
}

// docs/cases.md, C56.
func TestGRPCSharesTheLimit(t *testing.T) {
	s := openShop(t, func(c *l402.Config) {
		c.Limits = l402.ChallengeLimits{Rate: 1e6, Outstanding: 17, Proven: 10} // 4 for a network alone
	})
	client, _, _ := s.listenGRPC()
	for range 2 {
		s.wantChallenge(s.search1(), problem.PaymentRequired)
		if _, err := client.Check(context.Background(), question); status.Code(err) != 402 {
			t.Fatal(err)
		}
	}
	_, err := client.Check(context.Background(), question)
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("over gRPC: %v", err)
	}
	s.wantRefusal(s.search1(), 429, problem.RateLimited)
	if _, err := s.paywall.Challenge(t.Context(), addr("127.0.0.9"), nil); err == nil {
		t.Error("a third interface has a limit of its own")
	}
	// X-Forwarded-For is metadata here, and a claim unless a proxy of ours makes it.
	if _, err := client.Check(with("x-forwarded-for", "203.0.113.1"), question); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("with a claim: %v", err)
	}
	s = openShop(t, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 17, Proven: 10})).proxied()
	client, _, _ = s.listenGRPC()
	for i := range 5 {
		if _, err := client.Check(with("x-forwarded-for", fmt.Sprintf("203.0.%d.1", i)), question); status.Code(err) != 402 {
			t.Errorf("behind a proxy: %v", err)
		}
	}
}

func TestGRPCAndHTTPRace(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	alone := hex.EncodeToString(b.narrowed("preimage=" + b.preimage.String()).raw)
	var served atomic.Int64
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			switch i % 2 {
			case 0:
				if s.search1(b.header()).StatusCode == 200 {
					served.Add(1)
				}
			case 1:
				if _, err := client.Check(with("macaroon", alone), question); err == nil {
					served.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if served.Load() != 100 {
		t.Errorf("%d served, want 100", served.Load())
	}
}
