package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.almanac.example/l402"
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
	db := openFile(sqliteDSN(file))
	defer db.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		defer out.Close()
		_, err = db.ExecContext(ctx, "VACUUM INTO ?", to) // https://sqlite.org/lang_vacuum.html#vacuuminto
		if err = errors.Join(err, out.Sync()); err != nil {
			os.Remove(to)
		}
	}
	if err != nil {
		return fmt.Errorf("back up the ledger: %w", err)
	}
	return nil
}

// Verify reads every page of a SQLite file that no program has open, and returns its contents.
func Verify(ctx context.Context, file string) (Inspection, error) {
	status, err := inspectSQLite(ctx, file, true)
	if err == nil && !status.Exists {
		err = fmt.Errorf("ledger %s is empty", file)
	}
	return status, err
}

// An Inspection is the result of Inspect.
type Inspection struct {
	Exists   bool
	Keys     []l402.KeyID // that it was kept under
	Partial  bool         // the time did not suffice to read every page
	Accounts int          // as Verify counts them
}

// Fits reports whether the ledger may be used with keys.
func (s Inspection) Fits(keys []l402.KeyID) bool { return mayAdopt(s.Keys, keys) }

// Inspect looks at the ledger that url names without creating, upgrading or writing anything. The error says why it
// could not be used.
func Inspect(ctx context.Context, url string) (Inspection, error) {
	if err := CheckURL(url); err != nil {
		return Inspection{}, err
	}
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return inspectSQLite(ctx, file, false)
	}
	return inspectPostgres(ctx, url)
}

func inspectSQLite(ctx context.Context, file string, atRest bool) (s Inspection, err error) {
	defer func() {
		if err != nil {
			s, err = Inspection{}, fmt.Errorf("ledger %s: %w", file, err)
		}
	}()
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return s, fmt.Errorf("%w: create the directory", err)
		}
		return s, nil
	}
	if err != nil || info.Size() == 0 {
		return s, err
	}
	db := openFile(readOnlyDSN(file, atRest))
	defer db.Close()
	var version int
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil && version != sqliteVersion {
		err = otherVersion(version)
	}
	if err == nil {
		s.Exists = true
		s.Keys, err = list(ctx, db, scanKeyID, "SELECT id FROM master_keys")
	}
	if err != nil {
		return s, err
	}
	if err := checkSQLite(ctx, db); errors.Is(err, errDamaged) || err != nil && ctx.Err() == nil {
		return s, err
	}
	if s.Partial = ctx.Err() != nil; !s.Partial {
		if _, err := prepare(ctx, db.PrepareContext); err != nil {
			return s, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if atRest {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM accounts").Scan(&s.Accounts)
	}
	return s, err
}

// readOnlyDSN returns the data source name of a file that is not written to, and, if it is at rest, that nobody else
// writes to either.
func readOnlyDSN(file string, atRest bool) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(),
		RawQuery: "mode=ro&_pragma=" + busyTimeout}
	if atRest {
		u.RawQuery += "&immutable=1" // https://sqlite.org/uri.html: also reads from a disk that takes no writes
	}
	return u.String()
}

// errUndo ends a transaction without a trace.
var errUndo = errors.New("nothing is to be changed")

func inspectPostgres(ctx context.Context, url string) (s Inspection, err error) {
	p, err := connectPostgres(ctx, url)
	if err != nil {
		return s, err
	}
	defer p.close()
	defer func() {
		if err != nil {
			err = fmt.Errorf("ledger: %w", err)
		}
	}()
	s.Exists, err = checkTables(ctx, p.db)
	switch {
	case err != nil:
	case s.Exists:
		s.Keys, err = list(ctx, p.db, scanKeyID, "SELECT id FROM almanac_master_keys")
	default:
		err = update(ctx, p.db.BeginTx, func(tx *sql.Tx) error { return cmp.Or(createTables(ctx, tx), errUndo) })
	}
	if errors.Is(err, errUndo) {
		err = nil
	}
	return s, err
}
