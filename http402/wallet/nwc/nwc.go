// Package nwc pays with a wallet over Nostr Wallet Connect (NIP-47), by the methods pay_invoice and lookup_invoice.
//
// NIP-47 has no limit for routing fees: they are the wallet's, and are counted as it reports them. The connection's own
// budget, set in the wallet, is a second line of defence.
package nwc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/nip47"
	"go.almanac.example/http402/wallet"
)

// A Wallet is a connection to a wallet. It implements [wallet.Wallet].
type Wallet struct{ connection *nip47.Connection }

// New reads a connection URI, nostr+walletconnect://<public key>?relay=<address>&secret=<key>. Its errors do not show
// the secret. It does not connect.
func New(uri string) (*Wallet, error) {
	c, err := nip47.Parse(uri, 0)
	return &Wallet{c}, err
}

// trackTimeout is how long the wallet may take to answer a question.
const trackTimeout = 15 * time.Second

// A transaction is the wallet's record of a payment.
type transaction struct {
	Type      string        `json:"type"`
	Hash      string        `json:"payment_hash"`
	Amount    wallet.Number `json:"amount"` // in millisatoshis
	Created   wallet.Number `json:"created_at"`
	Preimage  string        `json:"preimage"`
	FeesPaid  wallet.Number `json:"fees_paid"` // in millisatoshis
	State     string        `json:"state"`
	SettledAt wallet.Number `json:"settled_at"`
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	var paid transaction
	err := w.connection.Call(ctx, "pay_invoice", map[string]any{"invoice": p.Invoice}, &paid)
	fault, isFault := errors.AsType[*nip47.Error](err)
	switch {
	case err == nil:
		return wallet.Success(paid.Preimage, int64(paid.FeesPaid))
	case !isFault:
		return wallet.Outcome{}, err
	}
	// A payment of the same invoice from before may be why, and may be under way or made.
	out, trackErr := w.Track(ctx, p.Hash)
	switch {
	case trackErr == nil && (out.Status == wallet.Succeeded || out.Status == wallet.Pending):
		return out, nil
	case trackErr == nil && out.Status == wallet.Failed, !p.Again && refused(fault) &&
		(trackErr == nil || errors.As(trackErr, new(*nip47.Error))): // an order again may be refused because it was carried out
		return wallet.Outcome{Status: wallet.Failed, Reason: fault.Error()}, nil
	}
	return wallet.Outcome{}, err
}

// Payments implements wallet.Lister.
func (w *Wallet) Payments(ctx context.Context, since time.Time) ([]wallet.Record, error) {
	return wallet.Pages(func(offset int) (records []wallet.Record, err error) {
		var page struct {
			Transactions []transaction `json:"transactions"`
		}
		ctx, cancel := context.WithTimeout(ctx, trackTimeout)
		defer cancel()
		err = w.connection.Call(ctx, "list_transactions", map[string]any{"type": "outgoing", "unpaid": true, "from": max(0, since.Unix()),
			"limit": 20, "offset": offset}, &page)
		for _, t := range page.Transactions {
			if t.State != "failed" && t.State != "expired" {
				records = append(records, wallet.Record{Hash: t.Hash, AmountMilliSats: int64(t.Amount), FeeMilliSats: int64(t.FeesPaid), Preimage: t.Preimage,
					At: time.Unix(int64(t.Created), 0)})
			}
		}
		return records, err
	})
}

// Track implements wallet.Wallet.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, trackTimeout)
	defer cancel()
	var found transaction
	err := w.connection.Call(ctx, "lookup_invoice", map[string]any{"payment_hash": hex.EncodeToString(hash[:])}, &found)
	fault, isFault := errors.AsType[*nip47.Error](err)
	switch {
	case isFault && fault.Code == "NOT_FOUND":
		return w.find(ctx, hash)
	case err != nil:
		return wallet.Outcome{}, err
	}
	state, ours := strings.ToLower(found.State), found.Type != "incoming"
	switch {
	case len(found.Hash) == 64 && !strings.EqualFold(found.Hash, hex.EncodeToString(hash[:])):
		return wallet.Outcome{}, fmt.Errorf("the wallet looked up payment %s instead", found.Hash)
	case state == "settled", state == "" && (found.SettledAt > 0 || found.Preimage != "" && ours): // wallets before the member was there
		return wallet.Success(found.Preimage, int64(found.FeesPaid))
	case ours && (state == "failed" || state == "expired"): // that of an invoice says nothing about its payment
		return wallet.Outcome{Status: wallet.Failed, Reason: "the wallet says that the payment has " + state}, nil
	}
	return wallet.Outcome{Status: wallet.Pending}, nil
}

// find looks for a payment in the list of the last days: some wallets look up their own invoices alone.
func (w *Wallet) find(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	records, err := w.Payments(ctx, time.Now().AddDate(0, 0, -2))
	for _, r := range records {
		if !strings.EqualFold(r.Hash, hex.EncodeToString(hash[:])) {
			continue
		} else if out, err := wallet.Success(r.Preimage, r.FeeMilliSats); err == nil {
			return out, nil
		}
		return wallet.Outcome{Status: wallet.Pending}, nil
	}
	if errors.As(err, new(*nip47.Error)) {
		err = nil // it has no list
	}
	return wallet.Outcome{Status: wallet.Unknown}, err
}

// refused reports whether the code means that no payment was begun, or that it has ended.
func refused(f *nip47.Error) bool {
	return slices.Contains([]string{"PAYMENT_FAILED", "INSUFFICIENT_BALANCE", "QUOTA_EXCEEDED", "RESTRICTED", "UNAUTHORIZED",
		"NOT_IMPLEMENTED", "RATE_LIMITED", "UNSUPPORTED_ENCRYPTION"}, f.Code)
}
