package server

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"almanac/catalog"
)

// certificates are the certificates of the public listeners. Nil means no TLS.
type certificates struct {
	files   TLS
	pair    atomic.Pointer[tls.Certificate]
	manager *autocert.Manager
	expiry  func(time.Time) // receives the expiry of the certificate in use
}

// openCertificates reads the certificate, or prepares to obtain some by ACME and to store them below state.
func openCertificates(c TLS, state string, expiry func(time.Time)) (*certificates, error) {
	switch {
	case c.CertFile != "":
		certs := &certificates{files: c, expiry: expiry}
		return certs, certs.reload()
	case len(c.Hosts) > 0:
		return &certificates{expiry: expiry, manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(filepath.Join(state, "acme")),
			HostPolicy: autocert.HostWhitelist(c.Hosts...), Email: c.Email, Client: &acme.Client{DirectoryURL: c.Directory},
		}}, nil
	}
	return nil, nil
}

// reload reads the files again. When it fails, the certificate in use stays.
func (c *certificates) reload() error {
	if c == nil || c.manager != nil {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.files.CertFile, c.files.KeyFile)
	if err != nil {
		return fmt.Errorf("read the TLS certificate: %w; give the chain and the key that belongs to it, both as PEM", err)
	}
	c.pair.Store(&pair)
	c.expiry(pair.Leaf.NotAfter)
	return nil
}

// config returns the tls.Config of the public listeners.
func (c *certificates) config() *tls.Config {
	cfg := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil }}
	if c.manager != nil {
		cfg = c.manager.TLSConfig()
		cfg.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			pair, err := c.manager.GetCertificate(hello)
			if err == nil && pair.Leaf != nil && !slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
				c.expiry(pair.Leaf.NotAfter)
			}
			return pair, err
		}
	}
	cfg.MinVersion = tls.VersionTLS12
	return cfg
}

// redirect returns the handler of cleartext requests: it redirects them to the same path over HTTPS, and answers ACME's
// challenges (RFC 8555, section 8.3).
func (c *certificates) redirect(site catalog.Site) http.Handler {
	bases := make(map[string]string) // by host name
	for _, base := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(base); err == nil && bases[u.Hostname()] == "" {
			bases[u.Hostname()] = catalog.Origin(base)
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		base, ok := bases[host]
		if !ok {
			base = catalog.Origin(site.Base) // never to wherever a request says
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, base+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if c.manager != nil {
		return c.manager.HTTPHandler(h)
	}
	return h
}
