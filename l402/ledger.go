package l402

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/internal/problem"

	"github.com/lightningnetwork/lnd/lntypes"
)

// The errors of a [Ledger] that are answers about credits or keys. Every other error wraps ErrLedgerUnavailable.
var (
	ErrExhausted       = refused(problem.CreditsExhausted, "the credits are used up")
	ErrBudgetExhausted = refused(problem.BudgetExhausted, "the budget of the branch is used up")
	ErrTooManyBranches = error(&refusalError{"there are as many branches as there may be", problem.Problem{
		Code:   problem.BudgetInvalid,
		Detail: "The branch cannot begin: an account has at most 32 branches in use, a branch of it 8, and a branch of that 4. Use a credential of a branch that is in use, or pay the new invoice.",
	}})
	ErrRevoked  = refused(problem.CredentialRevoked, "the token was revoked")
	ErrExpired  = refused(problem.CredentialExpired, "the token's time is over")
	ErrRepeated = error(&refusalError{"the request was repeated too often", problem.Problem{
		Code:       problem.RateLimited,
		Detail:     "This request was repeated as often as one credit allows. Repeat it after the time in Retry-After, or with a new idempotency key, which costs a credit.",
		RetryAfter: time.Minute, // for which a ledger remembers a request
	}})
	ErrUnknownAccount    = errors.New("no such account")
	ErrLedgerUnavailable = refused(problem.LedgerUnavailable, "the ledger is unavailable")
	ErrDamaged           = fmt.Errorf("%w: the account is damaged: restore a backup", ErrLedgerUnavailable)
	ErrForeignKeys       = errors.New(
		"the ledger belongs to other master keys: restore their key file from a backup")
)

// A Ledger counts the credits of payments for a paywall: one account for each payment hash, however many copies,
// encodings and attenuations of its macaroon are in use. Its methods are called by several goroutines at once.
//
// Package ledger has the implementations, whose tests check these rules for SQLite and PostgreSQL:
//
//   - An account is created by its first Spend, with the credits, the end and the sale in the Debit; later Debits change none of them.
//   - Spend is one atomic step and durable before it returns: of n concurrent calls for the last credit exactly one
//     succeeds, from one process or ten, before and after kill -9.
//   - Spend succeeds only while fewer than Debit.Limit credits are used, the account is not revoked, and Debit.At is
//     before its end. It never takes more than one credit.
//   - A Spend that returned an error took nothing, or returns the credit once the outcome is known.
//   - Spends with the same Request within a minute are deliveries of one request: they share one debit, and each has a Receipt.
//     This applies across replicas, restarts and kill -9, for at least the last 100 requests of an account. A request can be delivered
//     8 times; then Spend returns ErrRepeated until the minute is over.
//   - With Budgets, Spend succeeds only while every branch in them has used fewer than its limit, and counts the credit in each of
//     them in the same step. A branch begins with its first credit and is forgotten when all of its credits were returned, so nobody can
//     fill an account with branches for free; of those in use the account has at most 32, a branch of it 8, and a branch of that 4.
//     Requests of different branches are different requests.
//   - Refund returns the credit of its Receipt, once; repeating it changes nothing and is not an error. A debit of several
//     deliveries is returned with the last of their Receipts, so that everybody who was answered has paid.
//   - Every call ends when ctx does, and after some seconds in any case.
//   - A failure of the store is ErrLedgerUnavailable and nothing else; it never looks like an answer about credits. An account
//     that cannot be read is ErrDamaged, and others are not affected.
type Ledger interface {
	// Spend takes one credit, or fails with ErrExhausted, ErrBudgetExhausted, ErrTooManyBranches, ErrRevoked,
	// ErrExpired, ErrRepeated or ErrLedgerUnavailable.
	Spend(ctx context.Context, d Debit) (Receipt, error)
	// Refund returns the credit that Spend took for r.
	Refund(ctx context.Context, r Receipt) error
	// Account returns the account of one payment, or ErrUnknownAccount before its first Spend.
	Account(ctx context.Context, hash lntypes.Hash) (Account, error)
	// Adopt binds a fresh ledger to master keys. Later it requires one of the recorded keys, records the others too,
	// and otherwise returns ErrForeignKeys.
	Adopt(ctx context.Context, keys []KeyID) error
	// Ready returns an error if Spend would fail now.
	Ready(ctx context.Context) error
}

