package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	robotsBytes     = 512 << 10 // RFC 9309, section 2.5: at least 500 KiB are read
	robotsRedirects = 5         // RFC 9309, section 2.3.1.2: at least five are followed
)

// siteRules are the robots.txt of a site, fetched once.
type siteRules struct {
	mu    sync.Mutex // locked while they are fetched
	rules *rules
	err   error
}

// allow returns nil when u may be requested, an error that wraps errForbidden, or why that is unknown. A site whose
// rules cannot be fetched is not requested further (RFC 9309, section 2.3.1.4).
func (c *Checker) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	known, _ := c.sites.LoadOrStore(site, new(siteRules))
	s := known.(*siteRules)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rules == nil && (s.err == nil || mayPass(s.err)) {
		if s.rules, s.err = c.rulesOf(ctx, site); s.err == nil {
			c.pace.slowDown(u.Host, s.rules.delay)
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
func (c *Checker) rulesOf(ctx context.Context, site string) (*rules, error) {
	u, err := url.Parse(site + "/robots.txt")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errBadURL, site)
	}
	for range robotsRedirects + 1 {
		a, err := c.send(ctx, http.MethodGet, u, robotsBytes)
		if err != nil {
			return nil, err
		}
		if a.cut != nil && !errors.Is(a.cut, errLong) {
			return nil, a.cut
		}
		if !a.isRedirect() {
			return c.readRules(a)
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

// readRules returns the rules that an answer states.
func (c *Checker) readRules(a answer) (*rules, error) {
	switch {
	case a.status >= 500 && a.status <= 599 || a.status == http.StatusTooManyRequests:
		return nil, robotsStatus(a.status)
	case a.status < 200 || a.status > 299:
		return new(rules), nil // there are none (RFC 9309, section 2.3.1.3)
	}
	return parseRules(string(a.body), c.cfg.Product), nil
}

// rules are the demands of a robots.txt on one crawler (RFC 9309).
type rules struct {
	paths []pathRule
	delay time.Duration // Crawl-delay, which RFC 9309 does not define but site owners use
}

type pathRule struct {
	length  int // of the pattern in normal form, in which * matches anything, and $ at the end the end of the path
	matches *regexp.Regexp
	allow   bool
}

// parseRules reads the rules for a product token: those of every group that names it, or else those of every group for
// all (RFC 9309, section 2.2.1). A line that cannot be understood is passed over.
func parseRules(text, product string) *rules {
	var ours, all rules
	var forUs, forAll, inRules bool // of the current group
	named := false                  // a group was for us
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r", "\n"), "\n") {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if inRules { // rules end the names they are for
				forUs, forAll, inRules = false, false, false
			}
			forAll = forAll || value == "*"
			forUs = forUs || strings.EqualFold(productToken.FindString(value), product)
			named = named || forUs
		case "allow", "disallow", "crawl-delay":
			inRules = true
			if forUs {
				ours.add(key, value)
			}
			if forAll {
				all.add(key, value)
			}
		}
	}
	if named {
		return &ours
	}
	return &all
}

// productToken is the beginning of a User-agent line's value that can name a crawler: "almanac" of "almanac/1.0".
var productToken = regexp.MustCompile(`^[A-Za-z_-]*`)

func (r *rules) add(key, value string) {
	if key == "crawl-delay" {
		const limit = 1e6 // seconds, so that the number fits
		if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
			r.delay = time.Duration(min(s, limit) * float64(time.Second))
		}
		return
	}
	if value == "" {
		return // an empty pattern matches nothing
	}
	if value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	pattern := normalPath(value)
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
	if before, ok := strings.CutSuffix(expression, `\$`); ok {
		expression = before + `$`
	}
	if matches, err := regexp.Compile(`(?s)^` + expression); err == nil {
		r.paths = append(r.paths, pathRule{len(pattern), matches, key == "allow"})
	}
}

// allow reports whether a path with its query may be requested: the longest pattern that matches decides, and of two of
// one length the one that allows (RFC 9309, section 2.2.2).
func (r *rules) allow(path string) bool {
	path = normalPath(path)
	longest, allowed := -1, true
	for _, p := range r.paths {
		if (p.length > longest || p.length == longest && p.allow) && p.matches.MatchString(path) {
			longest, allowed = p.length, p.allow
		}
	}
	return allowed
}

// escapable matches an escape, or a character outside ASCII.
var escapable = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^\x00-\x7f]`)

// normalPath returns the form in which a pattern and a path are compared (RFC 9309, section 2.2.2): plain characters
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
