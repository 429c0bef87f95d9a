package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// check asks until the answer is one that will stay, or attempts are used up. The first attempt is a HEAD; where that is
// refused, and in every further attempt, it is a GET.
func (c *Checker) check(ctx context.Context, l Link, attempts int) Observation {
	method, asked := http.MethodHead, 0
	for try := 1; ; try++ {
		t := c.follow(ctx, method, l.URL)
		if method == http.MethodHead && headRefused(t) {
			t = c.follow(ctx, http.MethodGet, l.URL)
		}
		if t.asked {
			asked++
		}
		if try >= attempts || !t.mayPass() || ctx.Err() != nil {
			return c.observe(l, t, asked)
		}
		c.cfg.Log.Debug("link is asked again", "id", l.ID, "url", l.URL, "attempt", try, "status", t.status, "err", t.err)
		if sleep(ctx, c.cfg.Backoff<<(try-1)) != nil {
			return c.observe(l, t, asked)
		}
		method = http.MethodGet
	}
}

// headRefused tells whether a HEAD met something that a GET may not meet: many servers know only GET, and say
// so with a wrong status or by hanging up.
func headRefused(t trail) bool {
	if t.err != nil {
		k, _ := classify(t.err)
		return t.asked && (k == kindReset || k == kindProtocol)
	}
	return t.status >= 400 && !passing(t.status)
}

// passing are the statuses that say: not now.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func (t trail) mayPass() bool {
	if t.err != nil {
		return mayPass(t.err)
	}
	return passing(t.status)
}

// observe puts into words where following a link led.
func (c *Checker) observe(l Link, t trail, asked int) Observation {
	o := Observation{
		ID: l.ID, URL: l.URL, CheckedAt: c.cfg.Now().UTC().Truncate(time.Second),
		Status: t.status, Hops: t.hops, Attempts: asked,
	}
	switch {
	case errors.Is(t.err, errLater):
		o.Kind = kindLater
		o.Detail = fmt.Sprintf("%s asked to be left alone until %s", t.url.Host, c.pace.blockedUntil(t.url.Host).UTC().Format(time.RFC3339))
	case t.err != nil:
		o.Kind, o.Detail = classify(t.err)
	case t.status < 100 || t.status > 599:
		o.Kind, o.Detail = kindProtocol, fmt.Sprintf("answers %d, which is no HTTP status", t.status)
	case t.status >= 400:
		o.Kind, o.Detail = kindStatus, statusDetail(t)
	case t.status >= 300:
		o.Kind, o.Detail = kindRedirect, fmt.Sprintf("answers %d without saying where to", t.status)
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
		text = "no registered status"
	}
	if v := t.header.Get("Retry-After"); v != "" {
		text += "; Retry-After: " + v
	}
	return oneLine(fmt.Sprintf("%d %s", t.status, text))
}

// movedForGood tells whether every redirect on the way was permanent, so that the record should name the new address.
func movedForGood(hops []Hop) bool {
	for _, h := range hops {
		if h.Status != http.StatusMovedPermanently && h.Status != http.StatusPermanentRedirect {
			return false
		}
	}
	return len(hops) > 0
}
