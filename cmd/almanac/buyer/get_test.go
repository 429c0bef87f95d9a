package buyer

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPrivateRedirect: a host on the Internet cannot lead a request into a private network, unless that is allowed.
func TestPrivateRedirect(t *testing.T) {
	private := httptest.NewServer(nil)
	defer private.Close()
	for _, allowed := range []bool{false, true} {
		dial := (&Get{Private: allowed}).transport().DialContext
		first, err := dial(t.Context(), "tcp", private.Listener.Addr().String())
		if err != nil {
			t.Fatalf("a private address, asked first: %v", err)
		}
		first.Close()
		if c, err := dial(t.Context(), "tcp", "255.255.255.255:9"); err == nil { // not private, and TCP refuses it at once
			c.Close()
			t.Fatal("TCP connects to a broadcast address")
		}
		second, err := dial(t.Context(), "tcp", private.Listener.Addr().String())
		if allowed && err != nil || !allowed && (err == nil || !strings.Contains(err.Error(), "-allow-private follows it")) {
			t.Errorf("after an address on the Internet, allowed %t: %v", allowed, err)
		}
		if err == nil {
			second.Close()
		}
	}
}
