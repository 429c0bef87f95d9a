// Package links checks the addresses that records cite: it requests each, and records the answer.
//
// A status is recorded as it was served and never guessed: a link that did not answer has none. The checker is a guest
// on other people's servers. It names itself, obeys robots.txt (RFC 9309) and Retry-After, makes one request at a time
// to a host with a pause in between, and reads no page that it does not need. It never connects to an address that is
// not public unless it was told to, however the name of the host or a redirect leads there.
//
// It reads from the bottom up: observations and failures; one request, then a link with its redirects and attempts;
// then a round over many hosts, and the round over the library, which writes the curated files.
package links

import (
	"cmp"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"go.almanac.example/http402/netaddr"
)

// A Config is how a checker behaves. Every field but UserAgent and Product has a default, which its comment ends with.
type Config struct {
	UserAgent string // who we are, with the address that explains it
	Product   string // the product token by which robots.txt knows us

	Hosts    int           // hosts that are sent requests at once; 8
	Pace     time.Duration // least time between two requests to one host; 1 s
	Timeout  time.Duration // for one request, from the name look-up to the headers; 20 s
	Attempts int           // requests for one link while its failure may pass; 3
	Backoff  time.Duration // before the second attempt, doubled before each further one; 2 s
	MaxWait  time.Duration // the longest Retry-After and Crawl-delay that are obeyed by waiting; 2 min

	Prepare  func(*http.Request)   // adds to a request, such as a condition; nothing
	Allow    func(netip.Addr) bool // the addresses it may connect to; every public one
	Resolver *net.Resolver         // the system's
	Roots    *x509.CertPool        // the system's
	Now      func() time.Time      // time.Now
}

func (c Config) withDefaults() Config {
	c.Hosts, c.Pace = cmp.Or(c.Hosts, 8), cmp.Or(c.Pace, time.Second)
	c.Timeout, c.MaxWait = cmp.Or(c.Timeout, 20*time.Second), cmp.Or(c.MaxWait, 2*time.Minute)
	c.Attempts, c.Backoff = cmp.Or(c.Attempts, 3), cmp.Or(c.Backoff, 2*time.Second)
	if c.Allow == nil {
		c.Allow = netaddr.IsPublic
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// The kinds of an observation; catalog.LinkFindingKinds has their meanings for a reader.
const (
	kindStatus   = "status"
	kindMoved    = "moved"
	kindRedirect = "redirect"
	kindTLS      = "tls"
	kindDNS      = "dns"
	kindRefused  = "refused"
	kindReset    = "reset"
	kindTimeout  = "timeout"
	kindProtocol = "protocol"
	kindMissing  = "missing"
	kindLogin    = "login"
	kindRobots   = "robots"
	kindLater    = "later"
	kindPrivate  = "private"
)

// An Observation is the answer of one link.
type Observation struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	CheckedAt time.Time `json:"checked_at"`
	Status    int       `json:"status"` // of the last answer; 0 when there was none
	Hops      []Hop     `json:"hops,omitempty"`
	Kind      string    `json:"kind"`             // "" when all is well, else one of catalog.LinkFindingKinds
	Detail    string    `json:"detail,omitempty"` // of the kind, in one line
}

// A Hop is a redirect that was followed.
type Hop struct {
	Status int    `json:"status"`
	To     string `json:"to"`
}

// Answered reports whether the link answered with an HTTP status that a record can have. The status of a page that says
// that it is not there, or that asks for a log-in, is not the status of the source.
func (o *Observation) Answered() bool {
	return o.Status >= 100 && o.Status <= 599 && o.Kind != kindMissing && o.Kind != kindLogin
}

// FinalURL returns where redirects led.
func (o *Observation) FinalURL() string {
	if len(o.Hops) == 0 {
		return o.URL
	}
	return o.Hops[len(o.Hops)-1].To
}

// Observed returns the observation itself.
func (o Observation) Observed() Observation { return o }

// Broken reports whether the link is of no use to a reader who follows it. One that has moved, or that was not
// requested because its host does not want it, is not broken.
func (o *Observation) Broken() bool {
	return !slices.Contains([]string{"", kindMoved, kindRobots, kindLater}, o.Kind)
}

// Moved reports whether the link has moved for good and answers where it is now.
func (o *Observation) Moved() bool { return o.Kind == kindMoved }

// Lost reports whether the host says that the source is not there, by its status or on the page, or lets nobody in.
func (o *Observation) Lost() bool {
	return o.Status == 404 || o.Status == 410 || o.Kind == kindMissing || o.Kind == kindLogin
}
