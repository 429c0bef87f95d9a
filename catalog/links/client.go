package links

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// newClient returns a client that follows no redirect, keeps no cookie, uses no proxy (it could not see where a proxy
// connects to) and judges every address at the moment of connecting to it. No earlier moment would do: a name can resolve
// to another address at the next look-up.
func newClient(cfg Config) *http.Client {
	d := &net.Dialer{
		Timeout:  cfg.Timeout,
		Resolver: cfg.Resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %s", errNotPublic, address)
			}
			if !cfg.Allow(at.Addr().Unmap()) {
				return fmt.Errorf("%w: %s", errNotPublic, at.Addr())
			}
			return nil
		},
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            d.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.Roots},
			TLSHandshakeTimeout:    cfg.Timeout,
			ForceAttemptHTTP2:      true,
			MaxConnsPerHost:        2,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
