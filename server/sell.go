package server

import (
	"context"
	"net/netip"
	"time"

	"almanac/catalog"
	"almanac/index"
	"almanac/l402"
	"almanac/tools"
)

// paidTool returns what the paid tool sells with; package tools knows nothing of l402.
func (p *payments) paidTool(terms catalog.Terms) *tools.Paid {
	if p == nil {
		return nil
	}
	return &tools.Paid{
		Terms: terms, Payment: p.paywall.OffersPayment(),
		Spend: func(ctx context.Context, search tools.PaidSearch) (tools.Charge, error) {
			charge, err := p.paywall.Spend(ctx, l402.Request{
				Credential: search.Credential, Method: "search_passages", Content: search.Query, Key: search.Key,
			})
			if err != nil {
				return tools.Charge{}, err
			}
			return tools.Charge{Balance: balanceOf(charge.Balance()), Receipt: charge.PaymentReceipt(), Refund: func(ctx context.Context) tools.Balance {
				charge.Waive(ctx)
				return balanceOf(charge.Balance())
			}}, nil
		},
		Balance: func(ctx context.Context, credential string) (tools.Balance, error) {
			b, err := p.paywall.Balance(ctx, credential)
			return balanceOf(b), err
		},
		Challenge: func(ctx context.Context, source netip.Addr, reason error) (tools.Challenge, error) {
			c, err := p.paywall.Challenge(ctx, source, reason)
			if err != nil {
				return tools.Challenge{}, err
			}
			return tools.Challenge{
				Macaroon: c.Macaroon, Invoice: c.Invoice, PaymentHash: c.PaymentHash.String(), ExpiresAt: c.ExpiresAt, Payment: c.Payment(),
			}, nil
		},
	}
}

// balanceOf returns a balance as the tools state it.
func balanceOf(b l402.Balance) tools.Balance {
	t := tools.Balance{Left: b.Remaining, ValidUntil: b.ValidUntil}
	if n := len(b.Branches); n > 0 {
		t.Branch, t.AccountLeft = b.Branches[n-1].Path, b.Account
	}
	return t
}

// creditsLeft returns what the credential of the request being answered has left.
func creditsLeft(ctx context.Context) (*index.Credits, bool) {
	b, ok := l402.BalanceFrom(ctx)
	if !ok {
		return nil, false
	}
	return &index.Credits{Remaining: b.Remaining, ValidUntil: b.ValidUntil.UTC().Format(time.RFC3339)}, true
}
