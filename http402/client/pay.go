package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
)

// pay has the wallet pay a purchase that is written down as paying, and writes down the outcome. An invoice is safe to
// pay again: the wallet pays each at most once.
func (c *Client) pay(ctx context.Context, p journal.Purchase, again bool) (*Credential, *journal.Purchase, *Refusal) {
	hash, err := hashOf(p.Hash)
	if err != nil {
		return nil, nil, refuse(JournalFault, "not paid: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.PayTimeout+payGrace)
	defer cancel()
	out, err := c.cfg.Wallet.Pay(ctx, wallet.Payment{Invoice: p.Invoice, Hash: hash, AmountMilliSats: p.AmountMilliSats,
		FeeLimitMilliSats: max(0, p.ReservedMilliSats-p.AmountMilliSats), Timeout: c.cfg.PayTimeout, Again: again})
	proven := out.Status != wallet.Succeeded || sha256.Sum256(out.Preimage[:]) == hash // some wallets answer zeros first
	if err != nil || out.Status == wallet.Pending || out.Status == wallet.Unknown || !proven {
		c.cfg.Log.Warn("the outcome of a payment is not known yet", slog.String("payment_hash", p.Hash), slog.Any("error", err))
		if seen := c.ask(ctx, hash, out); proven || seen.Status == wallet.Succeeded {
			out = seen
		}
	}
	return c.settle(context.WithoutCancel(ctx), p, out, err)
}

const (
	payGrace = 15 * time.Second // beyond the wallet's own time
	askPause = 500 * time.Millisecond
	asks     = 4 // after a payment whose outcome did not arrive
)

// ask asks the wallet a few times for the outcome of a payment.
func (c *Client) ask(ctx context.Context, hash [32]byte, out wallet.Outcome) wallet.Outcome {
	for range asks {
		if seen, err := c.cfg.Wallet.Track(ctx, hash); err == nil {
			if out = seen; out.Status == wallet.Succeeded || out.Status == wallet.Failed {
				return out
			}
		}
		select {
		case <-time.After(askPause):
		case <-ctx.Done():
			return out
		}
	}
	return out
}

// settle records the outcome of a payment. cause is the wallet's error, if it had one.
func (c *Client) settle(
	ctx context.Context, p journal.Purchase, out wallet.Outcome, cause error,
) (*Credential, *journal.Purchase, *Refusal) {
	switch out.Status {
	case wallet.Succeeded:
		cred, err := c.keep(ctx, &p, out)
		if err != nil {
			return nil, nil, err
		}
		return cred, &p, nil
	case wallet.Failed:
		c.fail(ctx, p.Hash, out.Reason)
		return nil, nil, refuse(PaymentFailed, "not paid: the wallet could not pay %s to %s: %s", Sats(p.AmountMilliSats), p.Host, out.Reason)
	}
	return nil, nil, refuse(Pending, "whether %s were paid to %s is not known yet; no other is made until it is known, or almanac forget %s gives it up: %w",
		Sats(p.AmountMilliSats), p.Host, p.Hash, cmp.Or(cause, errors.New("the payment is still under way")))
}

// keep writes down a preimage and the credential that it makes.
func (c *Client) keep(ctx context.Context, p *journal.Purchase, out wallet.Outcome) (*Credential, *Refusal) {
	proof := hex.EncodeToString(out.Preimage[:])
	if sum := sha256.Sum256(out.Preimage[:]); hex.EncodeToString(sum[:]) != p.Hash {
		return nil, refuse(WalletFault, "the wallet says that it paid %s, but its preimage is of payment %x", p.Hash, sum)
	}
	var ch challenge.Challenge
	if err := json.Unmarshal(p.Challenge, &ch); err != nil {
		return nil, refuse(JournalFault, "payment %s was made, but its challenge in the journal cannot be read: %w", p.Hash, err)
	}
	value := ch.Credential(out.Preimage)
	now := c.cfg.Now()
	rec := journal.Credential{ID: p.Hash, Origin: p.Origin, Resource: p.Resource, Scheme: p.Scheme,
		Header: value.Header, Value: value.Value,
		Remaining: -1, ValidUntil: ch.ValidUntil, BoughtAt: now}
	if err := c.cfg.Journal.Paid(ctx, p.Hash, proof, out.FeeMilliSats, rec, now); err != nil {
		return nil, refuse(JournalFault, "payment %s was made, but cannot be written down: %w", p.Hash, err)
	}
	c.step(journal.Paid, p.Hash)
	p.State, p.Preimage, p.FeeMilliSats, p.PaidAt = journal.Paid, proof, out.FeeMilliSats, now
	cred := newCredential(rec)
	c.mu.Lock()
	c.origins[rec.Origin] = append([]*Credential{cred}, c.origins[rec.Origin]...)
	c.mu.Unlock()
	c.cfg.Log.Info("paid", slog.String("host", p.Host), slog.String("payment_hash", p.Hash),
		slog.Int64("msat", p.AmountMilliSats), slog.Int64("fee_msat", p.FeeMilliSats))
	return cred, nil
}

func hashOf(text string) (hash [32]byte, err error) {
	if n, err := hex.Decode(hash[:], []byte(text)); err != nil || n != len(hash) {
		return hash, fmt.Errorf("payment hash %.64q of the journal is not one", text)
	}
	return hash, nil
}

func (c *Client) fail(ctx context.Context, hash, reason string) {
	if err := c.cfg.Journal.Fail(ctx, hash, reason); err != nil {
		c.cfg.Log.Error("cannot write down that a payment failed", slog.Any("error", err))
	}
}

// step logs that a purchase has come to a state, and that this is on disk.
func (c *Client) step(state journal.State, hash string) {
	c.cfg.Log.Debug("purchase", slog.String("state", string(state)), slog.String("payment_hash", hash))
}

// lateOrder is how long after the end of an invoice an order to pay it may still reach the wallet, which then works on it for its
// time, or their clocks may differ.
const lateOrder = time.Minute

// resume settles the payments that an ended process began. A payment at origin, where the caller has the turn, that is
// not finished then is an error, since the next one might pay for the same thing.
func (c *Client) resume(ctx context.Context, origin string, o *order) *Refusal {
	open, err := c.cfg.Journal.Open(ctx)
	if err != nil {
		return refuse(JournalFault, "not paid, because the journal cannot be read: %w", err)
	}
	for _, p := range open {
		if refusal := c.resumeOne(ctx, p, p.Origin == origin, o); refusal != nil && p.Origin == origin &&
			refusal.Reason != PaymentFailed {
			return refusal
		}
	}
	return nil
}

// resumeOne asks the wallet about a payment that may have been made. One that the wallet does not know is paid again
// when it is needed, the same invoice and no other, since an order from before may still be on its way to the wallet.
func (c *Client) resumeOne(ctx context.Context, p journal.Purchase, needed bool, o *order) *Refusal {
	if !needed {
		end, ok := c.cfg.Journal.TryTurn(p.Origin)
		if !ok {
			return nil // somebody else is at it
		}
		defer end()
	}
	if c.cfg.Wallet == nil {
		return refuse(WalletFault, "not paid: there is no wallet to ask about the unfinished payment %[1]s; set one (-wallet), or almanac forget %[1]s gives it up as spent", p.Hash)
	}
	hash, err := hashOf(p.Hash)
	if err != nil {
		return refuse(JournalFault, "not paid: %w", err)
	}
	out, err := c.cfg.Wallet.Track(ctx, hash)
	if err != nil {
		return refuse(Pending, "not paid: the wallet cannot be asked about the unfinished payment to %s; almanac forget %s gives it up as spent: %w",
			p.Host, p.Hash, err)
	}
	c.cfg.Log.Info("found an unfinished payment", slog.String("payment_hash", p.Hash), slog.String("status", out.Status.String()))
	late := c.cfg.Now().After(p.InvoiceExpiresAt.Add(lateOrder + c.cfg.PayTimeout))
	switch {
	case out.Status != wallet.Succeeded && p.Wallet != "" && p.Wallet != c.cfg.WalletName:
		return refuse(Pending, "not paid: the unfinished payment to %s was begun with the wallet %s, which alone knows its outcome; give that wallet, or almanac forget %s gives the payment up as spent",
			p.Host, p.Wallet, p.Hash)
	case out.Status == wallet.Unknown && late:
		out = wallet.Outcome{Status: wallet.Failed, Reason: "the wallet never heard of it, and the invoice has expired"}
	case out.Status == wallet.Unknown && needed, out.Status == wallet.Pending && needed:
		if !o.give() {
			return refuse(CallerLeft, "not paid: the caller left")
		}
		_, _, refusal := c.pay(ctx, p, true)
		return refusal
	}
	_, _, refusal := c.settle(ctx, p, out, nil)
	return refusal
}
