package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// ErrNothingToShare means that no credential for the origin is at hand, or none that can be narrowed.
var ErrNothingToShare = errors.New("nothing to share")

// Share returns a narrowed copy of an L402 credential for an origin, as the value of Authorization: good for at most n
// requests (0 is no further limit), until a moment (the zero time is no further limit). Its holder cannot
// widen it; Import takes it.
//
// Where the seller counts budgets, the copy is a branch with n requests of its own, whatever else the payment is used
// for. Elsewhere the caveat <service>_credits is repeated with less. It counts from the full purchase: the copy is good
// until n more requests have been made with the payment by anybody. A macaroon without the caveat cannot be
// narrowed so, and Share returns an error instead of a copy that is wider than asked for. The end repeats
// <service>_valid_until.
func (c *Client) Share(ctx context.Context, origin, resource string, n int64, until time.Time) (string, error) {
	cred := c.Find(ctx, origin, resource)
	if cred == nil {
		return "", fmt.Errorf("%w: there is no live credential for %s", ErrNothingToShare, origin)
	}
	if cred.rec.Scheme == challenge.Payment {
		return "", fmt.Errorf("%w: a Payment credential cannot be narrowed", ErrNothingToShare)
	}
	token, proof, ok := strings.Cut(strings.TrimPrefix(cred.rec.Value, cred.rec.Scheme+" "), ":")
	mac, _ := challenge.ReadMacaroon(token)
	if !ok || mac == nil {
		return "", fmt.Errorf("%w: the credential for %s is not a macaroon", ErrNothingToShare, origin)
	}
	var err error
	if n > 0 && countsBudgets(mac) {
		err = branchOff(mac, n)
	} else if n > 0 {
		known := cred.snapshot()
		if known.Total == 0 || known.Remaining < 0 {
			return "", fmt.Errorf("%w: it is not known how many requests are left; make one first", ErrNothingToShare)
		}
		err = narrow(mac, "_credits", known.Total-known.Remaining+n)
	}
	if err == nil && !until.IsZero() {
		err = narrow(mac, "_valid_until", until.Unix())
	}
	if err != nil {
		return "", err
	}
	out, err := mac.MarshalBinary()
	if err != nil {
		return "", fmt.Errorf("write the narrowed credential: %w", err)
	}
	return cred.rec.Scheme + " " + base64.StdEncoding.EncodeToString(out) + ":" + proof, nil
}

// countsBudgets reports whether the macaroon is of an almanac that counts budgets: one that does not would skip the
// caveat. They begin with how they were sold.
func countsBudgets(mac *macaroon.Macaroon) bool {
	first := mac.Caveats()
	return len(first) > 0 && strings.HasPrefix(string(first[0].Id), "almanac_sold=")
}

// branchOff makes the macaroon one of a new branch with n requests, or with as many as it may make itself.
func branchOff(mac *macaroon.Macaroon, n int64) error {
	for _, caveat := range mac.Caveats() {
		name, value, _ := strings.Cut(string(caveat.Id), "=")
		switch name {
		case "almanac_budget":
			_, value, _ = strings.Cut(value, ":")
		case "almanac_credits":
		default:
			continue
		}
		if most, err := strconv.ParseInt(value, 10, 64); err == nil {
			n = min(n, most)
		}
	}
	if n < 1 {
		return fmt.Errorf("%w: the credential may make no requests", ErrNothingToShare)
	}
	var name [8]byte
	rand.Read(name[:]) // never fails since Go 1.24
	return mac.AddFirstPartyCaveat(fmt.Appendf(nil, "almanac_budget=%x:%d", name, n))
}

// narrow repeats the caveats whose condition ends so, with at most the given value.
func narrow(mac *macaroon.Macaroon, suffix string, most int64) error {
	least := map[string]int64{}
	for _, caveat := range mac.Caveats() {
		name, value, ok := strings.Cut(string(caveat.Id), "=")
		v, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || !strings.HasSuffix(name, suffix) {
			continue
		}
		if old, have := least[name]; !have || v < old {
			least[name] = v
		}
	}
	if len(least) == 0 {
		return fmt.Errorf("%w: the seller's macaroons have no caveat <service>%s to narrow", ErrNothingToShare, suffix)
	}
	for name, v := range least {
		if err := mac.AddFirstPartyCaveat(fmt.Appendf(nil, "%s=%d", name, min(v, most))); err != nil {
			return err
		}
	}
	return nil
}

// Import keeps a credential that somebody else bought: the value of Authorization, for an origin.
func (c *Client) Import(ctx context.Context, origin, resource, authorization string) error {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(authorization), " ")
	token, proof, colon := strings.Cut(strings.TrimSpace(rest), ":")
	if !ok || !colon || !strings.EqualFold(scheme, challenge.L402) && !strings.EqualFold(scheme, challenge.LSAT) ||
		len(proof) != 64 {
		return errors.New("the credential is not of the form L402 <macaroon>:<preimage>")
	}
	ch, err := challenge.FromL402(token, "none")
	if err != nil {
		return fmt.Errorf("the credential %w", err)
	}
	sum := sha256.Sum256([]byte(authorization))
	rec := journal.Credential{ID: "shared-" + hex.EncodeToString(sum[:8]), Origin: origin, Resource: resource,
		Scheme: strings.ToUpper(scheme),
		Header: "Authorization", Value: strings.ToUpper(scheme) + " " + token + ":" + proof, Remaining: -1,
		ValidUntil: ch.ValidUntil, BoughtAt: c.cfg.Now(), Presented: true, Accepted: true}
	if err := c.cfg.Journal.Save(ctx, rec); err != nil {
		return err
	}
	_, err = c.load(ctx, origin)
	return err
}
