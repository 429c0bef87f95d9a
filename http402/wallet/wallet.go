// Package wallet declares the Lightning wallet of a buyer. Its subpackages implement it with lnd, Core
// Lightning, phoenixd, Nostr Wallet Connect and the demo; wallettest is the law that they obey.
package wallet

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Wallet pays invoices. It may be used by several goroutines at once.
//
// The law that makes a crash harmless: an invoice is paid at most once, however often Pay is called for it, at the same
// time or after a restart. A second call returns the outcome of the first.
type Wallet interface {
	// Pay pays an invoice and waits for the outcome. An error means that the outcome is not known: the payment may yet
	// succeed, and Track or another Pay of the same invoice finds out.
	Pay(ctx context.Context, p Payment) (Outcome, error)

	// Track returns the outcome of the payment with a hash, without waiting. An error means that the wallet could not
	// be asked.
	Track(ctx context.Context, hash [32]byte) (Outcome, error)
}

// A Lister is a wallet that lists its payments. A buyer whose journal is damaged counts them.
type Lister interface {
	// Payments returns the payments that began at since or later and have not failed, in any order.
	Payments(ctx context.Context, since time.Time) ([]Record, error)
}

// A Record is a payment as the wallet lists it.
type Record struct {
	Hash            string // in hexadecimal
	AmountMilliSats int64  // without the fee
	FeeMilliSats    int64
	Preimage        string // in hexadecimal; empty while the payment is under way
	At              time.Time
}

// Pages collects the records of pages. page is called with the number of records so far, until it returns none that is
// new: some wallets ignore the number.
func Pages(page func(offset int) ([]Record, error)) (all []Record, err error) {
	seen := map[string]bool{}
	for {
		records, err := page(len(all))
		if err != nil {
			return nil, fmt.Errorf("list the wallet's payments: %w", err)
		}
		before := len(all)
		for _, r := range records {
			if !seen[r.Hash] {
				seen[r.Hash], all = true, append(all, r)
			}
		}
		if len(all) == before {
			return all, nil
		}
	}
}

// A Payment is an invoice to pay, with the limit of its fee.
type Payment struct {
	Invoice           string // BOLT 11, with an amount
	Hash              [32]byte
	AmountMilliSats   int64 // the invoice's
	FeeLimitMilliSats int64
	Timeout           time.Duration // after which the wallet tries no further route
	Again             bool          // an order from before may have reached the wallet
}

// A Status is how a payment stands.
type Status int

const (
	// Unknown means that the wallet has no payment with this hash. One whose order is still on its way may yet begin.
	Unknown Status = iota
	// Pending means that it may yet succeed or fail.
	Pending
	// Succeeded means that the payee has the money, and the payer the preimage.
	Succeeded
	// Failed means that no money has moved, and none will.
	Failed
)

// String implements fmt.Stringer.
func (s Status) String() string {
	return [...]string{"unknown", "pending", "succeeded", "failed"}[s]
}

// An Outcome is the result of a payment.
type Outcome struct {
	Status       Status
	Preimage     [32]byte // of a payment that succeeded
	FeeMilliSats int64    // of a payment that succeeded
	Reason       string   // why a payment failed
}

// Success returns the outcome of a payment with a preimage.
func Success(preimage string, feeMilliSats int64) (Outcome, error) {
	out := Outcome{Status: Succeeded, FeeMilliSats: max(0, feeMilliSats)}
	if b, err := hex.DecodeString(preimage); err != nil || copy(out.Preimage[:], b) != len(out.Preimage) || len(b) > 32 {
		return Outcome{}, errors.New("the wallet says that it paid, and shows no preimage")
	}
	return out, nil
}

// A Number is the whole part of a number, which may be in quotes and followed by its unit, and at most 2⁵³. Of anything else
// it is 0, since no number is worth losing a preimage for.
type Number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	text := strings.TrimSuffix(strings.Trim(string(b), `"`), "msat")
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = Number(v)
	} else if f, _ := strconv.ParseFloat(text, 64); !math.IsNaN(f) { // infinite beyond its range
		*n = Number(max(-1<<53, min(1<<53, f)))
	}
	return nil
}
