package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// check requests a link until the answer is one that will stay or the attempts are used up. The first attempt is a HEAD; where
// that is refused, where it promises a page, which may say that it is another than was asked for, and in every further attempt, it is a GET.
func (c *Checker) check(ctx context.Context, l Link, attempts int) Observation {
	method, requests := http.MethodHead, 0
	for try := 1; ; try++ {
		t := c.follow(ctx, method, l.URL, pageBytes)
		if method == http.MethodHead && (headRefused(t) || isPage(t)) {
			t = c.follow(ctx, http.MethodGet, l.URL, pageBytes)
		}
		if t.requested {
			requests++
		}
		if try >= attempts || !t.mayPass() || ctx.Err() != nil {
			return c.observe(l, t, requests)
		}
		c.cfg.Log.Debug("retrying a link", "id", l.ID, "url", l.URL, "attempt", try, "status", t.status, "err", t.err)
		if sleep(ctx, c.cfg.Backoff<<(try-1)) != nil {
			return c.observe(l, t, requests)
		}
		method = http.MethodGet
	}
}

// headRefused reports whether a HEAD failed in a way in which a GET may not: many servers know only GET, and say so with a
// wrong status or by closing the connection.
func headRefused(t trail) bool {
	if t.err != nil {
		k, _ := classify(t.err)
		return t.requested && (k == kindReset || k == kindProtocol)
	}
	return t.status >= 400 && !isTemporary(t.status)
}

// isPage reports whether an answer promises a page.
func isPage(t trail) bool {
	return t.err == nil && t.status >= 200 && t.status < 300 && isHTML(t.header.Get("Content-Type"), nil)
}

// observe describes where following a link led.
func (c *Checker) observe(l Link, t trail, requests int) Observation {
	o := Observation{
		ID: l.ID, URL: l.URL, CheckedAt: c.cfg.Now().UTC().Truncate(time.Second),
		Status: t.status, Hops: t.hops, Attempts: requests,
	}
	if t.err == nil && t.status >= 200 && t.status < 300 {
		o.Kind, o.Detail = judgePage(l.URL, t.url, t.header.Get("Content-Type"), t.body)
	}
	switch {
	case o.Kind != "":
	case errors.Is(t.err, errLater):
		o.Kind = kindLater
		o.Detail = fmt.Sprintf("%s asks for no requests until %s", t.url.Host, c.fetch.pace.blockedUntil(t.url.Host).UTC().Format(time.RFC3339))
	case t.err != nil:
		o.Kind, o.Detail = classify(t.err)
	case t.status < 100 || t.status > 599:
		o.Kind, o.Detail = kindProtocol, fmt.Sprintf("answers %d, which is not an HTTP status", t.status)
	case t.status >= 400:
		o.Kind, o.Detail = kindStatus, statusDetail(t)
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

func statusDetail(t trail) string {
	text := http.StatusText(t.status)
	if text == "" {
		text = "(not a registered status)"
	}
	if v := t.header.Get("Retry-After"); v != "" {
		text += "; Retry-After: " + v
	}
	return oneLine(fmt.Sprintf("%d %s", t.status, text))
}

// movedForGood reports whether every redirect on the way was permanent, so that the record should have the new address.
func movedForGood(hops []Hop) bool {
	for _, h := range hops {
		if h.Status != http.StatusMovedPermanently && h.Status != http.StatusPermanentRedirect {
			return false
		}
	}
	return len(hops) > 0
}
