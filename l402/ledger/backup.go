package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotSQLite means that a ledger is not a file of its own.
var ErrNotSQLite = errors.New("the ledger is a PostgreSQL database: back it up with pg_dump")

// Backup writes a copy of a SQLite ledger to a new file, readable by its owner alone. The ledger may be in use: the
// copy is its state at one moment, with every credit that was spent by then. It contains no free pages, so it may be
// smaller.
func Backup(ctx context.Context, url, to string) error {
	file, ok := strings.CutPrefix(url, "sqlite:")
	if !ok {
		return ErrNotSQLite
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer db.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("back up the ledger: %w", err)
	}
	defer out.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil { // https://sqlite.org/lang_vacuum.html#vacuuminto
		return fmt.Errorf("back up the ledger: %w", err)
	}
	if err := out.Sync(); err != nil {
		return fmt.Errorf("back up the ledger: %w", err)
	}
	return nil
}

// Verify reads every page of a SQLite file that no program has open, and returns its contents.
func Verify(ctx context.Context, file string) (Inspection, error) {
	status, err := inspectSQLite(ctx, file, true)
	if err != nil {
		return Inspection{}, err
	}
	if !status.Exists {
		return Inspection{}, fmt.Errorf("ledger %s is empty", file)
	}
	db, err := sql.Open("sqlite", readOnlyDSN(file, true))
	if err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	defer db.Close()
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&result); err != nil {
		return Inspection{}, fmt.Errorf("ledger %s: %w", file, err)
	}
	if result != "ok" {
		return Inspection{}, fmt.Errorf("ledger %s is damaged: %s", file, result)
	}
	status.Accounts, err = countAccounts(ctx, file)
	return status, err
}

// countAccounts opens a copy of a SQLite file as the service would, and counts its accounts.
func countAccounts(ctx context.Context, file string) (n int, err error) {
	dir, err := os.MkdirTemp("", "almanac-verify-")
	if err != nil {
		return 0, fmt.Errorf("verify the ledger: %w", err)
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "ledger.db")
	if err := copyFile(file, copied); err != nil {
		return 0, fmt.Errorf("verify the ledger: %w", err)
	}
	db, err := openSQLite(ctx, copied)
	if err != nil {
		return 0, err
	}
	err = db.(*sqliteDatabase).db.QueryRowContext(ctx, "SELECT count(*) FROM accounts").Scan(&n)
	return n, errors.Join(err, db.close())
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
