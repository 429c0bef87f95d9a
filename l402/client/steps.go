package client

import (
	"context"
	"log/slog"

	"almanac/l402/client/journal"
)

// setActive records whether this process works on a payment.
func (c *Client) setActive(hash string, active bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if active {
		c.active[hash] = true
	} else {
		delete(c.active, hash)
	}
}

func (c *Client) isActive(hash string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active[hash]
}

func (c *Client) fail(ctx context.Context, hash string, from journal.State, reason string) {
	if err := c.cfg.Journal.Fail(ctx, hash, from, reason); err != nil {
		c.log.Error("cannot write down that a payment failed", slog.Any("error", err))
	}
}

// step logs that a purchase has come to a state, and that this is on disk.
func (c *Client) step(state journal.State, hash string) {
	c.log.Debug("purchase", slog.String("state", string(state)), slog.String("payment_hash", hash))
}
