// Package client pays for HTTP requests that are answered with 402 Payment Required, over Lightning and within a
// budget, and never twice for one thing.
//
// [Transport] is an [http.RoundTripper]: put it into an [http.Client] and use that as any other. It reads the
// challenges of L402 (also under its old name LSAT) and of the Payment scheme, checks the invoice before it pays, keeps
// its credentials in a file, and presents it until it is used up. Whatever it does not pay for ends in a [*Refusal],
// whose message says why.
//
// A crash loses nothing: each step of a payment is in a journal before it is taken, and the wallet is asked about an
// unfinished payment before anything new is paid. Several processes may share one journal.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
)

// A Budget bounds payments, in satoshis. The limits of a day and of all include routing fees; a day is one of UTC.
type Budget struct {
	PerPayment int64 // the largest invoice; 0 pays nothing at all
	PerHostDay int64 // to one host in one day; 0 is none
	PerDay     int64 // to all hosts in one day; 0 is none
	Total      int64 // ever, as far as the journal reaches; 0 is none
	FeeLimit   int64 // routing fee of one payment
}

// Config is a client's wallet, journal and limits.
type Config struct {
	Wallet  wallet.Wallet
	Journal *journal.Journal // New takes it over
	Budget  Budget

	// WalletName tells the wallet from others. A payment that was begun with a wallet of another name is over when this one
	// proves it, and not when this one knows nothing of it.
	WalletName string

	// Networks are those whose invoices are paid, by the names of package bolt11. None means mainnet.
	Networks []string

	// Schemes are the schemes to pay by, the preferred one first. None means L402, LSAT, Payment.
	Schemes []string

	// Hosts and Payees are the only hosts and the only nodes, by their public keys, that are paid. None means any.
	Hosts, Payees []string

	// Approve is asked before anything is set aside for a payment, and may wait for the user. Its error, which becomes
	// a Refusal, prevents the payment. Nil approves.
	Approve func(context.Context, Quote) error

	PayTimeout time.Duration    // for the wallet to find a route; 0 means a minute
	Now        func() time.Time // nil means time.Now
	Log        *slog.Logger     // records payments and their failures, never a secret; nil discards
}

// A Quote is a purchase that a client would make.
type Quote struct {
	journal.Purchase
	FeeLimitMilliSats int64     `json:"fee_limit_msat"`
	Credits           int64     `json:"credits"` // requests that it buys, if the challenge says so in a way that is known; else 0
	ValidUntil        time.Time `json:"valid_until,omitzero"`
}

// A Client pays. Several transports may share it.
type Client struct {
	cfg Config

	mu      sync.RWMutex
	origins map[string][]*Credential // those that this process has asked

	working sync.WaitGroup // purchases under way
}

// maxSats is more than there will ever be. Beyond 1,000 times as much, millisatoshis would overflow.
const maxSats = 21_000_000 * 100_000_000

// New returns a client. Close closes its journal.
func New(cfg Config) (*Client, error) {
	if cfg.Journal == nil {
		return nil, errors.New("a paying client needs a journal")
	}
	if len(cfg.Networks) == 0 {
		cfg.Networks = []string{bolt11.Mainnet}
	}
	if len(cfg.Schemes) == 0 {
		cfg.Schemes = []string{challenge.L402, challenge.LSAT, challenge.Payment}
	}
	for _, limit := range []*int64{&cfg.Budget.PerPayment, &cfg.Budget.PerHostDay, &cfg.Budget.PerDay, &cfg.Budget.Total, &cfg.Budget.FeeLimit} {
		if *limit < 0 {
			return nil, errors.New("a limit of the budget is below 0, which would be none")
		}
		*limit = min(*limit, maxSats)
	}
	cfg.PayTimeout = cmp.Or(cfg.PayTimeout, time.Minute) // for several attempts at a route
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Client{cfg: cfg, origins: map[string][]*Credential{}}, nil
}

// Close waits for payments under way, and closes the journal.
func (c *Client) Close() error {
	c.working.Wait()
	return c.cfg.Journal.Close()
}

// day returns when the day of the budget began.
func (c *Client) day() time.Time { return c.cfg.Now().UTC().Truncate(24 * time.Hour) }

