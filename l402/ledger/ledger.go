// Package ledger counts the credits of paid invoices: in one SQLite file for one machine, or in PostgreSQL for several.
//
// Both commit in groups: one goroutine takes the operations that are queued, decides them in memory, and commits them
// in one transaction, so that one durable write serves hundreds of requests while a single request waits for no other.
// The decisions are made in Go, in one place for both.
package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// A Ledger implements [l402.Ledger], and the operator's commands. It obeys these rules too:
//
//   - Revoke works on an account before its first Spend, is final, and takes effect with the next Spend anywhere.
//   - Prune remembers the latest end of the accounts it deleted: a Debit whose end is not later is ErrExpired for ever, so that
//     neither a replay nor a clock that steps back brings credits back.
//   - Every error is an answer about credits or keys, or wraps [l402.ErrLedgerUnavailable].
//
// Its methods may be called by several goroutines at once.
type Ledger struct {
	open   func(context.Context) (database, error)
	opened atomic.Pointer[connection]
	fault  atomic.Pointer[error] // why it was not opened, or the damage that Check found; nil: it can be used

	mu   sync.Mutex // while the database is being opened
	keys []l402.KeyID
}

// A database stores accounts.
type database interface {
	// stores returns one store for each group of accounts.
	stores() []store
	account(ctx context.Context, hash lntypes.Hash) (*row, error) // nil if there is none
	accounts(ctx context.Context) ([]*row, error)                 // in the order of their hashes
	sales(ctx context.Context, at int64) ([]l402.DayOfSales, error)
	latest(ctx context.Context) (time.Time, error)
	prune(ctx context.Context, before int64) (int64, error) // at most pruneStep accounts
	adopt(ctx context.Context, keys []l402.KeyID) error
	ready(ctx context.Context) error
	check(ctx context.Context) error // errDamaged if some of what is stored cannot be read
	close() error
}

// A connection is an open database with its committers. An account belongs to one of them.
type connection struct {
	database
	committers []*committer
}

// Open opens the ledger at url, and creates it if there is none:
//
//	sqlite:FILE              a file, and its -wal and -shm beside it
//	postgres://user@host/db  a database that the user may create tables in
func Open(ctx context.Context, url string) (*Ledger, error) {
	l, err := OpenLate(url)
	if err != nil {
		return nil, err
	}
	db, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	l.use(db)
	return l, nil
}

// OpenLate returns the ledger at url without waiting for it: a service must be able to start, and to serve free
// surfaces, while its ledger is away. The first Adopt or Ready that can opens it; until then every other call fails
// with [l402.ErrLedgerUnavailable].
func OpenLate(url string) (*Ledger, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return newLedger(func(ctx context.Context) (database, error) { return openSQLite(ctx, file) }), nil
	}
	return newLedger(func(ctx context.Context) (database, error) { return openPostgres(ctx, url) }), nil
}

func newLedger(open func(context.Context) (database, error)) *Ledger {
	l := &Ledger{open: open}
	err := errors.New("ledger is not open")
	l.fault.Store(&err)
	return l
}

// CheckURL reports whether Open can understand url. Nothing is opened.
func CheckURL(url string) error {
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		return nil
	case scheme == "postgres" || scheme == "postgresql":
		_, err := parsePostgres(url)
		return err
	default:
		return errors.New("ledger: the address is not valid: use sqlite:FILE or postgres://…") // it may contain a password
	}
}

const (
	openTimeout = 3 * time.Second
	callTimeout = 10 * time.Second
	pruneStep   = 1000 // accounts deleted in one transaction, so that requests are served in between
)

func (l *Ledger) use(db database) {
	c := &connection{database: db}
	for _, s := range db.stores() {
		c.committers = append(c.committers, newCommitter(s))
	}
	l.opened.Store(c)
	l.fault.Store(nil)
}

// reach opens the database if need be.
func (l *Ledger) reach(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened.Load() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	db, err := l.open(ctx)
	if err == nil {
		if err = adopt(ctx, db, l.keys); err != nil {
			err = errors.Join(err, db.close())
		}
	}
	if err != nil {
		l.fault.Store(&err)
		return unavailable("open it", err)
	}
	l.use(db)
	return nil
}

// adopt binds a database to keys. Damage is reported before keys that are foreign: they may only seem so.
func adopt(ctx context.Context, db database, keys []l402.KeyID) error {
	err := db.adopt(ctx, keys)
	if errors.Is(err, l402.ErrForeignKeys) {
		return cmp.Or(db.check(ctx), err)
	}
	return err
}

// connected returns the database if it has been opened and is not damaged. It does not wait while it is being opened.
func (l *Ledger) connected() (*connection, error) {
	if fault := l.fault.Load(); fault != nil {
		return nil, unavailable("use it", *fault)
	}
	return l.opened.Load(), nil
}

// unavailable wraps an error of the store, so that it cannot be taken for an answer about credits.
func unavailable(doing string, err error) error {
	if fault := (*sqlite.Error)(nil); errors.As(err, &fault) && fault.Code()&0xff == sqlitelib.SQLITE_IOERR {
		err = fmt.Errorf("%w: is its disk full, or on another machine, where SQLite cannot share memory?", err)
	}
	return fmt.Errorf("%w: %s: %w", l402.ErrLedgerUnavailable, doing, err)
}

// commit has one operation on an account committed.
func (l *Ledger) commit(ctx context.Context, o *op) error {
	c, err := l.connected()
	if err != nil {
		return err
	}
	return c.committers[int(o.hash[0])%len(c.committers)].do(ctx, o)
}

