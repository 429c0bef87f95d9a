package client

import (
	"context"
	"log/slog"
	"time"

	"almanac/l402/client/journal"
	"almanac/l402/client/wallet"
)

// lateOrder is how long after the end of an invoice an order to pay it may still reach the wallet, or their clocks may differ.
const lateOrder = time.Minute

// Resume finds out what became of payments that were not finished, as the first purchase does by itself.
func (c *Client) Resume(ctx context.Context) error {
	unlock, err := c.cfg.Journal.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if refusal := c.resume(ctx, ""); refusal != nil {
		return refusal
	}
	return nil
}

// resume finishes what a process that is gone began, while the journal is locked. A payment at origin that is not finished then is an error, since
// the next one might pay for the same thing.
func (c *Client) resume(ctx context.Context, origin string) *Refusal {
	open, err := c.cfg.Journal.Open(ctx)
	if err != nil {
		return refuse(JournalFault, "not paid, because the journal cannot be read: %w", err)
	}
	for _, p := range open {
		if c.isActive(p.Hash) {
			continue // another goroutine of this process is at it
		}
		if p.State != journal.Paying {
			// Nobody holds the lock, so nobody will pay it, and the wallet was never asked.
			c.fail(ctx, p.Hash, p.State, "interrupted before the wallet was asked to pay")
			continue
		}
		if refusal := c.resumeOne(ctx, p, p.Origin == origin); refusal != nil && p.Origin == origin && refusal.Reason != PaymentFailed {
			return refusal
		}
	}
	return nil
}

// resumeOne asks the wallet about a payment that may have been made. One that the wallet does not know is paid again when it is needed,
// the same invoice and no other, since an order from before may still be on its way to the wallet.
func (c *Client) resumeOne(ctx context.Context, p journal.Purchase, needed bool) *Refusal {
	if c.cfg.Wallet == nil {
		return refuse(WalletFault, "not paid: there is no wallet to ask about the unfinished payment %s", p.Hash)
	}
	hash, err := hashOf(p.Hash)
	if err != nil {
		return refuse(JournalFault, "not paid: %w", err)
	}
	out, err := c.cfg.Wallet.Track(ctx, hash)
	if err != nil {
		return refuse(Pending, "not paid: the wallet cannot be asked about the unfinished payment %s to %s: %w", p.Hash, p.Host, err)
	}
	c.log.Info("found an unfinished payment", slog.String("payment_hash", p.Hash), slog.String("status", out.Status.String()))
	late := c.now().After(p.InvoiceExpiresAt.Add(lateOrder))
	switch {
	case out.Status == wallet.Unknown && late:
		out = wallet.Outcome{Status: wallet.Failed, Reason: "the wallet never heard of it, and the invoice has expired"}
	case out.Status == wallet.Unknown && needed, out.Status == wallet.Pending && needed:
		_, _, refusal := c.pay(ctx, p)
		return refusal
	}
	_, _, refusal := c.settle(ctx, p, out, nil)
	return refusal
}
