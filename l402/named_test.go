package l402_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// named makes a shop believe the names that its proxies give requests.
func (s *shop) named() *shop {
	s.middleware.RequestHeader = "X-Request-Id"
	return s
}

// TestNamedRequest holds that a request that our own proxy brings twice costs one credit, and that only the buyer and
// our own proxies can name a request.
//
// docs/cases.md, C35.
func TestNamedRequest(t *testing.T) {
	header := "X-Request-Id"
	ask := func(s *shop, b bought, path, name string) *answer {
		req, err := http.NewRequest("GET", s.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", b.header())
		if name != "" {
			req.Header.Set(header, name)
		}
		return s.send(req)
	}
	s := openShop(t).named().proxied()
	b := s.buy()
	for _, tt := range []struct {
		path, name string
		left       int
	}{
		{"/v1/search?q=x", "one", 99},
		{"/v1/search?q=x", "one", 99},
		{"/v1/search?q=x", "two", 98},
		{"/v1/search?q=y", "one", 97}, // the key of another request
		{"/v1/search?q=x", "", 96},
		{"/v1/search?q=x", "", 95},
	} {
		s.wantServed(ask(s, b, tt.path, tt.name), tt.left)
	}
	s.wantUsed(b, 5)

	header = "Idempotency-Key" // the buyer's own needs no proxy
	s = openShop(t)
	b = s.buy()
	s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 99)
	s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 99)
	s.wantServed(ask(s, b, "/v1/search?q=y", "one"), 98)
	s.wantUsed(b, 2)

	header = "X-Request-Id"
	for name, s := range map[string]*shop{"not from a proxy of ours": openShop(t).named(), "not asked for": openShop(t).proxied()} {
		t.Run(name, func(t *testing.T) {
			b := s.buy()
			s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 99)
			s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 98)
		})
	}
}

// TestDeliveriesTogether has two deliveries of one request under way at the same time. Whichever fails, and whenever:
// both together cost one credit if one was answered, and nothing if none was.
func TestDeliveriesTogether(t *testing.T) {
	s := openShop(t)
	for _, statuses := range [][2]int{{200, 200}, {500, 200}, {200, 500}, {500, 500}} {
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			b := s.buy()
			var answers [2]*httptest.ResponseRecorder
			var end, done [2]chan bool
			for i, status := range statuses {
				began := make(chan bool)
				end[i], done[i], answers[i] = make(chan bool), make(chan bool), httptest.NewRecorder()
				goods := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					began <- true
					<-end[i]
					w.WriteHeader(status)
				})
				r := httptest.NewRequest("GET", "/v1/search?q=x", nil)
				r.Header.Set("Authorization", b.header())
				r.Header.Set("Idempotency-Key", "one")
				go func() {
					s.paywall.Protect(goods, checkQuery).ServeHTTP(answers[i], r)
					close(done[i])
				}()
				<-began // it has its credit
			}
			for _, i := range order {
				close(end[i])
				<-done[i]
				if answers[i].Code != statuses[i] {
					t.Fatalf("answered %d, want %d", answers[i].Code, statuses[i])
				}
			}
			want := 1
			if statuses == [2]int{500, 500} {
				want = 0
			}
			s.wantUsed(b, want)
		}
	}
}

