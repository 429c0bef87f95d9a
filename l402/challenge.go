package l402

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
)

// A Challenge is what an unpaid request is answered with: what to pay, and what to bring back with the preimage.
type Challenge struct {
	Macaroon    string // in standard base64
	Invoice     string // BOLT 11
	PaymentHash lntypes.Hash
	Terms       Terms
	ExpiresAt   time.Time // when the invoice can no longer be paid
}

// Header is the value of WWW-Authenticate. This order and spacing is what every deployed client reads: older ones look for
// macaroon first and invoice right after it, the 2026 text for version and token, and each skips the rest.
func (c *Challenge) Header() string {
	return `L402 macaroon="` + c.Macaroon + `", invoice="` + c.Invoice + `", version="0", token="` + c.Macaroon + `"`
}

// Members are the challenge as members of a JSON object, for clients that read bodies.
func (c *Challenge) Members() map[string]any {
	return map[string]any{
		"macaroon":     c.Macaroon,
		"invoice":      c.Invoice,
		"payment_hash": c.PaymentHash.String(),
		"price_sats":   c.Terms.PriceSats,
		"credits":      c.Terms.Credits,
		"valid_days":   int(c.Terms.Validity / (24 * time.Hour)),
		"expires_at":   c.ExpiresAt.UTC().Format(time.RFC3339),
	}
}

// Challenge asks the node for an invoice and makes the macaroon for it. source is where the request comes from. It keeps
// nothing. The error is always a *Refusal: too many challenges, or no invoice to be had.
func (p *Paywall) Challenge(ctx context.Context, source netip.Addr) (*Challenge, error) {
	now := p.cfg.Now()
	if wait := p.limiter.Take(source, now); wait > 0 {
		r := refuse(CodeRateLimited)
		r.RetryAfter = wait
		return nil, r
	}
	inv, err := p.cfg.Invoicer.AddInvoice(ctx, InvoiceRequest{
		AmountSats: p.cfg.Terms.PriceSats,
		Memo:       p.cfg.Memo,
		Expiry:     InvoiceExpiry,
	})
	if err == nil && !isPlain(inv.PaymentRequest) {
		err = errors.New("the invoice has characters that no invoice has")
	}
	if err != nil {
		if ctx.Err() == nil {
			p.log.Debug("no invoice", slog.Any("error", err))
		}
		return nil, refuse(CodeNodeUnavailable)
	}
	end := inv.ExpiresAt
	if ours := now.Add(InvoiceExpiry); ours.After(end) { // the node's clock must not shorten what is sold
		end = ours
	}
	raw, err := mint(p.cfg.Keys, newIdentifier(inv.PaymentHash),
		caveatsFor(p.cfg.Terms.Credits, end.Add(p.cfg.Terms.Validity)))
	if err != nil {
		p.log.Error("no macaroon", slog.Any("error", err))
		return nil, refuse(CodeInternal)
	}
	p.log.Debug("challenge", slog.String("payment_hash", inv.PaymentHash.String()))
	return &Challenge{
		Macaroon:    base64.StdEncoding.EncodeToString(raw),
		Invoice:     inv.PaymentRequest,
		PaymentHash: inv.PaymentHash,
		Terms:       p.cfg.Terms,
		ExpiresAt:   inv.ExpiresAt,
	}, nil
}

// isPlain reports whether s is lower-case letters and digits, which is all that a BOLT 11 invoice has. It goes into headers.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// String keeps the macaroon out of logs: with the preimage, which routing nodes see, it is the whole credential.
func (c *Challenge) String() string { return fmt.Sprintf("challenge for payment %s", c.PaymentHash) }

// LogValue is String.
func (c *Challenge) LogValue() slog.Value { return slog.StringValue(c.String()) }
