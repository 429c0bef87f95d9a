package server

import (
	"context"
	"time"

	"almanac/catalog"
	"almanac/index"
	"almanac/l402"
	"almanac/tools"
)

// paidTool returns the paywall of the paid tool, nil when nothing is sold.
func (p *payments) paidTool(terms catalog.Terms) *tools.Paid {
	if p == nil {
		return nil
	}
	return &tools.Paid{
		Terms: terms, Payment: p.paywall.OffersPayment(), Balance: p.paywall.Balance, Challenge: p.paywall.Challenge,
		Spend: func(ctx context.Context, r l402.Request) (tools.Charge, error) { return p.paywall.Spend(ctx, r) },
	}
}

// creditsLeft returns what the credential of the request being answered has left.
func creditsLeft(ctx context.Context) (*index.Credits, bool) {
	b, ok := l402.BalanceFrom(ctx)
	if !ok {
		return nil, false
	}
	return &index.Credits{Remaining: b.Remaining, ValidUntil: b.ValidUntil.UTC().Format(time.RFC3339)}, true
}
