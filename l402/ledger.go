package l402

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
)

// The answers of a [Ledger] other than success. Every other error wraps ErrLedgerUnavailable.
var (
	ErrExhausted         = errors.New("the credits are used up")
	ErrRevoked           = errors.New("the token was revoked")
	ErrExpired           = errors.New("the token's time is over")
	ErrUnknownAccount    = errors.New("no such account")
	ErrLedgerUnavailable = errors.New("the ledger does not answer")
	ErrForeignKeys       = errors.New("the ledger was kept under other master keys: restore the key file it belongs to, or give it a fresh ledger")
)

// A Ledger counts the credits of what was paid for: one account per payment hash, however many copies, encodings and
// attenuations of its macaroon go round.
//
// The law, which the SQLite and the PostgreSQL ledger both pass:
//
//   - An account is born by its first Spend, with the credits and the end that Debit names; later Debits change neither.
//   - Spend is one atomic step and durable before it returns: of n concurrent calls for the last credit exactly one
//     succeeds, from one process or ten, before and after kill -9.
//   - Spend succeeds only while fewer than Debit.Limit credits are used, the account is not revoked, and Debit.At is
//     before its end. It then never counts more than one.
//   - A Spend that returned an error took nothing, or what it took is given back when the outcome is known.
//   - A Spend whose Request has the name of one of the last minute takes nothing, unless that was given back: both have one debit and each a
//     Receipt. It is remembered across replicas and kill -9, for the last 64 named debits and receipts of an account at most.
//   - Refund gives back the one credit that its Receipt is for, once: again is no error and changes nothing. A debit of several
//     Receipts goes back with the last of them, so that whoever was answered has paid.
//   - Revoke works on an account that no Spend has yet born, is final, and is seen by the next Spend anywhere.
//   - Prune forgets accounts, never what it forgot: a Debit whose end is not after a pruned end is ErrExpired for ever,
//     so neither a replay nor a clock that steps back brings credits back.
//   - Adopt on a fresh ledger remembers the keys. Later it wants at least one that it remembers, and remembers them all.
//   - Every call ends when ctx does, and after some seconds in any case.
//   - Trouble of the store is ErrLedgerUnavailable and nothing else; it never looks like an answer about credits.
type Ledger interface {
	// Spend takes one credit. It fails with ErrExhausted, ErrRevoked, ErrExpired or ErrLedgerUnavailable.
	Spend(ctx context.Context, d Debit) (Receipt, error)
	// Refund gives back the credit that Spend took for r.
	Refund(ctx context.Context, r Receipt) error
	// Account returns what is known of one payment, or ErrUnknownAccount before its first Spend.
	Account(ctx context.Context, hash lntypes.Hash) (Account, error)
	// Accounts returns at most limit accounts in the order of their hashes, those after the given one.
	Accounts(ctx context.Context, after lntypes.Hash, limit int) ([]Account, error)
	// Revoke ends an account at a time that is only recorded.
	Revoke(ctx context.Context, hash lntypes.Hash, at time.Time) error
	// Prune forgets the accounts that ended at or before the given time, and says how many.
	Prune(ctx context.Context, before time.Time) (int64, error)
	// Adopt binds the ledger to master keys, or fails with ErrForeignKeys.
	Adopt(ctx context.Context, keys []KeyID) error
	// Ready reports whether Spend would work now.
	Ready(ctx context.Context) error
	Close() error
}

// A Debit asks for one credit of the account of one payment.
type Debit struct {
	Hash      lntypes.Hash // the payment
	Credits   int          // what the payment bought
	Limit     int          // spend only while fewer than this many are used; at most Credits
	ExpiresAt time.Time    // when the last copy of the token ends, in whole seconds
	At        time.Time    // now
	// Request names the request that the credit is for, so that it is charged once however often our proxy brings it. The
	// zero Request has no name.
	Request [16]byte
}

// A Receipt is for one taken credit.
type Receipt struct {
	Hash   lntypes.Hash
	Serial int64 // of the receipt, counted from 1 and never used again within the account
	Used   int   // credits in use after it, this one included
}

// An Account is the state of one payment's credits.
type Account struct {
	Hash      lntypes.Hash
	Credits   int       // bought
	Used      int       // spent and not given back
	ExpiresAt time.Time // zero for an account that was revoked before its first use
	FirstUsed time.Time // zero likewise
	LastUsed  time.Time
	RevokedAt time.Time // zero while it is not revoked
}

// ParseTokenID reads the name of a token as operators see it: its payment hash in hexadecimal.
func ParseTokenID(s string) (lntypes.Hash, error) {
	h, err := lntypes.MakeHashFromStr(s)
	if err != nil {
		return lntypes.Hash{}, fmt.Errorf("token %q: want the payment hash, 64 hexadecimal digits", s)
	}
	return h, nil
}
