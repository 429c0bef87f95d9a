package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// tlsConfig is what the flags say about TLS.
type tlsConfig struct {
	cert, key       string
	hosts           string
	directory, mail string
}

func (c *tlsConfig) register(f *flag.FlagSet) {
	f.StringVar(&c.cert, "tls-cert", "", "`file` with the certificate chain for -http and -grpc (empty: no TLS); read again on SIGHUP")
	f.StringVar(&c.key, "tls-key", "", "`file` with the key of -tls-cert")
	f.StringVar(&c.hosts, "acme", "", "`hosts` for which certificates are got by themselves, separated by commas; -http must be reached on port 443")
	f.StringVar(&c.directory, "acme-directory", autocert.DefaultACMEDirectory, "`address` of the authority for -acme")
	f.StringVar(&c.mail, "acme-email", "", "`address` the authority may write to about -acme")
}

func (c *tlsConfig) check() error {
	switch {
	case (c.cert == "") != (c.key == ""):
		return usageError("-tls-cert and -tls-key go together; give both or neither")
	case c.cert != "" && c.hosts != "":
		return usageError("-tls-cert and -acme exclude each other; give one")
	case c.mail != "" && c.hosts == "":
		return usageError("-acme-email needs -acme")
	case c.hosts != "" && slices.Contains(c.hostList(), ""):
		return usageError(fmt.Sprintf("-acme %q names a host that is empty; separate hosts by one comma", c.hosts))
	}
	if u, err := url.Parse(c.directory); err != nil || u.Scheme != "https" || u.Host == "" {
		return usageError(fmt.Sprintf("-acme-directory %q is not of the form https://host/path", c.directory))
	}
	return nil
}

func (c *tlsConfig) hostList() []string {
	hosts := strings.Split(c.hosts, ",")
	for i := range hosts {
		hosts[i] = strings.TrimSpace(hosts[i])
	}
	return hosts
}

// firstHost is the host of -acme that the service is called by when no -base-url says otherwise, or "".
func (c *tlsConfig) firstHost() string { return c.hostList()[0] }

// certificates are what the public listeners show. Nil means no TLS.
type certificates struct {
	files   *tlsConfig
	pair    atomic.Pointer[tls.Certificate]
	manager *autocert.Manager
}

// open reads the certificate, or prepares to get some, which are kept below state.
func (c *tlsConfig) open(state string) (*certificates, error) {
	switch {
	case c.cert != "":
		certs := &certificates{files: c}
		return certs, certs.reload()
	case c.hosts != "":
		return &certificates{manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(filepath.Join(state, "acme")),
			HostPolicy: autocert.HostWhitelist(c.hostList()...), Email: c.mail, Client: &acme.Client{DirectoryURL: c.directory},
		}}, nil
	}
	return nil, nil
}

// reload reads the files again. A fault leaves the certificate in use as it is.
func (c *certificates) reload() error {
	if c == nil || c.files == nil {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.files.cert, c.files.key)
	if err != nil {
		return fmt.Errorf("-tls-cert: %w; give the chain and the key that belongs to it, both as PEM", err)
	}
	c.pair.Store(&pair)
	return nil
}

// config is what the listeners speak TLS with.
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
