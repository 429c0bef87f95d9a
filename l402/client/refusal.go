package client

import (
	"errors"
	"fmt"

	"almanac/l402/client/journal"
)

// A Reason is why something was not paid, for programs.
type Reason string

// The reasons of a refusal.
const (
	NoBudget       Reason = "no_budget"        // no payment is allowed at all
	OverPayment    Reason = "over_payment"     // dearer than one payment may be
	OverHostDay    Reason = "over_host_day"    // more than this host may get in a day
	OverDay        Reason = "over_day"         // more than may be spent in a day
	OverTotal      Reason = "over_total"       // more than may be spent
	Declined       Reason = "declined"         // Approve said no
	NoChallenge    Reason = "no_challenge"     // nothing that can be paid over Lightning
	BadInvoice     Reason = "bad_invoice"      // unreadable, or open in its amount
	HashMismatch   Reason = "hash_mismatch"    // challenge and invoice are of different payments
	AmountMismatch Reason = "amount_mismatch"  // the invoice is not for the price that was stated
	Expired        Reason = "expired"          // too late to pay
	WrongNetwork   Reason = "wrong_network"    // an invoice of a network that is not paid on
	Cleartext      Reason = "cleartext"        // the credential could be read on the way
	Redirected     Reason = "redirected"       // another host than the one that was asked
	Unrepeatable   Reason = "unrepeatable"     // the request's body is gone
	AlreadyPaid    Reason = "already_paid"     // the seller asks for the same payment twice
	NotAccepted    Reason = "not_accepted"     // paid, and refused by the seller
	Pending        Reason = "pending"          // whether it is paid is not known yet
	PaymentFailed  Reason = "payment_failed"   // the wallet found no way
	WalletFault    Reason = "wallet_fault"     // there is none, or it lies
	TooManyRounds  Reason = "too_many_rounds"  // asked to pay again and again
	JournalFault   Reason = "journal_fault"    // nothing is paid that cannot be written down
	CallerLeft     Reason = "caller_left"      // before anything was paid
	OtherPayment   Reason = "other_credential" // the request has a credential of its own
)

// A Refusal is the error of a request that was not paid for, or was and still failed.
type Refusal struct {
	Reason  Reason
	Message string // what was found and what it was compared with
	Err     error  // beneath it, if any
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the error beneath the refusal.
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(reason Reason, format string, args ...any) *Refusal {
	err := fmt.Errorf(format, args...)
	return &Refusal{Reason: reason, Message: err.Error(), Err: errors.Unwrap(err)}
}

// sats writes millisatoshis for people.
func sats(msat int64) string {
	if msat%1000 == 0 {
		return fmt.Sprintf("%d sat", msat/1000)
	}
	return fmt.Sprintf("%d.%03d sat", msat/1000, msat%1000)
}

// overLimit turns the journal's error into a refusal.
func overLimit(host string, err error) *Refusal {
	var over *journal.OverLimit
	if !errors.As(err, &over) {
		return refuse(JournalFault, "not paid, because the journal cannot be written: %w", err)
	}
	reason, limit := OverTotal, "in all"
	switch over.Limit {
	case "host and day":
		reason, limit = OverHostDay, "a day for "+host
	case "day":
		reason, limit = OverDay, "a day"
	}
	return refuse(reason, "not paid: %s with the fee limit is needed, but %s of the budget of %s %s is left",
		sats(over.Needed), sats(max(0, over.Allowed-over.Taken)), sats(over.Allowed), limit)
}
