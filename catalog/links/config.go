package links

import (
	"crypto/x509"
	"log/slog"
	"net"
	"net/netip"
	"time"
)

// A Config is how a checker behaves. Every field but UserAgent and Product has a default, which its comment ends with.
type Config struct {
	UserAgent string // who we are, with the address that explains it
	Product   string // the product token by which robots.txt knows us

	Hosts     int           // hosts that are sent requests at once; 8
	Pace      time.Duration // least time between two requests to one host; 1 s
	Timeout   time.Duration // for one request, from the name look-up to the headers; 20 s
	Attempts  int           // requests for one link while its failure may pass; 3
	Backoff   time.Duration // before the second attempt, doubled before each further one; 2 s
	MaxWait   time.Duration // the longest Retry-After and Crawl-delay that are obeyed by waiting; 2 min
	Redirects int           // followed for one link; 10

	Allow    func(netip.Addr) bool // the addresses it may connect to; every public one
	Resolver *net.Resolver         // the system's
	Roots    *x509.CertPool        // the system's
	Now      func() time.Time      // time.Now
	Log      *slog.Logger          // none
}

func (c Config) withDefaults() Config {
	setDefault(&c.Hosts, 8)
	setDefault(&c.Pace, time.Second)
	setDefault(&c.Timeout, 20*time.Second)
	setDefault(&c.Attempts, 3)
	setDefault(&c.Backoff, 2*time.Second)
	setDefault(&c.MaxWait, 2*time.Minute)
	setDefault(&c.Redirects, 10)
	if c.Allow == nil {
		c.Allow = isPublic
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
