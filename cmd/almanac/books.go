package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"almanac/l402"
	"almanac/l402/ledger"
	"almanac/server"
)

// nodeBooks are the payments that a node lists, beside the accounts.
type nodeBooks struct {
	Since    time.Time     `json:"since"`
	Payments int           `json:"payments"`
	Sats     int64         `json:"sats"`
	Unused   []nodePayment `json:"unused"` // paid, without a request yet
	Unpaid   []string      `json:"unpaid"` // payment hashes of accounts that the node knows no payment of
}

type nodePayment struct {
	Hash   string    `json:"payment_hash"`
	PaidAt time.Time `json:"paid_at"`
	Sats   int64     `json:"sats"`
}

// comparedDays is how many days are compared: accounts are forgotten later.
const comparedDays = 30

func compareWithNode(ctx context.Context, l *ledger.Ledger, cfg server.PaymentConfig) (*nodeBooks, error) {
	b := &nodeBooks{Since: time.Now().UTC().AddDate(0, 0, -comparedDays).Truncate(time.Second), Unused: []nodePayment{}, Unpaid: []string{}}
	// The accounts come first: whoever has one has paid before.
	accounts, err := allAccounts(ctx, l)
	if err != nil {
		return nil, err
	}
	list, err := server.Settled(ctx, cfg, b.Since)
	if err != nil {
		return nil, err
	}
	unused := map[tokenID]nodePayment{}
	for _, p := range list {
		unused[p.Hash] = nodePayment{p.Hash.String(), p.At.UTC(), p.MilliSats / 1000}
		b.Payments++
		b.Sats += p.MilliSats / 1000
	}
	for _, a := range accounts {
		if _, paid := unused[a.Hash]; !paid && a.Sale.Kind == l402.SalePaid && a.Sale.At.After(b.Since) {
			b.Unpaid = append(b.Unpaid, a.Hash.String())
		}
		delete(unused, a.Hash)
	}
	b.Unused = slices.AppendSeq(b.Unused, maps.Values(unused))
	slices.SortFunc(b.Unused, func(x, y nodePayment) int { return x.PaidAt.Compare(y.PaidAt) })
	return b, nil
}

func (b *nodeBooks) print(w io.Writer) {
	sats := int64(0)
	for _, p := range b.Unused {
		sats += p.Sats
	}
	fmt.Fprintf(w, "\nThe node lists %d payments of %d sat since %s; %d of them, %d sat, have no request yet:\n",
		b.Payments, b.Sats, b.Since.Format(time.DateOnly), len(b.Unused), sats)
	for _, p := range b.Unused {
		fmt.Fprintf(w, "%s\t%d sat\t%s\n", p.PaidAt.Format(time.RFC3339), p.Sats, p.Hash)
	}
	if len(b.Unpaid) > 0 {
		fmt.Fprintf(w, "%d accounts were used, and are not among its payments; is it another node, or does somebody read its preimages?\n", len(b.Unpaid))
	}
	for _, hash := range b.Unpaid {
		fmt.Fprintf(w, "unpaid\t\t%s\n", hash)
	}
}

// allAccounts returns every account.
func allAccounts(ctx context.Context, l *ledger.Ledger) (all []l402.Account, err error) {
	var last tokenID
	for {
		page, err := l.Accounts(ctx, last, tokenPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < tokenPage {
			return all, nil
		}
		last = page[len(page)-1].Hash
	}
}
