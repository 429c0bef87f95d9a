package buyer

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if c, err := dial(ctx, "tcp", net.JoinHostPort("192.0.2.1", "9")); err == nil { // of the Internet (RFC 5737), and nobody's
			c.Close()
		}
		cancel()
		second, err := dial(t.Context(), "tcp", private.Listener.Addr().String())
		if allowed && err != nil || !allowed && (err == nil || !strings.Contains(err.Error(), "-allow-private follows it")) {
			t.Errorf("after an address on the Internet, allowed %t: %v", allowed, err)
		}
		if err == nil {
			second.Close()
		}
	}
}
