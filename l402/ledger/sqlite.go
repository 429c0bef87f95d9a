package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"almanac/l402"

	"github.com/lightningnetwork/lnd/lntypes"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A sqliteLedger is one file, read and written by one connection in one goroutine. Other processes may have it open too.
type sqliteLedger struct {
	db        *sql.DB
	store     *sqliteStore
	committer *committer
}

// openSQLite opens the file, and creates it, readable by its owner alone, if there is none.
func openSQLite(ctx context.Context, file string) (l402.Ledger, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := migrateSQLite(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("ledger %s: %w", file, err), db.Close())
	}
	store := &sqliteStore{db: db, sqliteBounds: defaultBounds}
	return &sqliteLedger{db: db, store: store, committer: newCommitter(store)}, nil
}

// sqliteDSN returns the data source name of a file, with the settings that make a commit durable: FULL syncs the write-ahead log at
// every commit (https://sqlite.org/pragma.html#pragma_synchronous). Transactions take the write lock when they begin, so none fails
// half-way because another wrote first.
func sqliteDSN(file string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath()}
	u.RawQuery = url.Values{
		"_pragma": {"busy_timeout(4000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16000)"},
		"_txlock": {"immediate"},
	}.Encode()
	return u.String()
}

// Spend implements l402.Ledger.
func (l *sqliteLedger) Spend(ctx context.Context, d l402.Debit) (l402.Receipt, error) {
	return l.committer.spend(ctx, d)
}

// Refund implements l402.Ledger.
func (l *sqliteLedger) Refund(ctx context.Context, r l402.Receipt) error {
	return l.committer.refund(ctx, r)
}

// Revoke implements l402.Ledger.
func (l *sqliteLedger) Revoke(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	return l.committer.end(ctx, opRevoke, hash, at)
}

// Reimburse implements l402.Ledger.
func (l *sqliteLedger) Reimburse(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	return l.committer.end(ctx, opReimburse, hash, at)
}

// Grant implements l402.Ledger.
func (l *sqliteLedger) Grant(ctx context.Context, g l402.Account) error {
	return l.committer.grant(ctx, g)
}

// Account implements l402.Ledger.
func (l *sqliteLedger) Account(ctx context.Context, hash lntypes.Hash) (l402.Account, error) {
	return l.committer.account(ctx, hash)
}

// Accounts implements l402.Ledger.
func (l *sqliteLedger) Accounts(ctx context.Context, after lntypes.Hash, limit int) (accounts []l402.Account, err error) {
	err = l.committer.call(ctx, func() (err error) {
		accounts, err = l.store.accounts(ctx, after, limit)
		return wrap("list accounts", err)
	})
	return accounts, err
}

// Sales implements l402.Ledger.
func (l *sqliteLedger) Sales(ctx context.Context, at time.Time) (days []l402.DayOfSales, err error) {
	err = l.committer.call(ctx, func() (err error) {
		days, err = l.store.sales(ctx, at.Unix())
		return wrap("add up sales", err)
	})
	return days, err
}

// Prune implements l402.Ledger. It works in steps, so that requests are served in between.
func (l *sqliteLedger) Prune(ctx context.Context, before time.Time) (int64, error) {
	return pruneInSteps(func() (n int64, err error) {
		err = l.committer.call(ctx, func() (err error) {
			n, err = l.store.prune(ctx, before.Unix())
			return wrap("prune", err)
		})
		return n, err
	})
}

// Adopt implements l402.Ledger.
func (l *sqliteLedger) Adopt(ctx context.Context, keys []l402.KeyID) error {
	return l.committer.call(ctx, func() error {
		err := l.store.adopt(ctx, keys)
		if errors.Is(err, l402.ErrForeignKeys) {
			return err
		}
		return wrap("check master keys", err)
	})
}

// Ready implements l402.Ledger. It writes, because reading also works on a full disk. Setting a column to the value that it has
// would write nothing.
func (l *sqliteLedger) Ready(ctx context.Context) error {
	return l.committer.call(ctx, func() error {
		_, err := l.db.ExecContext(ctx, "UPDATE probe SET written = written + 1, filler = randomblob(8192)")
		return wrap("write", err)
	})
}

// Close implements l402.Ledger.
func (l *sqliteLedger) Close() error {
	l.committer.close()
	return l.db.Close()
}