// limits are the budget as the journal takes it.
func (c *Client) limits() journal.Budget {
	b := c.cfg.Budget
	return journal.Budget{HostDay: b.PerHostDay * 1000, Day: b.PerDay * 1000, Total: b.Total * 1000, DayBegins: c.day()}
}

// Spending returns the amounts spent or reserved so far, today and in all, and their limits.
func (c *Client) Spending(ctx context.Context) (taken, limits journal.Budget, err error) {
	taken, err = c.cfg.Journal.Taken(ctx, "", c.day())
	return taken, c.limits(), err
}

// Journal returns the journal, which has receipts and credentials.
func (c *Client) Journal() *journal.Journal { return c.cfg.Journal }

type paidKey struct{}

// OnPaid returns a context whose requests report each payment that they cause, once, before they are repeated with the
// proof.
func OnPaid(ctx context.Context, report func(journal.Purchase)) context.Context {
	return context.WithValue(ctx, paidKey{}, report)
}

// A Reason is why something was not paid, for programs.
type Reason string

// The reasons of a refusal.
const (
	NoBudget       Reason = "no_budget"       // no payment is allowed at all
	OverPayment    Reason = "over_payment"    // dearer than one payment may be
	OverHostDay    Reason = "over_host_day"   // more than this host may get in a day
	OverDay        Reason = "over_day"        // more than may be spent in a day
	OverTotal      Reason = "over_total"      // more than may be spent
	Declined       Reason = "declined"        // Approve said no
	NotAllowed     Reason = "not_allowed"     // a host or a node that is not one of those to pay
	NoChallenge    Reason = "no_challenge"    // nothing that can be paid over Lightning
	BadInvoice     Reason = "bad_invoice"     // unreadable, or open in its amount
	HashMismatch   Reason = "hash_mismatch"   // challenge and invoice are of different payments
	AmountMismatch Reason = "amount_mismatch" // the invoice is not for the price that was stated
	Expired        Reason = "expired"         // too late to pay
	WrongNetwork   Reason = "wrong_network"   // an invoice of a network that is not paid on
	Cleartext      Reason = "cleartext"       // the credential could be read on the way
	Redirected     Reason = "redirected"      // another host than the one that was asked
	Unrepeatable   Reason = "unrepeatable"    // the request's body is gone
	AlreadyPaid    Reason = "already_paid"    // the seller asks for the same payment twice
	NotAccepted    Reason = "not_accepted"    // paid, and refused by the seller
	Pending        Reason = "pending"         // whether it is paid is not known yet
	PaymentFailed  Reason = "payment_failed"  // the wallet found no way
	WalletFault    Reason = "wallet_fault"    // there is none, or it lies
	TooManyRounds  Reason = "too_many_rounds" // asked to pay again and again
	JournalFault   Reason = "journal_fault"   // nothing is paid that cannot be written down
	CallerLeft     Reason = "caller_left"     // before anything was paid
)

// A Refusal is the error of a request that was not paid for, or was and still failed.
type Refusal struct {
	Reason  Reason
	Message string // the finding and the limit or value it was compared with
	Err     error  // beneath it, if any
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the error beneath the refusal.
func (r *Refusal) Unwrap() error { return r.Err }

// Unwrap returns the refusal within an error, without the text that transports put around its message; else the error.
func Unwrap(err error) error {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	return err
}

func refuse(reason Reason, format string, args ...any) *Refusal {
	err := fmt.Errorf(format, args...)
	return &Refusal{Reason: reason, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Sats writes millisatoshis for people.
func Sats(msat int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%03d", msat/1000, msat%1000), ".000") + " sat"
}

// overLimit turns the journal's error into a refusal.
func overLimit(host string, err error) *Refusal {
	over, ok := errors.AsType[*journal.OverLimit](err)
	if !ok {
		return refuse(JournalFault, "not paid, because the journal cannot be written: %w", err)
	}
	reason := map[string]Reason{"host and day": OverHostDay, "day": OverDay, "all": OverTotal}[over.Limit]
	left := map[string]string{"host and day": "a day for " + host + " is left (-max-host-day)", "day": "a day is left (-max-day)", "all": "in all is left (-max-total)"}[over.Limit]
	return refuse(reason, "not paid: %s with the fee limit is needed, but %s of the budget of %s %s",
		Sats(over.Needed), Sats(max(0, over.Allowed-over.Taken)), Sats(over.Allowed), left)
}
