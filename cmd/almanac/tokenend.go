package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"almanac/l402"
	"almanac/l402/ledger"
)

func (c *tokenFlags) revoke(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	warning, err := neverSeen(ctx, l, id)
	if err != nil {
		return err
	}
	if err := l.Revoke(ctx, id, time.Now()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "revoked %x\n%s", id, warning)
	return err
}

func (c *tokenFlags) refund(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	warning, err := neverSeen(ctx, l, id)
	if err != nil {
		return err
	}
	if err := l.Reimburse(ctx, id, time.Now()); err != nil {
		return err
	}
	a, err := l.Account(ctx, id)
	if err != nil {
		return err
	}
	price := "what it was sold for is not known"
	if a.Sale.Kind != l402.SaleUnknown {
		price = fmt.Sprintf("it was %s, for %d sat", a.Sale.Kind, a.Sale.PriceSats)
	}
	_, err = fmt.Fprintf(out, "marked %x as refunded, and revoked it: %s, and %d of %d credits were used\n"+
		"no money was sent: a Lightning payment cannot be returned to its sender, so pay an invoice that the buyer gives you\n%s",
		id, price, a.Used, a.Credits, warning)
	return err
}

// neverSeen returns a warning if the ledger does not know the token, perhaps because of a mistyped id.
func neverSeen(ctx context.Context, l *ledger.Ledger, id tokenID) (string, error) {
	_, err := l.Account(ctx, id)
	if errors.Is(err, l402.ErrUnknownAccount) {
		return "warning: the ledger has never seen this token; if it should have been used, check the id\n", nil
	}
	return "", err
}
