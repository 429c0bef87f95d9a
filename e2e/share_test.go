package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestShareCommand: what a helper gets has requests of its own, and cannot do more.
func TestShareCommand(t *testing.T) {
	p := startServe(t)
	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	address := p.base + "/v1/search?q=macaroon"
	s.want(1, []string{"nothing to share"}, "share", "-requests", "2", address)
	s.want(0, nil, "get", address)
	s.want(2, []string{"-requests or -for"}, "share", address)
	s.want(2, []string{"give one address"}, "share", "-requests", "2")
	copied := strings.TrimSpace(s.want(0, nil, "share", "-requests", "2", "-for", "1h", address))
	left := func(authorization string) (status int, left string) {
		t.Helper()
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", authorization)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("X-Credit-Balance")
	}
	for i, want := range []string{"1", "0"} {
		s.want(0, nil, "get", address) // the buyer goes on beside it
		if status, got := left(copied); status != 200 || got != want {
			t.Errorf("request %d of the helper: %d, %s left; want %s", i+1, status, got, want)
		}
	}
	if status, _ := left(copied); status != 402 {
		t.Errorf("a third request of the helper: %d", status)
	}
	s.want(0, nil, "get", address)
}
