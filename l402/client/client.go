// Package client pays for HTTP requests that are answered with 402 Payment Required, over Lightning and within a budget, and never
// twice for one thing.
//
// [Transport] is an [http.RoundTripper]: put it into an [http.Client] and use that as any other. It reads the challenges of L402 (also
// under its old name LSAT) and of the Payment scheme, checks the invoice before it pays, keeps what it bought in a file,
// and presents it until it is used up. Whatever it does not pay for ends in a [*Refusal], whose message says why.
//
// A crash loses nothing: each step of a payment is in a journal before it is taken, and the wallet is asked about an unfinished payment
// before anything new is paid. Several processes may share one journal.
package client

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"almanac/l402/client/bolt11"
	"almanac/l402/client/challenge"
	"almanac/l402/client/journal"
	"almanac/l402/client/wallet"
)

// A Budget bounds what is paid, in satoshis. The limits of a day and of all include routing fees; a day is one of UTC.
type Budget struct {
	PerPayment int64 // the largest invoice; 0 pays nothing at all
	PerHostDay int64 // to one host in one day; 0 is no limit of its own
	PerDay     int64 // to all hosts in one day; 0 is no limit of its own
	Total      int64 // ever, as far as the journal reaches; 0 is no limit of its own
	FeeLimit   int64 // routing fee of one payment
}

// Config says what a client pays with, and how much.
type Config struct {
	Wallet  wallet.Wallet
	Journal *journal.Journal // New takes it over
	Budget  Budget

	// Networks are those whose invoices are paid, by the names of package bolt11. None means mainnet.
	Networks []string

	// Schemes are the schemes to pay by, the preferred one first. None means L402, LSAT, Payment.
	Schemes []string

	// Approve is asked before anything is set aside for a payment, and may wait for the user. Its error, which becomes a Refusal, prevents the
	// payment. Nil approves.
	Approve func(context.Context, Quote) error

	PayTimeout time.Duration    // for the wallet to find a route; 0 means a minute
	Now        func() time.Time // nil means time.Now
	Log        *slog.Logger     // records payments and what goes wrong with them, but never a secret; nil means silence
}

// A Quote is what would be paid, and for what.
type Quote struct {
	Origin, Method, Resource string
	Scheme                   string
	AmountMilliSats          int64
	FeeLimitMilliSats        int64
	Network                  string
	Payee                    string // the node's public key
	Description              string // of the invoice
	PaymentHash              string
	ExpiresAt                time.Time
	Credits                  int64 // requests that it buys, if the challenge says so in a way that is known; else 0
	ValidUntil               time.Time
}

// A Client pays. Several transports may share it.
type Client struct {
	cfg         Config
	now         func() time.Time
	log         *slog.Logger
	flights     flights
	credentials credentialStore

	mu      sync.Mutex
	active  map[string]bool // payment hashes that this process works on
	working sync.WaitGroup  // purchases under way
}

var defaultSchemes = []string{challenge.L402, challenge.LSAT, challenge.Payment}

// defaultPayTimeout is long enough for several attempts at a route.
const defaultPayTimeout = time.Minute

// New returns a client. Close closes its journal.
func New(cfg Config) (*Client, error) {
	if cfg.Journal == nil {
		return nil, errors.New("a paying client needs a journal")
	}
	if len(cfg.Networks) == 0 {
		cfg.Networks = []string{bolt11.Mainnet}
	}
	if len(cfg.Schemes) == 0 {
		cfg.Schemes = defaultSchemes
	}
	if cfg.PayTimeout == 0 {
		cfg.PayTimeout = defaultPayTimeout
	}
	c := &Client{cfg: cfg, now: cfg.Now, log: cfg.Log, active: map[string]bool{}}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.credentials.journal, c.credentials.log = cfg.Journal, c.log
	return c, nil
}

// Close waits for payments under way, writes down what is left of the credentials, and closes the journal.
func (c *Client) Close() error {
	c.working.Wait()
	return errors.Join(c.credentials.close(), c.cfg.Journal.Close())
}

// day returns when the day of the budget began.
func (c *Client) day() time.Time { return c.now().UTC().Truncate(24 * time.Hour) }

// limits are the budget as the journal takes it.
func (c *Client) limits() journal.Budget {
	b := c.cfg.Budget
	return journal.Budget{HostDay: b.PerHostDay * 1000, Day: b.PerDay * 1000, Total: b.Total * 1000, DayBegins: c.day()}
}

// Spending is what was spent or is set aside, and the limits, in millisatoshis. A limit of 0 is none.
type Spending struct {
	Today, All           int64
	TodayLimit, AllLimit int64
}

// Spending returns what was spent so far.
func (c *Client) Spending(ctx context.Context) (Spending, error) {
	taken, err := c.cfg.Journal.Taken(ctx, "", c.day())
	l := c.limits()
	return Spending{Today: taken.Day, All: taken.Total, TodayLimit: l.Day, AllLimit: l.Total}, err
}

// Receipts returns what was paid since a moment, and what may yet be, the oldest first.
func (c *Client) Receipts(ctx context.Context, since time.Time) ([]journal.Purchase, error) {
	return c.cfg.Journal.Receipts(ctx, since)
}

type paidKey struct{}

// OnPaid returns a context whose requests report each payment that they cause, once, before they are repeated with the proof.
func OnPaid(ctx context.Context, report func(journal.Purchase)) context.Context {
	return context.WithValue(ctx, paidKey{}, report)
}

func reportPaid(ctx context.Context, p journal.Purchase) {
	if report, ok := ctx.Value(paidKey{}).(func(journal.Purchase)); ok {
		report(p)
	}
}
