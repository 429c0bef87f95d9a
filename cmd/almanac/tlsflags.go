package main

import (
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"almanac/server"
)

// tlsFlags are the flags of serve that are about TLS.
type tlsFlags struct {
	server.TLS
	hosts string
}

func (t *tlsFlags) register(f *flag.FlagSet) {
	f.StringVar(&t.CertFile, "tls-cert", "", "`file` with the certificate chain for -http and -grpc (empty: no TLS); read again on SIGHUP")
	f.StringVar(&t.KeyFile, "tls-key", "", "`file` with the key of -tls-cert")
	f.StringVar(&t.hosts, "acme", "", "`hosts` to obtain certificates for by ACME, separated by commas; -http must be reachable on port 443")
	f.StringVar(&t.Directory, "acme-directory", server.DefaultACMEDirectory, "`address` of the ACME directory for -acme")
	f.StringVar(&t.RedirectFrom, "redirect", "", "`address`, such as :80, whose requests are sent on to HTTPS (empty: off); answers challenges of -acme too")
	f.DurationVar(&t.HSTS, "hsts", 180*24*time.Hour, "with TLS: `time` for which browsers shall use HTTPS alone (0: do not tell them)")
	f.StringVar(&t.Email, "acme-email", "", "email `address` that the authority of -acme may write to")
}

func (t *tlsFlags) config() (server.TLS, error) {
	c := t.TLS
	if t.hosts != "" {
		for host := range strings.SplitSeq(t.hosts, ",") {
			c.Hosts = append(c.Hosts, strings.TrimSpace(host))
		}
	}
	switch {
	case (c.CertFile == "") != (c.KeyFile == ""):
		return c, usageError("-tls-cert and -tls-key go together; give both or neither")
	case c.CertFile != "" && len(c.Hosts) > 0:
		return c, usageError("-tls-cert and -acme exclude each other; give one")
	case c.Email != "" && len(c.Hosts) == 0:
		return c, usageError("-acme-email needs -acme")
	case c.RedirectFrom != "" && c.CertFile == "" && len(c.Hosts) == 0:
		return c, usageError("-redirect needs -tls-cert or -acme")
	case c.HSTS < 0:
		return c, usageError("-hsts must not be negative")
	case slices.Contains(c.Hosts, ""):
		return c, usageError(fmt.Sprintf("-acme %q contains an empty host; separate hosts by one comma", t.hosts))
	}
	if u, err := url.Parse(c.Directory); err != nil || u.Scheme != "https" || u.Host == "" {
		return c, usageError(fmt.Sprintf("-acme-directory %q is not of the form https://host/path", c.Directory))
	}
	return c, nil
}
