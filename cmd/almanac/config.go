package main

import (
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"almanac/index"
	"almanac/l402"
	"almanac/l402/lnd"
	"almanac/ops"
)

// defaultHTTP is where the mirror, the paid interface and the tool server listen.
const defaultHTTP = "localhost:8402"

// serveConfig is what the flags of serve say.
type serveConfig struct {
	source
	http, grpc, admin string
	watch             bool
	state             string
	indexPlace        string
	logFormat         string
	securityContact   string
	payments          paymentsConfig
	tls               tlsConfig
	freeRate          float64
	accessLog         bool
	trustedProxies    prefixes
	requestHeader     string
}

// paymentsConfig is what the flags say about being paid.
type paymentsConfig struct {
	mode          string // demo, lnd or off
	lnd           lnd.Config
	ledger        string
	grpcChallenge int
	challengeRate float64
	demoAnywhere  bool
}

func (c *serveConfig) register(f *flag.FlagSet) {
	c.source.register(f)
	f.StringVar(&c.http, "http", defaultHTTP, "`address` of the mirror, the paid interface and the tool server")
	f.StringVar(&c.grpc, "grpc", "localhost:8403", "`address` of paid search over gRPC, or off")
	f.StringVar(&c.admin, "admin", "localhost:8404", "`address` of health and metrics, for the operator alone, or off")
	f.BoolVar(&c.watch, "watch", false, "reload when a file below -fixtures changes, as on SIGHUP")
	f.StringVar(&c.state, "state", "almanac-state", "`directory` of the key file, the SQLite ledger, certificates of -acme and an index on disk")
	f.StringVar(&c.indexPlace, "index", "auto", "`place` of the search index: memory, disk (below -state), or auto: on disk beyond 100,000 documents")
	f.StringVar(&c.logFormat, "log", "text", "`format` of the log: text or json")
	f.StringVar(&c.securityContact, "security-contact", "", "`address` for security.txt, https: or mailto: (empty: no security.txt)")
	f.Var(&c.trustedProxies, "trusted-proxy", "`networks` of our own proxies, whose X-Forwarded-For counts, separated by commas")
	f.StringVar(&c.requestHeader, "request-header", "", "`header` in which those proxies name each request: brought twice, it costs one credit (empty: none)")
	f.Float64Var(&c.freeRate, "free-rate", 100, "`requests` a second that one network (/24 or /48) may ask of what is free (0: any)")
	f.BoolVar(&c.accessLog, "access-log", true, "log every request; neither queries nor credentials are logged")
	c.tls.register(f)
	c.payments.register(f)
}

func (p *paymentsConfig) register(f *flag.FlagSet) {
	f.StringVar(&p.mode, "payments", "demo", "`who` makes invoices: demo (nobody pays for real), lnd, or off")
	f.StringVar(&p.lnd.URL, "lnd-url", "https://localhost:8080", "REST `address` of the lnd node")
	f.StringVar(&p.lnd.CertFile, "lnd-cert", "", "`file` with the node's tls.cert")
	f.StringVar(&p.lnd.MacaroonFile, "lnd-macaroon", "", "`file` with a macaroon for uri:/lnrpc.Lightning/AddInvoice")
	f.StringVar(&p.lnd.Network, "lnd-network", "mainnet", "the node's `network`: "+strings.Join(lnd.Networks(), ", "))
	f.StringVar(&p.ledger, "ledger", "", "`place` where credits are kept: sqlite:FILE or postgres://… (empty: SQLite in -state)")
	f.IntVar(&p.grpcChallenge, "grpc-challenge", 402, "gRPC `status` of a challenge: 402 or 13")
	f.Float64Var(&p.challengeRate, "challenge-rate", l402.DefaultLimits().Global, "`challenges` a second for everybody together; each is an invoice that the node keeps for 15 minutes")
	f.BoolVar(&p.demoAnywhere, "demo-anywhere", false, "let -payments demo answer others than this machine")
}

