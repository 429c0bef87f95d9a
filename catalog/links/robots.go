package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/temoto/robotstxt"
)

const (
	robotsBytes     = 512 << 10 // RFC 9309, 2.5: at least 500 KiB are read
	robotsRedirects = 5         // RFC 9309, 2.3.1.2: at least five are followed
)

// robots keeps the rules of every site, each asked for once.
type robots struct {
	checker *Checker
	mu      sync.Mutex
	sites   map[string]*siteRules // by scheme and host (RFC 9309, 2.3)
}

type siteRules struct {
	mu   sync.Mutex // held while they are asked for
	data *robotstxt.RobotsData
	err  error
}

func newRobots(c *Checker) *robots { return &robots{checker: c, sites: make(map[string]*siteRules)} }

// allow reports whether u may be asked: nil, an error that wraps errForbidden, or why nobody knows.
// A site whose rules cannot be had is not asked further (RFC 9309, 2.3.1.4).
func (r *robots) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	r.mu.Lock()
	rules := r.sites[site]
	if rules == nil {
		rules = &siteRules{}
		r.sites[site] = rules
	}
	r.mu.Unlock()

	rules.mu.Lock()
	defer rules.mu.Unlock()
	if rules.data == nil && (rules.err == nil || mayPass(rules.err)) {
		rules.data, rules.err = r.fetch(ctx, site)
		if rules.data != nil {
			if g := rules.data.FindGroup(r.checker.cfg.Product); g != nil {
				r.checker.pace.slow(u.Host, g.CrawlDelay)
			}
		}
	}
	switch {
	case rules.err != nil:
		return rules.err
	case !rules.data.TestAgent(u.RequestURI(), r.checker.cfg.Product):
		return fmt.Errorf("%w on %s", errForbidden, u.Host)
	}
	return nil
}

// A robotsStatus is an error status of robots.txt that closes the site.
type robotsStatus int

func (s robotsStatus) Error() string {
	return fmt.Sprintf("robots.txt answers %d, which asks us to stay away", int(s))
}

func (r *robots) fetch(ctx context.Context, site string) (*robotstxt.RobotsData, error) {
	u, err := url.Parse(site + "/robots.txt")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errBadURL, site)
	}
	for range robotsRedirects + 1 {
		a, err := r.checker.send(ctx, http.MethodGet, u, robotsBytes)
		if err != nil {
			return nil, err
		}
		if !isRedirect(a) {
			return rulesOf(a)
		}
		if u, err = u.Parse(a.header.Get("Location")); err != nil {
			return rulesOf(&answer{status: http.StatusNotFound})
		}
		if u, err = parse(u.String()); err != nil {
			return rulesOf(&answer{status: http.StatusNotFound})
		}
	}
	return rulesOf(&answer{status: http.StatusNotFound}) // RFC 9309, 2.3.1.2: as if there were none
}

func rulesOf(a *answer) (*robotstxt.RobotsData, error) {
	if a.status >= 500 && a.status <= 599 || a.status == http.StatusTooManyRequests {
		return nil, robotsStatus(a.status)
	}
	if a.status < 200 || a.status > 299 {
		a.status = http.StatusNotFound // RFC 9309, 2.3.1.3: no rules
	}
	data, err := robotstxt.FromStatusAndBytes(a.status, a.body)
	var bad *robotstxt.ParseError
	if errors.As(err, &bad) {
		return robotstxt.FromStatusAndBytes(http.StatusNotFound, nil) // what is no robots.txt has no rules
	}
	return data, err
}
