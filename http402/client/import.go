package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// credential matches the value of Authorization, with its name or without.
var credential = regexp.MustCompile(`(?i)^\s*(?:authorization:\s*)?(L402|LSAT)\s+([^\s:]+):([0-9a-f]{64})\s*$`)

// Import keeps a credential that somebody else bought: the header Authorization or its value, for an origin.
func (c *Client) Import(ctx context.Context, origin, resource, authorization string) error {
	m := credential.FindStringSubmatch(authorization)
	if m == nil {
		return errors.New("the credential is not of the form L402 <macaroon>:<preimage>")
	}
	scheme, token, proof := strings.ToUpper(m[1]), m[2], m[3]
	first, _, _ := strings.Cut(token, ",") // of several macaroons for one payment
	ch, err := challenge.FromL402(first, "none")
	if err != nil {
		return fmt.Errorf("the credential %w", err)
	}
	sum := sha256.Sum256([]byte(token))
	rec := journal.Credential{ID: "shared-" + hex.EncodeToString(sum[:8]), Origin: origin, Resource: resource,
		Scheme: scheme, Header: "Authorization", Value: scheme + " " + token + ":" + proof, Remaining: -1,
		ValidUntil: ch.ValidUntil, BoughtAt: c.cfg.Now(), Presented: true, Accepted: true}
	if err = c.cfg.Journal.Save(ctx, rec); err == nil {
		_, err = c.load(ctx, origin)
	}
	return err
}
