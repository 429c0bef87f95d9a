package ledger

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"almanac/l402"
)

// OpenLate returns the ledger that url names without waiting for it: a service must be able to start, and to serve what is free, while
// its ledger is away. The ledger is opened by the first Adopt or Ready that can; until then every other operation fails with
// l402.ErrLedgerUnavailable. Only a url that nothing could be opened at is an error.
func OpenLate(url string) (l402.Ledger, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	return newLateLedger(func(ctx context.Context) (l402.Ledger, error) { return Open(ctx, url) }), nil
}

// A lateLedger is a ledger that is opened when it can be.
type lateLedger struct {
	open   func(context.Context) (l402.Ledger, error)
	opened atomic.Pointer[l402.Ledger]

	mu   sync.Mutex
	keys []l402.KeyID
	err  error // of the last attempt to open it
}

func newLateLedger(open func(context.Context) (l402.Ledger, error)) *lateLedger {
	return &lateLedger{open: open, err: errors.New("it has not been opened yet")}
}

// openTimeout bounds one attempt to open the ledger.
const openTimeout = 3 * time.Second

// Adopt implements l402.Ledger. A ledger that cannot be opened now adopts the keys when it is.
func (l *lateLedger) Adopt(ctx context.Context, keys []l402.KeyID) error {
	l.mu.Lock()
	l.keys = keys
	l.mu.Unlock()
	if _, err := l.reach(ctx); errors.Is(err, l402.ErrForeignKeys) {
		return err
	}
	return nil
}

// Ready implements l402.Ledger.
func (l *lateLedger) Ready(ctx context.Context) error {
	ledger, err := l.reach(ctx)
	if err != nil {
		return err
	}
	return ledger.Ready(ctx)
}

// reach returns the ledger, opening it if need be.
func (l *lateLedger) reach(ctx context.Context) (l402.Ledger, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.opened.Load(); p != nil {
		return *p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	ledger, err := l.open(ctx)
	if err == nil {
		if err = ledger.Adopt(ctx, l.keys); err != nil {
			err = errors.Join(err, ledger.Close())
		}
	}
	if err != nil {
		l.err = err
		return nil, unavailable("open it", err)
	}
	l.opened.Store(&ledger)
	return ledger, nil
}

// get returns the ledger if it has been opened.
func (l *lateLedger) get() (l402.Ledger, error) {
	if p := l.opened.Load(); p != nil {
		return *p, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return nil, unavailable("open it", l.err)
}

// Spend implements l402.Ledger.
func (l *lateLedger) Spend(ctx context.Context, d l402.Debit) (l402.Receipt, error) {
	ledger, err := l.get()
	if err != nil {
		return l402.Receipt{}, err
	}
	return ledger.Spend(ctx, d)
}

// Refund implements l402.Ledger.
func (l *lateLedger) Refund(ctx context.Context, r l402.Receipt) error {
	ledger, err := l.get()
	if err != nil {
		return err
	}
	return ledger.Refund(ctx, r)
}

// Account implements l402.Ledger.
func (l *lateLedger) Account(ctx context.Context, hash lntypes.Hash) (l402.Account, error) {
	ledger, err := l.get()
	if err != nil {
		return l402.Account{}, err
	}
	return ledger.Account(ctx, hash)
}

// Accounts implements l402.Ledger.
func (l *lateLedger) Accounts(ctx context.Context, after lntypes.Hash, limit int) ([]l402.Account, error) {
	ledger, err := l.get()
	if err != nil {
		return nil, err
	}
	return ledger.Accounts(ctx, after, limit)
}

// Revoke implements l402.Ledger.
func (l *lateLedger) Revoke(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	ledger, err := l.get()
	if err != nil {
		return err
	}
	return ledger.Revoke(ctx, hash, at)
}

// Grant implements l402.Ledger.
func (l *lateLedger) Grant(ctx context.Context, g l402.Account) error {
	ledger, err := l.get()
	if err != nil {
		return err
	}
	return ledger.Grant(ctx, g)
}

// Reimburse implements l402.Ledger.
func (l *lateLedger) Reimburse(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	ledger, err := l.get()
	if err != nil {
		return err
	}
	return ledger.Reimburse(ctx, hash, at)
}

// Sales implements l402.Ledger.
func (l *lateLedger) Sales(ctx context.Context, at time.Time) ([]l402.DayOfSales, error) {
	ledger, err := l.get()
	if err != nil {
		return nil, err
	}
	return ledger.Sales(ctx, at)
}

// Prune implements l402.Ledger.
func (l *lateLedger) Prune(ctx context.Context, before time.Time) (int64, error) {
	ledger, err := l.get()
	if err != nil {
		return 0, err
	}
	return ledger.Prune(ctx, before)
}

// Close implements l402.Ledger.
func (l *lateLedger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.opened.Load(); p != nil {
		return (*p).Close()
	}
	return nil
}
