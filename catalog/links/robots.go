package links

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

const (
	robotsBytes     = 512 << 10 // RFC 9309, 2.5: at least 500 KiB are read
	robotsRedirects = 5         // RFC 9309, 2.3.1.2: at least five are followed
)

// robots keeps the rules of every site, once they could be had.
type robots struct {
	checker *Checker
	mu      sync.Mutex
	sites   map[string]*siteRules // by scheme and host (RFC 9309, 2.3)
}

type siteRules struct {
	mu  sync.Mutex // held while they are asked for
	had *rules
	err error
}

func newRobots(c *Checker) *robots { return &robots{checker: c, sites: make(map[string]*siteRules)} }

// allow reports whether u may be asked: nil, an error that wraps errForbidden, or why nobody knows.
// A site whose rules cannot be had is not asked further (RFC 9309, 2.3.1.4).
func (r *robots) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	r.mu.Lock()
	known := r.sites[site]
	if known == nil {
		known = &siteRules{}
		r.sites[site] = known
	}
	r.mu.Unlock()

	known.mu.Lock()
	defer known.mu.Unlock()
	if known.had == nil && (known.err == nil || mayPass(known.err)) {
		if known.had, known.err = r.fetch(ctx, site); known.err == nil {
			r.checker.pace.slow(u.Host, known.had.delay)
		}
	}
	switch {
	case known.err != nil:
		return known.err
	case !known.had.allow(u.RequestURI()):
		return fmt.Errorf("%w on %s", errForbidden, u.Host)
	}
	return nil
}

// A robotsStatus is an error status of robots.txt that closes the site.
type robotsStatus int

func (s robotsStatus) Error() string {
	return fmt.Sprintf("robots.txt answers %d, which asks us to stay away", int(s))
}

func (r *robots) fetch(ctx context.Context, site string) (*rules, error) {
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
			return r.rulesOf(a)
		}
		if u, err = u.Parse(a.header.Get("Location")); err != nil {
			return new(rules), nil
		}
		if u, err = parse(u.String()); err != nil {
			return new(rules), nil
		}
	}
	return new(rules), nil // RFC 9309, 2.3.1.2: as if there were none
}

func (r *robots) rulesOf(a *answer) (*rules, error) {
	switch {
	case a.status >= 500 && a.status <= 599 || a.status == http.StatusTooManyRequests:
		return nil, robotsStatus(a.status)
	case a.status < 200 || a.status > 299:
		return new(rules), nil // RFC 9309, 2.3.1.3
	}
	return parseRules(string(a.body), r.checker.cfg.Product), nil
}
