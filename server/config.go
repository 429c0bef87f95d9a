package server

import (
	"log/slog"
	"net/netip"
	"os"
	"time"

	"google.golang.org/grpc/codes"

	"go.almanac.example/http402/explain"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
)

// Config is the configuration of a Server: its data, its listeners and their limits.
type Config struct {
	Version string // of the program, as published and measured
	Source  Source // the data, and the addresses they are published under

	HTTP  string // address of the mirror, the paid interface and the tool server
	GRPC  string // address of paid search over gRPC; empty: off
	Admin string // address of health and metrics; empty: off
	TLS   TLS

	Payments PaymentConfig
	// Explain returns the meaning of a text from a payment; nil: nothing is explained.
	Explain func(string) explain.Reading
	State   string // directory of the key file and of certificates got by ACME

	Memory uint64 // bytes that the process may use; 0: not limited

	// StartTimeout is how long Open waits for a node, a ledger and a name server that do not answer; 0: 5 seconds.
	StartTimeout time.Duration

	Reload <-chan os.Signal // a value reloads the data, the certificate and the keys

	// LameDuck is how long requests are still served after the end of Run's context, while the service says that it is
	// not ready.
	LameDuck time.Duration

	SecurityContact string         // of security.txt, https: or mailto:; empty: no security.txt
	WellKnown       string         // directory of proofs that the host is the operator's; empty: none
	FreeRate        float64        // requests a second that one network may send to the free surfaces; 0: any
	TrustedProxies  []netip.Prefix // our own proxies, whose X-Forwarded-For is believed
	RequestHeader   string         // in which those proxies name each request; empty: none

	AccessLog bool         // log every request
	Access    *slog.Logger // of requests; nil: Log
	// DroppedLines returns the number of lines that the logs dropped because nothing read them; nil: none are.
	DroppedLines func() int64
	Log          *slog.Logger
}

// A PaymentConfig says how searches are sold.
type PaymentConfig struct {
	Backend       Backend
	Node          node.Settings // of a Lightning node; the service adds the price, the clock and the log
	Ledger        string        // where credits are kept: sqlite:FILE or postgres://…
	GRPCChallenge codes.Code
	Challenges    l402.ChallengeLimits // how many challenges strangers and clients can have
	DemoAnywhere  bool                 // let the demo node answer other machines
}

// A Backend makes invoices.
type Backend string

// The back ends. With BackendOff nothing is sold.
const (
	BackendOff      Backend = "off"
	BackendDemo     Backend = "demo"
	BackendLND      Backend = "lnd"
	BackendPhoenixd Backend = "phoenixd"
	BackendCLN      Backend = "cln"
	BackendNWC      Backend = "nwc"
	BackendLNURL    Backend = "lnurl"
)

// TLS says which certificates the public listeners show. At most one of CertFile and Hosts is set; with neither, the
// listeners speak no TLS.
type TLS struct {
	CertFile, KeyFile string   // PEM; read again on a reload
	Hosts             []string // for which certificates are got by ACME
	Directory         string   // of the ACME authority

	RedirectFrom string        // address whose cleartext requests are sent on to HTTPS; empty: off
	HSTS         time.Duration // how long browsers may remember to use HTTPS alone (RFC 6797); 0: they are not told to
}