// check refuses what cannot be meant, before anything is opened.
func (c *serveConfig) check() error {
	if err := c.source.check(); err != nil {
		return err
	}
	for _, door := range []struct {
		flag string
		addr *string
	}{{"-http", &c.http}, {"-grpc", &c.grpc}, {"-admin", &c.admin}} {
		if *door.addr == "off" && door.addr != &c.http {
			*door.addr = "" // an empty variable is none, so off must have a word
		}
		if _, _, err := net.SplitHostPort(*door.addr); *door.addr != "" && err != nil {
			return usageError(fmt.Sprintf("%s %q is not host:port, for example localhost:8402", door.flag, *door.addr))
		}
	}
	if c.http == "" {
		return usageError("-http is empty; give host:port, for example localhost:8402")
	}
	if c.watch && c.fixtures == "" {
		return usageError("-watch needs -fixtures; the built-in files do not change")
	}
	if c.indexPlace != "auto" && c.indexPlace != "memory" && c.indexPlace != "disk" {
		return usageError(fmt.Sprintf("-index %q is unknown; use auto, memory or disk", c.indexPlace))
	}
	if c.logFormat != "text" && c.logFormat != "json" {
		return usageError(fmt.Sprintf("-log %q is unknown; use text or json", c.logFormat))
	}
	if c.requestHeader != "" && len(c.trustedProxies) == 0 {
		return usageError("-request-header needs -trusted-proxy: only our own proxies may name requests")
	}
	if !(c.freeRate >= 0) { // not a number is neither
		return usageError("-free-rate must be 0 or more")
	}
	if err := c.tls.check(); err != nil {
		return err
	}
	return c.payments.check()
}

func (p *paymentsConfig) check() error {
	switch p.mode {
	case "demo", "off":
	case "lnd":
		if p.lnd.CertFile == "" || p.lnd.MacaroonFile == "" {
			return usageError("-payments lnd needs -lnd-cert and -lnd-macaroon; see l402/lnd/README.md")
		}
	default:
		return usageError(fmt.Sprintf("-payments %q is unknown; use demo, lnd or off", p.mode))
	}
	if p.grpcChallenge != 402 && p.grpcChallenge != 13 {
		return usageError(fmt.Sprintf("-grpc-challenge %d is unknown; use 402 or 13", p.grpcChallenge))
	}
	if !(p.challengeRate > 0) { // not a number is neither
		return usageError("-challenge-rate must be above 0; -payments off sells nothing")
	}
	return nil
}

// index gives where the index lies.
func (c *serveConfig) index() index.Options {
	o := index.Options{Dir: filepath.Join(c.state, "index")}
	switch c.indexPlace {
	case "memory":
		o.Dir = ""
	case "disk":
		o.DiskFrom = 1
	}
	return o
}

// ledgerURL gives the address of the ledger.
func (c *serveConfig) ledgerURL() string { return ledgerURL(c.payments.ledger, c.state) }

func ledgerURL(ledger, state string) string {
	if ledger != "" {
		return ledger
	}
	return "sqlite:" + filepath.Join(state, "ledger.db")
}

// logger makes the one logger of the program.
func (c *serveConfig) logger(w *os.File) *slog.Logger {
	if c.logFormat == "json" {
		return slog.New(ops.NewRateLimitedHandler(slog.NewJSONHandler(w, nil), time.Now))
	}
	return slog.New(ops.NewRateLimitedHandler(slog.NewTextHandler(w, nil), time.Now))
}

// prefixes is a flag of networks.
type prefixes []netip.Prefix

// String gives the networks as the flag takes them.
func (p *prefixes) String() string {
	var list []string
	for _, x := range *p {
		list = append(list, x.String())
	}
	return strings.Join(list, ",")
}

// Set reads networks, or single addresses, separated by commas.
func (p *prefixes) Set(s string) error {
	*p = nil
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if addr, aerr := netip.ParseAddr(item); aerr == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return fmt.Errorf("%q is no network; write 10.0.0.0/8 or a single address", item)
		}
		*p = append(*p, prefix.Masked())
	}
	return nil
}
