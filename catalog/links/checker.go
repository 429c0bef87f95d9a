package links

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A Checker checks links. It remembers the robots.txt and the pace of every host; use one for a round.
type Checker struct {
	cfg    Config
	fetch  *fetcher
	robots *robots
}

// New returns a checker.
func New(cfg Config) *Checker {
	cfg = cfg.withDefaults()
	f := newFetcher(cfg)
	return &Checker{cfg: cfg, fetch: f, robots: newRobots(f, cfg.Product)}
}

// Now returns the time by which the checker dates what it observes.
func (c *Checker) Now() time.Time { return c.cfg.Now() }

// A trail is where following a link led.
type trail struct {
	status    int         // of the last answer; 0 when there was none
	header    http.Header // of the last answer
	body      []byte      // of the last answer, as much as was wanted
	cut       error       // why it ends before it should
	hops      []Hop
	url       *url.URL // requested last
	requested bool     // something other than robots.txt was
	err       error    // what ended it, when it was not an answer
}

// follow requests a link and what it redirects to, obeying the robots.txt of every host on the way. It reads at most limit bytes of the
// last body.
func (c *Checker) follow(ctx context.Context, method, link string, limit int64) trail {
	var t trail
	t.url, t.err = parse(link)
	seen := make(map[string]bool)
	for t.err == nil {
		if seen[t.url.String()] {
			t.err = errLoop
			break
		}
		seen[t.url.String()] = true
		if t.err = c.robots.allow(ctx, t.url); t.err != nil {
			break
		}
		var a *answer
		t.requested = true
		if a, t.err = c.fetch.send(ctx, method, t.url, limit); t.err != nil {
			break
		}
		t.status, t.header, t.body, t.cut = a.status, a.header, a.body, a.cut
		if !a.isRedirect() {
			break
		}
		t.step(a, c.cfg.Redirects)
	}
	return t
}

// step goes where an answer redirects to.
func (t *trail) step(a *answer, limit int) {
	if len(t.hops) == limit {
		t.err = errTooMany
		return
	}
	next, err := t.url.Parse(a.header.Get("Location"))
	if err == nil {
		next, err = parse(next.String())
	}
	if err != nil {
		t.err = err
		return
	}
	t.url = next
	t.hops = append(t.hops, Hop{Status: a.status, To: next.String()})
}

// mayPass reports whether another attempt may end better.
func (t trail) mayPass() bool {
	if t.err != nil {
		return mayPass(t.err)
	}
	return isTemporary(t.status)
}