// A Debit is a demand for one credit from the account of one payment.
type Debit struct {
	Hash      lntypes.Hash // the payment
	Credits   int          // that the payment bought
	Limit     int          // spend only while fewer than this many are used; at most Credits
	ExpiresAt time.Time    // when the last copy of the token ends, in whole seconds
	At        time.Time    // now
	// Budgets are the branches that the credit is counted in beside the account, each within the one before it.
	Budgets []Budget
	Sale    Sale // how the account came about
	// Request identifies the request that the credit is for, so that it is charged once however often it is delivered.
	// The zero Request identifies none.
	Request [16]byte
}

// A Receipt is for one taken credit.
type Receipt struct {
	Hash   lntypes.Hash
	Serial int64 // of the receipt, unique within the account
	Used   int   // credits in use after it, this one included
	// Branches are the branches of the debit, with the credits in use of each.
	Branches []BranchUse
}

// An Account is the state of one payment's credits.
type Account struct {
	Hash      lntypes.Hash
	Credits   int       // bought
	Used      int       // spent and not given back
	ExpiresAt time.Time // zero for an account that was revoked before its first use
	FirstUsed time.Time // zero likewise, and for one that was granted
	LastUsed  time.Time
	RevokedAt time.Time // zero unless revoked
	Sale      Sale
	// ReimbursedAt is when the account was marked as paid back, zero unless it was.
	ReimbursedAt time.Time
	Branches     []BranchUse // those in use
}

// ParseTokenID parses the id of a token as operators see it, which is its payment hash in hexadecimal.
func ParseTokenID(s string) (lntypes.Hash, error) {
	h, err := lntypes.MakeHashFromStr(s)
	if err != nil {
		return lntypes.Hash{}, fmt.Errorf("%q is not a token id: use the payment hash, 64 hexadecimal digits", s)
	}
	return h, nil
}

// A SaleKind is how an account came about. Ledgers store its number.
type SaleKind int64

// The kinds of sales.
const (
	SaleUnknown SaleKind = iota // from before sales were recorded
	SalePaid                    // a Lightning payment
	SaleDemo                    // a payment in a demonstration, in which no money moves
	SaleGranted                 // by the operator, without a payment
)

var saleKinds = [...]string{"unknown", "paid", "demo", "granted"}

// String returns the kind as reports have it.
func (k SaleKind) String() string {
	if k < 0 || int(k) >= len(saleKinds) {
		k = SaleUnknown
	}
	return saleKinds[k]
}

// A Sale is how, for how much and when an account was sold. The zero Sale is not known.
type Sale struct {
	Kind      SaleKind
	PriceSats int64
	At        time.Time // when the invoice was made, which is minutes before its payment, or the grant; in whole seconds
}

// A DayOfSales is the total of the accounts of one kind that were sold on one day.
type DayOfSales struct {
	Day  time.Time // at 00:00 UTC; zero if it is not known
	Kind SaleKind
	SalesTotals
}

// SalesTotals are sums over accounts.
type SalesTotals struct {
	Accounts int64 `json:"sold"`
	Sats     int64 `json:"sats"`    // that they were sold for, those paid back included
	Credits  int64 `json:"credits"` // that they have, or had
	Used     int64 `json:"used"`
	// Reimbursed are the accounts that were marked as paid back, and ReimbursedSats their price.
	Reimbursed     int64 `json:"refunded"`
	ReimbursedSats int64 `json:"refunded_sats"`
	// OpenCredits can still be used, and OpenMilliSats is their part of the price, which the operator owes in searches.
	OpenCredits   int64 `json:"open_credits"`
	OpenMilliSats int64 `json:"open_msat"`
}

// Add adds the totals of other accounts.
func (t *SalesTotals) Add(o SalesTotals) {
	t.Accounts += o.Accounts
	t.Sats += o.Sats
	t.Credits += o.Credits
	t.Used += o.Used
	t.Reimbursed += o.Reimbursed
	t.ReimbursedSats += o.ReimbursedSats
	t.OpenCredits += o.OpenCredits
	t.OpenMilliSats += o.OpenMilliSats
}

// text returns a sale as our own caveat states it: kind, price and time.
func (s Sale) text() string {
	return s.Kind.String() + ":" + strconv.FormatInt(s.PriceSats, 10) + ":" + strconv.FormatInt(s.At.Unix(), 10)
}

// parseSale is the inverse of text. Other texts are the unknown sale.
func parseSale(text string) Sale {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Sale{}
	}
	price, priceErr := parseNumber(parts[1])
	at, atErr := parseNumber(parts[2])
	if priceErr != nil || atErr != nil {
		return Sale{}
	}
	kind := slices.Index(saleKinds[1:], parts[0]) + 1
	if kind == 0 {
		return Sale{}
	}
	return Sale{Kind: SaleKind(kind), PriceSats: price, At: time.Unix(at, 0).UTC()}
}
