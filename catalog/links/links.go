// Package links looks at the addresses of the library and says what each of them answers.
//
// A status is reported as it was served and never guessed: a link that gave no answer has none.
// The checker is a guest on other people's servers. It says who it is, obeys robots.txt
// (RFC 9309) and Retry-After, asks one host one thing at a time with a pause in between, and
// reads no page it does not need. It never connects to an address that is not public unless it
// was told to, however the name of the host or a redirect leads there.
package links

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"almanac/catalog"
)

// A Link is one address to look at.
type Link struct {
	ID  string // of the library entry
	URL string
}

// A Config says how a checker behaves. Every field but UserAgent and Product has a default.
type Config struct {
	UserAgent string // who we are, with the address that explains it
	Product   string // the product token robots.txt knows us by

	Hosts      int           // hosts asked at once; 8
	Pace       time.Duration // between two requests to one host, at least; 1 s
	Timeout    time.Duration // for one request, from the name look-up to the headers; 20 s
	Attempts   int           // requests for one link while its trouble may pass; 3
	Backoff    time.Duration // before the second attempt, doubled before each further one; 2 s
	LongestNap time.Duration // the longest Retry-After and Crawl-delay that are waited for; 2 min
	Redirects  int           // followed for one link; 10

	Allow    func(netip.Addr) bool // the addresses it may connect to; Public
	Resolver *net.Resolver         // nil: the system's
	Roots    *x509.CertPool        // nil: the system's
	Now      func() time.Time
	Log      *slog.Logger
}

func (c Config) withDefaults() Config {
	set(&c.Hosts, 8)
	set(&c.Pace, time.Second)
	set(&c.Timeout, 20*time.Second)
	set(&c.Attempts, 3)
	set(&c.Backoff, 2*time.Second)
	set(&c.LongestNap, 2*time.Minute)
	set(&c.Redirects, 10)
	if c.Allow == nil {
		c.Allow = Public
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A Checker looks at links. It remembers the robots.txt and the pace of every host, so use one for a round.
type Checker struct {
	cfg    Config
	client *http.Client
	pace   *pacer
	robots *robots
}

// New makes a checker.
func New(cfg Config) *Checker {
	cfg = cfg.withDefaults()
	c := &Checker{cfg: cfg, client: newClient(cfg), pace: newPacer(cfg)}
	c.robots = newRobots(c)
	return c
}

// An Observation is what one link answered.
type Observation struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	CheckedAt time.Time `json:"checked_at"`
	Status    int       `json:"status"` // of the last answer; 0: there was none
	Hops      []Hop     `json:"hops,omitempty"`
	Kind      string    `json:"kind"`             // "" when all is well, else one of catalog.LinkFindingKinds
	Detail    string    `json:"detail,omitempty"` // of the kind, in one line
	Attempts  int       `json:"attempts"`         // 0: it was not asked
}

// A Hop is one redirect that was followed.
type Hop struct {
	Status int    `json:"status"`
	To     string `json:"to"`
}

// Answered reports whether the link gave an HTTP status that a record can hold.
func (o *Observation) Answered() bool { return o.Status >= 100 && o.Status <= 599 }

// FinalURL is where redirects led.
func (o *Observation) FinalURL() string {
	if len(o.Hops) == 0 {
		return o.URL
	}
	return o.Hops[len(o.Hops)-1].To
}

// Broken reports whether a reader who follows the link meets trouble. A link that has moved, or that was not
// asked because its host wishes so, is not broken.
func (o *Observation) Broken() bool {
	switch o.Kind {
	case "", kindMoved, kindRobots, kindLater:
		return false
	}
	return true
}

// Finding gives the observation as the report tells it, and whether there is something to tell.
func (o *Observation) Finding() (catalog.LinkFinding, bool) {
	return catalog.LinkFinding{
		ID: o.ID, URL: o.URL, Kind: o.Kind, Status: o.Status, Detail: o.Detail,
		FinalURL: o.FinalURL(), CheckedAt: o.CheckedAt.UTC().Format(time.RFC3339),
	}, o.Kind != ""
}

// Check looks at one link, as often as it takes to know what it answers.
func (c *Checker) Check(ctx context.Context, l Link) Observation {
	return c.check(ctx, l, c.cfg.Attempts)
}
