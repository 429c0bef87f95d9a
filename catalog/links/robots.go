package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

const (
	robotsBytes     = 512 << 10 // RFC 9309, section 2.5: at least 500 KiB are read
	robotsRedirects = 5         // RFC 9309, section 2.3.1.2: at least five are followed
)

// robots keeps the robots.txt of every site once it has been fetched.
type robots struct {
	fetch   *fetcher
	product string
	mu      sync.Mutex
	sites   map[string]*siteRules // by scheme and host (RFC 9309, section 2.3)
}

type siteRules struct {
	mu    sync.Mutex // held while they are fetched
	rules *rules
	err   error
}

func newRobots(f *fetcher, product string) *robots {
	return &robots{fetch: f, product: product, sites: make(map[string]*siteRules)}
}

// allow returns nil when u may be requested, an error that wraps errForbidden, or why that is unknown. A site whose rules
// cannot be fetched is not requested further (RFC 9309, section 2.3.1.4).
func (r *robots) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	r.mu.Lock()
	s := r.sites[site]
	if s == nil {
		s = &siteRules{}
		r.sites[site] = s
	}
	r.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules == nil && (s.err == nil || mayPass(s.err)) {
		if s.rules, s.err = r.rulesOf(ctx, site); s.err == nil {
			r.fetch.pace.slowDown(u.Host, s.rules.delay)
		}
	}
	switch {
	case s.err != nil:
		return s.err
	case !s.rules.allow(u.RequestURI()):
		return fmt.Errorf("%w on %s", errForbidden, u.Host)
	}
	return nil
}

// rulesOf fetches the rules of a site.
func (r *robots) rulesOf(ctx context.Context, site string) (*rules, error) {
	u, err := url.Parse(site + "/robots.txt")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errBadURL, site)
	}
	for range robotsRedirects + 1 {
		a, err := r.fetch.send(ctx, http.MethodGet, u, robotsBytes)
		if err != nil {
			return nil, err
		}
		if a.cut != nil && !errors.Is(a.cut, errLong) {
			return nil, a.cut
		}
		if !a.isRedirect() {
			return r.read(a)
		}
		if u, err = u.Parse(a.header.Get("Location")); err != nil {
			return new(rules), nil
		}
		if u, err = parse(u.String()); err != nil {
			return new(rules), nil
		}
	}
	return new(rules), nil // as if there were none (RFC 9309, section 2.3.1.2)
}

// read returns the rules that an answer states.
func (r *robots) read(a *answer) (*rules, error) {
	switch {
	case a.status >= 500 && a.status <= 599 || a.status == http.StatusTooManyRequests:
		return nil, robotsStatus(a.status)
	case a.status < 200 || a.status > 299:
		return new(rules), nil // there are none (RFC 9309, section 2.3.1.3)
	}
	return parseRules(string(a.body), r.product), nil
}
