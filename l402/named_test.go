package l402_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"almanac/l402"
)

// A request that our own proxy brings twice costs one credit. Nobody else can name a request.
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
	named := func(c *l402.Config) { c.RequestHeader = "X-Request-Id" }
	proxied := func(c *l402.Config) { c.TrustedProxies = []netip.Prefix{prefix("127.0.0.0/8")} }

	s := openShop(t, named, proxied)
	b := s.buy()
	for _, tt := range []struct {
		path, name string
		left       int
	}{
		{"/v1/search?q=x", "one", 99},
		{"/v1/search?q=x", "one", 99},
		{"/v1/search?q=x", "two", 98},
		{"/v1/search?q=y", "one", 97}, // the name of another request
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
	for name, edits := range map[string][]func(*l402.Config){"not from a proxy of ours": {named}, "not asked for": {proxied}} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t, edits...)
			b := s.buy()
			s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 99)
			s.wantServed(ask(s, b, "/v1/search?q=x", "one"), 98)
		})
	}
}

// Two deliveries of one request are under way at once. Whichever fails, and whenever: both together cost one credit if one was answered,
// and nothing if none was.
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
					s.paywall.Protect(goods, nil).ServeHTTP(answers[i], r)
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