// TestSameQueryInOtherWords holds that the order and the encoding of parameters do not make another request.
func TestSameQueryInOtherWords(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	for _, path := range []string{"/v1/search?q=x&tag=mcp", "/v1/search?tag=mcp&q=x", "/v1/search?q=%78&tag=mcp"} {
		r, err := http.NewRequest("GET", s.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", b.header())
		r.Header.Set("Idempotency-Key", "one")
		s.wantServed(s.send(r), 99)
	}
}

// TestNamedCall is TestNamedRequest over gRPC.
func TestNamedCall(t *testing.T) {
	s := openShop(t).named().proxied()
	client, _, _ := s.listenGRPC()
	b := s.buy()
	used := 0
	for _, tt := range []struct {
		key, name, service string
		costs              int
	}{
		{"idempotency-key", "one", "x", 1},
		{"idempotency-key", "one", "x", 0},
		{"idempotency-key", "one", "y", 1},
		{"idempotency-key", "two", "x", 1},
		{"x-request-id", "three", "x", 1},
		{"x-request-id", "three", "x", 0},
		{"nothing", "", "x", 1},
		{"nothing", "", "x", 1},
	} {
		used += tt.costs
		if _, err := client.Check(with("authorization", b.header(), tt.key, tt.name), &health.HealthCheckRequest{Service: tt.service}); err != nil {
			t.Fatal(err)
		}
		s.wantUsed(b, used)
	}
	if _, err := client.Check(with("authorization", b.header(), "idempotency-key", "fails"), &health.HealthCheckRequest{Service: "invalid"}); err == nil {
		t.Error("the call did not fail")
	}
	s.wantUsed(b, used)
}

// TestNamedSpend is TestNamedRequest for requests over neither HTTP nor gRPC, which are named by credential and content
// if by no key.
func TestNamedSpend(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	copied := b.narrowed("note=a helper")
	used := 0
	for _, tt := range []struct {
		request l402.Request
		costs   int
	}{
		{l402.Request{Method: "m", Content: []byte("x")}, 1},
		{l402.Request{Method: "m", Content: []byte("x")}, 0},
		{l402.Request{Method: "m", Content: []byte("y")}, 1},
		{l402.Request{Method: "n", Content: []byte("x")}, 1},
		{l402.Request{Method: "m", Content: []byte("x"), Key: "k"}, 1},
		{l402.Request{Method: "m", Content: []byte("x"), Key: "k"}, 0},
		{l402.Request{Method: "m", Content: []byte("x"), Credential: copied.header()}, 1},
		{l402.Request{Method: "m", Content: []byte("x"), Key: "k", Credential: copied.header()}, 0},
		{l402.Request{Method: "m"}, 1},
		{l402.Request{Method: "m"}, 1},
	} {
		used += tt.costs
		if tt.request.Credential == "" {
			tt.request.Credential = b.header()
		}
		if _, err := s.paywall.Spend(t.Context(), tt.request); err != nil {
			t.Fatal(err)
		}
		s.wantUsed(b, used)
	}
	s.clock.Step(time.Minute)
	if _, err := s.paywall.Spend(t.Context(), l402.Request{Method: "m", Content: []byte("x"), Credential: b.header()}); err != nil {
		t.Fatal(err)
	}
	s.wantUsed(b, used+1)
}

// TestRepeatedTooOften holds that one credit pays for a bounded number of answers: the ninth of a minute is refused,
// and not charged.
func TestRepeatedTooOften(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	search := func() *answer {
		r, err := http.NewRequest("GET", s.server.URL+"/v1/search?q=x", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", b.header())
		r.Header.Set("Idempotency-Key", "one")
		return s.send(r)
	}
	call := func() error {
		_, err := client.Check(with("authorization", b.header(), "idempotency-key", "one"), question)
		return err
	}
	spend := func() error {
		_, err := s.paywall.Spend(t.Context(), l402.Request{Credential: b.header(), Content: []byte("x")})
		return err
	}
	for range 8 {
		s.wantServed(search(), 99)
	}
	a := search()
	s.wantRefusal(a, 429, problem.RateLimited)
	if a.Header.Get("Retry-After") != "60" || !strings.Contains(a.problem.Detail, "new idempotency key") {
		t.Errorf("%v %s", a.Header, a.body)
	}
	for range 8 {
		if err := errors.Join(call(), spend()); err != nil {
			t.Fatal(err)
		}
	}
	var p *problem.Problem
	if err := spend(); !errors.As(err, &p) || p.Code != problem.RateLimited {
		t.Errorf("Spend: %v", err)
	}
	if err := call(); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("gRPC: %v", err)
	}
	s.wantUsed(b, 3)
	s.clock.Step(time.Minute)
	s.wantServed(search(), 96)
}

// TestEveryNameHolds names each request that an account pays for, over one interface after the other: within the minute
// none of them is charged again, the first no more than the last.
func TestEveryNameHolds(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	ask := [...]func(key string) error{
		func(key string) error {
			r := httptest.NewRequest("GET", "/v1/search?q=x", nil)
			r.Header.Set("Authorization", b.header())
			r.Header.Set("Idempotency-Key", key)
			w := httptest.NewRecorder()
			s.server.Config.Handler.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				return fmt.Errorf("status %d: %s", w.Code, w.Body)
			}
			return nil
		},
		func(key string) error {
			_, err := client.Check(with("authorization", b.header(), "idempotency-key", key), question)
			return err
		},
		func(key string) error {
			_, err := s.paywall.Spend(t.Context(), l402.Request{Credential: b.header(), Method: "m", Content: []byte("x"), Key: key})
			return err
		},
	}
	for range 2 {
		for i := range 100 {
			if err := ask[i%len(ask)](fmt.Sprint("name ", i)); err != nil {
				t.Fatal(err)
			}
		}
		s.wantUsed(b, 100)
	}
}

// TestWaive holds that an answer that its handler waives costs nothing, over HTTP and gRPC, and states the balance
// without the charge.
func TestWaive(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	s.wantServed(s.do("GET", "/v1/search?q=nothing", b.header()), 100)
	s.wantServed(s.do("GET", "/v1/search?q=x", b.header()), 99)
	a := s.do("GET", "/v1/search?q=nothing", b.header())
	s.wantServed(a, 99)
	if !strings.Contains(string(a.body), `"remaining":99`) {
		t.Errorf("body: %s", a.body)
	}
	if _, err := client.Check(with("authorization", b.header()), &health.HealthCheckRequest{Service: "nothing"}); err != nil {
		t.Fatal(err)
	}
	s.wantUsed(b, 1)
}
