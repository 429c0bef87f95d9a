package client

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// A Left is the balance that an answer reports for the credential it took.
type Left struct {
	Known     bool
	Remaining int64
	For       time.Duration // 0 when not said
	Receipt   string        // the value of Payment-Receipt
}

// LeftOf reads RateLimit with the policies "credits" and "budget"
// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/) and X-Credit-Balance.
func LeftOf(h http.Header) Left {
	var l Left
	if n, err := strconv.ParseInt(h.Get("X-Credit-Balance"), 10, 64); err == nil && n >= 0 {
		l.Known, l.Remaining = true, n
	}
	for i, quota := range quotas.FindAllStringSubmatch(h.Get("RateLimit"), -1) {
		for _, p := range parameter.FindAllStringSubmatch(quota[1], -1) {
			switch n, err := strconv.ParseInt(p[2], 10, 64); {
			case err != nil || n < 0:
			case p[1] == "r" && (i == 0 || n < l.Remaining):
				l.Known, l.Remaining = true, n
			case p[1] == "t" && n < 1<<32:
				l.For = time.Duration(n) * time.Second
			}
		}
	}
	if receipt := h.Get("Payment-Receipt"); len(receipt) < 8<<10 {
		l.Receipt = receipt
	}
	return l
}

// quotas matches the items of RateLimit that count requests: credits, and a budget within them. parameter matches the
// requests (r) and the seconds (t) that an item has left.
var (
	quotas    = regexp.MustCompile(`(?:^|,)\s*"(?:credits|budget)"([^,]*)`)
	parameter = regexp.MustCompile(`;\s*([rt])=([^;\s]*)`)
)

// Accepted records an answer to a request that presented cred and was not asked to pay. served is whether it was
// served, as a status of 2xx says.
func (c *Client) Accepted(ctx context.Context, cred *Credential, resource string, served bool, left Left) {
	defer cred.land()
	cred.mu.Lock()
	cred.answered = true
	if served {
		cred.opens[resource] = true
	}
	cred.mu.Unlock()
	update := journal.Credential{Remaining: -1, Accepted: served}
	switch {
	case left.Known:
		update.Remaining, update.Spent = left.Remaining, left.Remaining == 0
		if left.For > 0 {
			update.ValidUntil = c.cfg.Now().Add(left.For).UTC().Truncate(time.Millisecond)
		}
	case served && cred.rec.Scheme == challenge.Payment:
		// A charge is good for one request unless the seller counts (draft-lightning-charge, "Settlement").
		update.Remaining, update.Spent = 0, true
	}
	if before := c.update(cred, update); served && !before.Accepted {
		if err := c.cfg.Journal.Use(context.WithoutCancel(ctx), cred.rec.ID, left.Receipt, c.cfg.Now()); err != nil {
			c.cfg.Log.Error("cannot write down that a credential was accepted", slog.Any("error", err))
		}
		c.step(journal.Used, cred.rec.ID)
	}
}

// Present must be called before a credential is presented, and its result given to Rejected. first is whether it was
// never presented before, so that being refused is the seller's fault and not that of an earlier use whose answer was
// lost.
func (c *Client) Present(ctx context.Context, cred *Credential) (first bool, err error) {
	if cred.snapshot().Presented {
		return false, nil
	}
	if first, err = c.cfg.Journal.Present(ctx, cred.rec.ID); err == nil {
		cred.mu.Lock()
		defer cred.mu.Unlock()
		cred.rec.Presented = true
	}
	return first, err
}

// Abandon lets others present cred or buy, when no answer will be recorded, or Rejected is not followed by Buy.
func (c *Client) Abandon(cred *Credential) { cred.land() }

// Rejected records an answer that asks to pay although cred was presented. Buy or Abandon follows: nobody else buys
// before.
func (c *Client) Rejected(cred *Credential, resource string, first bool) {
	update := journal.Credential{Remaining: -1}
	switch known := cred.snapshot(); {
	case !cred.Opens(resource):
		cred.mu.Lock()
		defer cred.mu.Unlock()
		cred.opens[resource] = false // it is for something else
		return
	case first && !known.Accepted:
		update.Mistrusted = true // buying again would throw good money after bad
	case known.Accepted, !known.Mistrusted:
		update.Spent = true // used up, perhaps by a request whose answer was lost
	}
	c.update(cred, update)
}
