package l402_test

import (
	"net/http"
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
