package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"
	"golang.org/x/crypto/acme/autocert"

	"go.almanac.example/server"
	"go.almanac.example/server/ops"
)

// serveCommand runs the service.
func serveCommand(_, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "serve", "almanac serve [flags]", "run the service")
	cmd.LongHelp = "Each flag can also be set by an environment variable: -base-url is ALMANAC_BASE_URL.\n" +
		"SIGHUP reloads the files; SIGTERM stops after the requests at hand are answered."
	var f serveFlags
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, "", true)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		cfg, err := f.config()
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGPIPE) // a log that nothing reads any more is no reason to end
		lines := ops.NewLineWriter(os.Stderr)
		defer lines.Flush()
		cfg.Log, cfg.Access = f.loggers(lines)
		lines.Report(cfg.Log)
		cfg.DroppedLines = lines.Dropped
		return serve(ctx, cfg)
	})
	return cmd
}

// serve runs the service until ctx ends. SIGHUP reloads.
func serve(ctx context.Context, cfg server.Config) error {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before the data are read, so that no change falls between
	defer signal.Stop(hangup)
	cfg.Reload, cfg.Explain = hangup, explainText
	cfg.Memory = limitMemory()
	s, err := server.Open(ctx, cfg)
	if errors.Is(err, server.ErrPublicDemo) {
		err = fmt.Errorf("%w: set -payments to a node (docs/nodes.md) or to off, or set -demo-anywhere", err)
	} else if err == nil {
		err = s.Run(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w; almanac doctor with the same flags says what to do", err)
	}
	return nil
}

// serveFlags are the flags of serve. Those that need no translation fill the configuration directly.
type serveFlags struct {
	cfg       server.Config
	logFormat string
	payments  paymentFlags
	tls       tlsFlags
}

func (s *serveFlags) register(f *flag.FlagSet) {
	c := &s.cfg
	registerSource(f, &c.Source, "from -http")
	f.StringVar(&c.HTTP, "http", defaultHTTP, "`address` of the mirror, the paid interface and the tool server")
	f.StringVar(&c.GRPC, "grpc", "localhost:8403", "`address` of paid search over gRPC, or off")
	f.StringVar(&c.Admin, "admin", "localhost:8404",
		"`address` of the admin listener, which serves health and metrics; keep it private; or off")
	f.StringVar(&c.State, "state", defaultState,
		"`directory` of the service's state: the key file, the SQLite ledger, certificates of -acme")
	f.DurationVar(&c.LameDuck, "lame-duck", 0,
		"`time` after SIGTERM in which requests are still served while /readyz says no, for balancers")
	f.StringVar(&s.logFormat, "log", "text", "`format` of the log: text or json")
	f.StringVar(&c.SecurityContact, "security-contact", "",
		"`address` for security.txt, https: or mailto: (empty: no security.txt)")
	f.StringVar(&c.WellKnown, "well-known", "",
		"`directory` of proofs that directories ask for: files below .well-known, and such as key.txt; read again on SIGHUP")
	f.Func("trusted-proxy", "`networks` of your own proxies, whose X-Forwarded-For is believed, separated by commas",
		func(list string) (err error) {
			c.TrustedProxies, err = parseNetworks(list)
			return err
		})
	f.StringVar(&c.RequestHeader, "request-header", "",
		"`header` in which those proxies name each request; the same name twice costs one credit (empty: none)")
	f.Float64Var(&c.FreeRate, "free-rate", 100,
		"`requests` per second that one network (IPv4 /24, IPv6 /48) may send to the free surfaces (0: no limit)")
	f.BoolVar(&c.AccessLog, "access-log", true, "log every request, without queries and credentials")
	s.tls.register(f)
	s.payments.register(f)
}

// config returns the configuration, or the first fault of the flags, before anything is opened.
func (s *serveFlags) config() (server.Config, error) {
	c := s.cfg
	c.Version = versionText()
	if err := checkSource(&c.Source); err != nil {
		return c, err
	}
	if err := checkAddresses(&c); err != nil {
		return c, err
	}
	switch {
	case s.logFormat != "text" && s.logFormat != "json":
		return c, usageError(fmt.Sprintf("-log %q is unknown; use text or json", s.logFormat))
	case c.RequestHeader != "" && len(c.TrustedProxies) == 0:
		return c, usageError("-request-header needs -trusted-proxy: only our own proxies may name requests")
	case c.LameDuck < 0:
		return c, usageError("-lame-duck must not be negative")
	case !(c.FreeRate >= 0): // also when it is not a number
		return c, usageError("-free-rate must be 0 or more")
	}
	var err error
	if c.TLS, err = s.tls.config(); err != nil {
		return c, err
	}
	c.Payments, err = s.payments.config(c.State)
	return c, err
}

// checkAddresses refuses listeners that are not host:port, and turns those off that are "off": an empty variable counts
// as not set, so off needs a word.
func checkAddresses(c *server.Config) error {
	for _, l := range []struct {
		flag string
		addr *string
	}{{"-http", &c.HTTP}, {"-grpc", &c.GRPC}, {"-admin", &c.Admin}} {
		if *l.addr == "off" && l.addr != &c.HTTP {
			*l.addr = ""
		}
		if _, _, err := net.SplitHostPort(*l.addr); *l.addr != "" && err != nil {
			return usageError(fmt.Sprintf("%s %q is not host:port, for example localhost:8402", l.flag, *l.addr))
		}
	}
	if c.HTTP == "" {
		return usageError("-http is empty; give host:port, for example localhost:8402")
	}
	return nil
}

// loggers returns the log of the program and that of requests. Both write to w, in one order.
func (s *serveFlags) loggers(w *ops.LineWriter) (log, access *slog.Logger) {
	handler := func(w io.Writer) slog.Handler {
		if s.logFormat == "json" {
			return slog.NewJSONHandler(w, nil)
		}
		return slog.NewTextHandler(w, nil)
	}
	return slog.New(ops.NewRateLimitedHandler(handler(w), time.Now)), slog.New(handler(w.Requests()))
}

// tlsFlags are serve's flags for TLS.
type tlsFlags struct {
	server.TLS
	hosts string
}

func (t *tlsFlags) register(f *flag.FlagSet) {
	f.StringVar(&t.CertFile, "tls-cert", "",
		"`file` with the certificate chain for -http and -grpc (empty: no TLS); read again on SIGHUP")
	f.StringVar(&t.KeyFile, "tls-key", "", "`file` with the key of -tls-cert")
	f.StringVar(&t.hosts, "acme", "",
		"`hosts` to obtain certificates for by ACME, separated by commas; -http must be reachable on port 443")
	f.StringVar(&t.Directory, "acme-directory", autocert.DefaultACMEDirectory, "`address` of the ACME directory for -acme")
	f.StringVar(&t.RedirectFrom, "redirect", "",
		"`address`, such as :80, whose requests are sent on to HTTPS (empty: off); answers challenges of -acme too")
	f.DurationVar(&t.HSTS, "hsts", 180*24*time.Hour,
		"with TLS: `time` for which browsers shall use HTTPS alone (0: do not tell them)")
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