// query asks the database something.
func query[T any](
	ctx context.Context, l *Ledger, doing string, ask func(context.Context, database) (T, error),
) (answer T, err error) {
	c, err := l.connected()
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if answer, err = ask(ctx, c); err != nil {
		return answer, unavailable(doing, err)
	}
	return answer, nil
}

// Spend implements [l402.Ledger].
func (l *Ledger) Spend(ctx context.Context, d l402.Debit) (l402.Receipt, error) {
	o := spendOp(&d)
	if err := l.commit(ctx, o); err != nil {
		return l402.Receipt{}, err // o may still be in use
	}
	return o.receipt, nil
}

// Refund implements [l402.Ledger].
func (l *Ledger) Refund(ctx context.Context, r l402.Receipt) error { return l.commit(ctx, refundOp(r)) }

// Revoke ends an account at once. Only the first time is recorded.
func (l *Ledger) Revoke(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	return l.commit(ctx, changeOp(hash, func(r *row) { r.revoke(at.Unix()) }))
}

// Reimburse revokes an account, and records when the buyer was marked as paid back.
func (l *Ledger) Reimburse(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	return l.commit(ctx, changeOp(hash, func(r *row) { r.reimburse(at.Unix()) }))
}

// Grant creates an account for which nobody has paid. It changes nothing if there is one.
func (l *Ledger) Grant(ctx context.Context, g l402.Account) error {
	return l.commit(ctx, changeOp(g.Hash, func(r *row) { r.create(&g) }))
}

// Account implements [l402.Ledger].
func (l *Ledger) Account(ctx context.Context, hash lntypes.Hash) (l402.Account, error) {
	r, err := query(ctx, l, "read account", func(ctx context.Context, db database) (*row, error) { return db.account(ctx, hash) })
	switch {
	case err != nil:
		return l402.Account{}, err
	case r == nil:
		return l402.Account{}, l402.ErrUnknownAccount
	}
	return r.account(), r.damage
}

// Accounts returns every account, in the order of their hashes.
func (l *Ledger) Accounts(ctx context.Context) ([]l402.Account, error) {
	rows, err := query(ctx, l, "list accounts", func(ctx context.Context, db database) ([]*row, error) { return db.accounts(ctx) })
	accounts := make([]l402.Account, len(rows))
	for i, r := range rows {
		accounts[i], err = r.account(), cmp.Or(err, r.damage)
	}
	return accounts, err
}

// Sales returns the totals of all accounts by day, pruned ones included, oldest first, with the credits still open at
// the given time.
func (l *Ledger) Sales(ctx context.Context, at time.Time) ([]l402.DayOfSales, error) {
	return query(ctx, l, "add up sales", func(ctx context.Context, db database) ([]l402.DayOfSales, error) {
		return db.sales(ctx, at.Unix())
	})
}

// Latest returns when the last credit was taken, the zero time if none was.
func (l *Ledger) Latest(ctx context.Context) (time.Time, error) {
	return query(ctx, l, "find the last debit", func(ctx context.Context, db database) (time.Time, error) { return db.latest(ctx) })
}

// Prune adds the accounts that ended at or before the given time to the totals of their days, deletes them, and returns
// their number.
func (l *Ledger) Prune(ctx context.Context, before time.Time) (total int64, err error) {
	for {
		n, err := query(ctx, l, "prune",
			func(ctx context.Context, db database) (int64, error) { return db.prune(ctx, before.Unix()) })
		total += n
		if err != nil || n < pruneStep {
			return total, err
		}
	}
}

// Adopt implements [l402.Ledger]. A ledger that cannot be opened now adopts the keys when it is.
func (l *Ledger) Adopt(ctx context.Context, keys []l402.KeyID) error {
	l.mu.Lock()
	l.keys = keys
	l.mu.Unlock()
	if l.opened.Load() == nil {
		if err := l.reach(ctx); errors.Is(err, l402.ErrForeignKeys) {
			return l402.ErrForeignKeys
		}
		return nil
	}
	_, err := query(ctx, l, "check master keys", func(ctx context.Context, db database) (any, error) {
		return nil, adopt(ctx, db, keys)
	})
	if errors.Is(err, l402.ErrForeignKeys) {
		return l402.ErrForeignKeys
	}
	return err
}

// Ready implements [l402.Ledger].
func (l *Ledger) Ready(ctx context.Context) error {
	if err := l.reach(ctx); err != nil {
		return err
	}
	_, err := query(ctx, l, "write", func(ctx context.Context, db database) (any, error) { return nil, db.ready(ctx) })
	return err
}

// errDamaged means that a ledger's file was changed by something other than this program.
var errDamaged = errors.New("the ledger is damaged: stop the service and restore a backup")

// Check reads all that is stored, beside the debits. After damage was found, every call fails with
// [l402.ErrLedgerUnavailable]: a damaged file may lose debits, and grows worse with each. PostgreSQL checks its pages
// itself.
func (l *Ledger) Check(ctx context.Context) error {
	c, err := l.connected()
	if err != nil {
		return err
	}
	err = c.check(ctx)
	if errors.Is(err, errDamaged) {
		l.fault.Store(&err)
	}
	return err
}

// Close ends the ledger. Operations that are queued fail.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.opened.Load()
	if c == nil {
		return nil
	}
	var errs []error
	for _, one := range c.committers {
		errs = append(errs, one.close())
	}
	return errors.Join(append(errs, c.database.close())...)
}
