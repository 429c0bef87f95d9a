package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// Import keeps a credential that somebody else bought: the value of Authorization, for an origin.
func (c *Client) Import(ctx context.Context, origin, resource, authorization string) error {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(authorization), " ")
	token, proof, colon := strings.Cut(strings.TrimSpace(rest), ":")
	if !ok || !colon || !strings.EqualFold(scheme, challenge.L402) && !strings.EqualFold(scheme, challenge.LSAT) ||
		len(proof) != 64 {
		return errors.New("the credential is not of the form L402 <macaroon>:<preimage>")
	}
	first, _, _ := strings.Cut(token, ",") // of several macaroons for one payment
	ch, err := challenge.FromL402(first, "none")
	if err != nil {
		return fmt.Errorf("the credential %w", err)
	}
	sum := sha256.Sum256([]byte(authorization))
	rec := journal.Credential{ID: "shared-" + hex.EncodeToString(sum[:8]), Origin: origin, Resource: resource,
		Scheme: strings.ToUpper(scheme),
		Header: "Authorization", Value: strings.ToUpper(scheme) + " " + token + ":" + proof, Remaining: -1,
		ValidUntil: ch.ValidUntil, BoughtAt: c.cfg.Now(), Presented: true, Accepted: true}
	if err = c.cfg.Journal.Save(ctx, rec); err == nil {
		_, err = c.load(ctx, origin)
	}
	return err
}
