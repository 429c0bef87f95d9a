package server

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// certificates are what the public listeners show. Nil means no TLS.
type certificates struct {
	files   TLS
	pair    atomic.Pointer[tls.Certificate]
	manager *autocert.Manager
}

// openCertificates reads the certificate, or prepares to get some by ACME, which are kept below state.
func openCertificates(c TLS, state string) (*certificates, error) {
	switch {
	case c.CertFile != "":
		certs := &certificates{files: c}
		return certs, certs.reload()
	case len(c.Hosts) > 0:
		return &certificates{manager: &autocert.Manager{
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
	return nil
}

// config returns what the listeners speak TLS with.
func (c *certificates) config() *tls.Config {
	if c.manager != nil {
		cfg := c.manager.TLSConfig()
		cfg.MinVersion = tls.VersionTLS12
		return cfg
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.pair.Load(), nil
		},
	}
}
