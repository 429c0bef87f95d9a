package node

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

// A check judges the invoices of a node: whether each matches its request and is new, and whether somebody else can
// read its preimage.
type check struct {
	service Service
	cfg     Config

	mu      sync.Mutex
	seen    map[lntypes.Hash]time.Time // invoices, and until when they are remembered
	pruned  time.Time
	guarded time.Time // when strangers last could not read a preimage

	warning sync.Once // that our own credentials can
}

// invoice returns an invoice of the node if it matches the request and is new.
func (c *check) invoice(text string, req l402.InvoiceRequest) (l402.Invoice, *Error) {
	if c.cfg.ChoosesExpiry {
		req.Expiry = max(req.Expiry, longestExpiry)
	}
	inv, err := l402.CheckInvoice(text, req, c.cfg.Network, c.cfg.Now())
	switch {
	case err != nil:
	case showsPreimage(inv, inv.Hash):
		err = errors.New("the invoice itself shows the preimage that only a payment may reveal")
	case !c.isNew(inv.Hash, inv.ExpiresAt):
		err = errors.New("the node has returned an invoice with this payment hash before")
	}
	if err != nil {
		return l402.Invoice{}, &Error{Reason: ReasonWrongInvoice, Cause: err, Advice: fmt.Sprintf(
			"its invoice is not the one requested; is the node on %s, as %s says, and is its clock right?", c.cfg.Network, c.cfg.NetworkFlag)}
	}
	return l402.Invoice{PaymentRequest: inv.Text, PaymentHash: inv.Hash, ExpiresAt: inv.ExpiresAt}, nil
}

// isNew remembers a payment hash until end, but no longer than a day, and reports whether it was not known.
func (c *check) isNew(hash lntypes.Hash, end time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.cfg.Now()
	if now.Sub(c.pruned) > time.Minute {
		for old, until := range c.seen {
			if until.Before(now) {
				delete(c.seen, old)
			}
		}
		c.pruned = now
	}
	if _, known := c.seen[hash]; known {
		return false
	}
	if day := now.Add(24 * time.Hour); end.After(day) {
		end = day
	}
	c.seen[hash] = end
	return true
}

// showsPreimage reports whether an invoice holds its own preimage in one of its fields.
func showsPreimage(inv bolt11.Invoice, hash lntypes.Hash) bool {
	fields := [][]byte{hash[:], inv.Secret[:], []byte(inv.DescriptionHash), []byte(inv.Metadata)}
	return slices.ContainsFunc(fields, func(field []byte) bool { return sha256.Sum256(field) == hash }) ||
		holdsPreimage([]byte(inv.Description), hash)
}

// due reports whether it is time to ask whether strangers can read preimages.
func (c *check) due(ttl time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.guarded.IsZero() || ttl > 0 && c.cfg.Now().Sub(c.guarded) >= ttl
}

// guard looks an unpaid invoice up as a stranger, and returns an error if the preimage is in it: the payment hash is in
// every challenge, so everybody could search without paying. It asks once, and again after ttl unless that is 0.
func (c *check) guard(ctx context.Context, hash lntypes.Hash, ttl time.Duration) *Error {
	if !c.due(ttl) {
		return nil
	}
	answer, nodeErr := c.service.Lookup(ctx, hash, true)
	c.mu.Lock()
	known := !c.guarded.IsZero()
	switch {
	case nodeErr != nil:
	case holdsPreimage(answer, hash):
		nodeErr, c.guarded, known = readable(), time.Time{}, false
	default:
		c.guarded = c.cfg.Now()
	}
	c.mu.Unlock()
	if nodeErr != nil && known {
		return nil // it could not be asked: the last finding counts until it can
	}
	if nodeErr == nil && !known {
		c.warnOfCredentials(ctx, hash)
	}
	return nodeErr
}

// warnOfCredentials logs once if our own credentials show preimages of unpaid invoices: a thief of them could search
// without paying.
func (c *check) warnOfCredentials(ctx context.Context, hash lntypes.Hash) {
	answer, nodeErr := c.service.Lookup(ctx, hash, false)
	if nodeErr != nil || !holdsPreimage(answer, hash) {
		return
	}
	c.warning.Do(func() {
		c.cfg.Log.Warn("the credentials of the Lightning node can read preimages of unpaid invoices, and so search without paying: keep them as safe as the key file")
	})
}

// encoded matches 32 bytes in hex or in base64.
var encoded = regexp.MustCompile(`[0-9a-fA-F]{64,}|[0-9A-Za-z+/_-]{43}`)

// holdsPreimage reports whether the preimage of a payment hash stands anywhere in a text, in hex or in base64.
func holdsPreimage(text []byte, hash lntypes.Hash) bool {
	for _, m := range encoded.FindAll(text, -1) {
		for i := 0; i+64 <= len(m); i++ {
			if raw, err := hex.DecodeString(string(m[i : i+64])); err == nil && sha256.Sum256(raw) == hash {
				return true
			}
		}
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if raw, err := enc.DecodeString(string(m)); err == nil && sha256.Sum256(raw) == hash {
				return true
			}
		}
	}
	return false
}
