package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/temoto/robotstxt"
)

const robotsBytes = 512 << 10 // RFC 9309, section 2.5: at least 500 KiB are read

// siteRules are the robots.txt of a site, fetched once.
type siteRules struct {
	mu    sync.Mutex // locked while they are fetched
	rules *robotstxt.Group
	err   error
}

// allow returns nil when u may be requested, or else the reason. A site whose rules cannot be fetched is not requested
// further (RFC 9309, section 2.3.1.4).
func (c *Checker) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	known, _ := c.sites.LoadOrStore(site, new(siteRules))
	s := known.(*siteRules)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules == nil && (s.err == nil || mayPass(s.err)) {
		if s.rules, s.err = c.rulesOf(ctx, site); s.err == nil {
			c.pace.slowDown(u.Host, max(0, s.rules.CrawlDelay))
		}
	}
	switch {
	case s.err != nil:
		return s.err
	case !s.rules.Test(normalPath(u.RequestURI())):
		return failure{kind: kindRobots, text: "robots.txt forbids it on " + u.Host}
	}
	return nil
}

// rulesOf fetches the rules of a site.
func (c *Checker) rulesOf(ctx context.Context, site string) (*robotstxt.Group, error) {
	t := c.follow(ctx, http.MethodGet, site+"/robots.txt", robotsBytes, func(context.Context, *url.URL) error { return nil })
	var own failure
	switch {
	case errors.As(t.err, &own) && own.kind == kindRedirect:
		return new(robotstxt.Group), nil // as if there were none (RFC 9309, section 2.3.1.2)
	case t.err != nil:
		return nil, t.err
	case t.cut != nil && !errors.Is(t.cut, errLong):
		return nil, t.cut
	}
	return c.readRules(t.answer)
}

// readRules returns the rules that an answer states.
func (c *Checker) readRules(a answer) (*robotstxt.Group, error) {
	switch {
	case a.status >= 500 && a.status <= 599 || a.status == http.StatusTooManyRequests:
		return nil, failure{kindRobots, fmt.Sprintf("robots.txt answers %d, which keeps us away", a.status), true}
	case a.status < 200 || a.status > 299:
		return new(robotstxt.Group), nil // there are none (RFC 9309, section 2.3.1.3)
	}
	return parseRules(string(a.body), c.cfg.Product)
}

// parseRules returns the rules for a product token. A text that cannot be understood closes the site.
func parseRules(text, product string) (*robotstxt.Group, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r", "\n")
	data, err := robotstxt.FromString(normalPath(text))
	if err != nil {
		return nil, failure{kind: kindRobots, text: "robots.txt forbids it: " + err.Error()}
	}
	return data.FindGroup(product), nil
}

// escapable matches an escape, or a character outside ASCII.
var escapable = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^\x00-\x7f]`)

// normalPath returns the form in which patterns and a path are compared (RFC 9309, section 2.2.2): plain characters
// have no escape, and those outside ASCII have one.
func normalPath(s string) string {
	return escapable.ReplaceAllStringFunc(s, func(part string) string {
		if plain, err := url.PathUnescape(part); err == nil && url.QueryEscape(plain) == plain {
			return plain
		}
		if part[0] == '%' {
			return strings.ToUpper(part)
		}
		return url.PathEscape(part)
	})
}
