package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"go.almanac.example/catalog"
)

// A Checker checks links. It remembers the robots.txt and the pace of every host; use one for a round.
type Checker struct {
	cfg    Config
	client *http.Client
	pace   pacer
	sites  sync.Map // *siteRules by scheme and host (RFC 9309, section 2.3)
}

// New returns a checker.
func New(cfg Config) *Checker {
	cfg = cfg.withDefaults()
	return &Checker{cfg: cfg, client: newClient(cfg), pace: pacer{cfg: cfg}}
}

// A trail is where following a link led.
type trail struct {
	answer    // the last; its status is 0 when there was none
	hops      []Hop
	url       *url.URL // requested last
	requested bool     // something other than robots.txt was
	err       error    // the failure that ended it; nil for an answer
}

// follow requests a link and its redirects, each if allow has no error. It reads at most limit bytes of the last body.
func (c *Checker) follow(
	ctx context.Context, method, link string, limit int64, allow func(context.Context, *url.URL) error,
) trail {
	var t trail
	t.url, t.err = parse(link)
	seen := make(map[string]bool)
	for t.err == nil {
		if seen[t.url.String()] {
			t.err = failure{kind: kindRedirect, text: "redirects in a circle"}
			break
		}
		seen[t.url.String()] = true
		if t.err = allow(ctx, t.url); t.err != nil {
			break
		}
		t.requested = true
		a, err := c.send(ctx, method, t.url, limit)
		if err != nil {
			t.err = err
			break
		}
		t.answer = a
		if !a.isRedirect() {
			break
		}
		t.step()
	}
	return t
}

// maxRedirects is how many redirects of a link are followed; of robots.txt at least five (RFC 9309, section 2.3.1.2).
const maxRedirects = 10

// step goes where the last answer redirects to.
func (t *trail) step() {
	if len(t.hops) == maxRedirects {
		t.err = failure{kind: kindRedirect, text: "redirects too often"}
		return
	}
	next, err := t.url.Parse(t.header.Get("Location"))
	if err == nil {
		next, err = parse(next.String())
	}
	if err != nil {
		t.err = err
		return
	}
	t.url = next
	t.hops = append(t.hops, Hop{Status: t.status, To: next.String()})
}

// mayPass reports whether another attempt may end better.
func (t trail) mayPass() bool {
	if t.err != nil {
		return mayPass(t.err)
	}
	return isTemporary(t.status)
}

// check requests a link until the answer is one that will stay or the attempts are used up. The first attempt is a
// HEAD; where that is refused, where it promises a page, which may say that it is another than was asked for, and in
// every further attempt, it is a GET.
func (c *Checker) check(ctx context.Context, l catalog.Address, attempts int) Observation {
	return c.ask(ctx, l, http.MethodHead, pageBytes, attempts).Observation
}

// A Page is the answer of an address, with its body.
type Page struct {
	Observation
	Type string // its Content-Type
	ETag string
	Body []byte
	Long bool // there is more than was read
}

// Read requests a link until its answer is one that will stay and is whole, or the attempts are used up. It reads at
// most limit bytes of its body.
func (c *Checker) Read(ctx context.Context, l catalog.Address, limit int64, attempts int) Page {
	return c.ask(ctx, l, http.MethodGet, limit, attempts)
}

// ask is Read if the method of its first attempt is GET, and check if that is HEAD.
func (c *Checker) ask(ctx context.Context, l catalog.Address, method string, limit int64, attempts int) Page {
	whole := method == http.MethodGet
	for try := 1; ; try++ {
		t := c.follow(ctx, method, l.URL, limit, c.allow)
		if method == http.MethodHead && (headRefused(t) || isPage(t)) {
			t = c.follow(ctx, http.MethodGet, l.URL, limit, c.allow)
		}
		method = http.MethodGet
		if whole && t.err == nil && t.cut != nil && !errors.Is(t.cut, errLong) {
			t.err = t.cut // half a source is no source
		}
		if try >= attempts || !t.mayPass() || sleep(ctx, c.cfg.Backoff<<(try-1)) != nil {
			p := Page{Observation: c.observe(l, t), Long: errors.Is(t.cut, errLong)}
			if t.succeeded() {
				p.Type, p.ETag, p.Body = t.header.Get("Content-Type"), t.header.Get("ETag"), t.body
			}
			return p
		}
	}
}

// succeeded reports whether the link answered with what was asked for, or with a page that says that it did.
func (t trail) succeeded() bool { return t.err == nil && t.status >= 200 && t.status < 300 }

// headRefused reports whether a HEAD failed in a way in which a GET may not: many servers know only GET, and say so
// with a wrong status or by closing the connection.
func headRefused(t trail) bool {
	if t.err != nil {
		k, _ := classify(t.err)
		return t.requested && (k == kindReset || k == kindProtocol)
	}
	return t.status >= 400 && !isTemporary(t.status)
}

// isPage reports whether an answer promises a page.
func isPage(t trail) bool {
	return t.succeeded() && isHTML(t.header.Get("Content-Type"), nil)
}

// observe describes where following a link led.
func (c *Checker) observe(l catalog.Address, t trail) Observation {
	o := Observation{
		ID: l.Record, URL: l.URL, CheckedAt: c.cfg.Now().UTC().Truncate(time.Second),
		Status: t.status, Hops: t.hops,
	}
	if t.succeeded() {
		o.Kind, o.Detail = judgePage(l.URL, t.url, t.header.Get("Content-Type"), t.body)
	}
	switch {
	case o.Kind != "":
	case t.err != nil:
		o.Kind, o.Detail = classify(t.err)
	case t.status < 100 || t.status > 599:
		o.Kind, o.Detail = kindProtocol, fmt.Sprintf("answers %d, which is not an HTTP status", t.status)
	case t.status >= 400:
		o.Kind, o.Detail = kindStatus, fmt.Sprintf("%d %s", t.status, cmp.Or(http.StatusText(t.status), "(not a registered status)"))
	case t.status >= 300:
		o.Kind, o.Detail = kindRedirect, fmt.Sprintf("answers %d without an address to go to", t.status)
	case movedForGood(t.hops):
		o.Kind, o.Detail = kindMoved, "moved permanently to "+oneLine(o.FinalURL())
	}
	if len(o.Hops) > 0 && o.Kind != "" && o.Kind != kindMoved {
		noun := "redirects"
		if len(o.Hops) == 1 {
			noun = "redirect"
		}
		o.Detail = oneLine(fmt.Sprintf("after %d %s, at %s: %s", len(o.Hops), noun, o.FinalURL(), o.Detail))
	}
	return o
}

// movedForGood reports whether every redirect on the way was permanent, so that the record should have the new address.
func movedForGood(hops []Hop) bool {
	temporary := func(h Hop) bool {
		return h.Status != http.StatusMovedPermanently && h.Status != http.StatusPermanentRedirect
	}
	return len(hops) > 0 && !slices.ContainsFunc(hops, temporary)
}
