package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"almanac/l402"
)

// An Inspection is the result of Inspect.
type Inspection struct {
	Exists   bool
	Keys     []l402.KeyID // that it was kept under; of SQLite only
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

func inspectSQLite(ctx context.Context, file string, atRest bool) (Inspection, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return Inspection{}, fmt.Errorf("ledger: %w: create the directory", err)
		}
		return Inspection{}, nil
	}
	if err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	if info.Size() == 0 {
		return Inspection{}, nil
	}
	db, err := sql.Open("sqlite", readOnlyDSN(file, atRest))
	if err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return Inspection{}, fmt.Errorf("ledger %s: %w", file, err)
	}
	if version > sqliteVersion {
		return Inspection{}, fmt.Errorf("ledger %s: %w", file, laterVersion(version))
	}
	s := Inspection{Exists: true}
	if s.Keys, err = list(ctx, db, scanKeyID, "SELECT id FROM master_keys"); err != nil {
		return Inspection{}, fmt.Errorf("ledger %s: %w", file, err)
	}
	return s, nil
}

// readOnlyDSN returns the data source name of a file that is not written to, and, if it is at rest, that nobody else
// writes to either.
func readOnlyDSN(file string, atRest bool) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: "mode=ro&_pragma=busy_timeout(4000)"}
	if atRest {
		u.RawQuery += "&immutable=1" // https://sqlite.org/uri.html: also reads from a disk that takes no writes
	}
	return u.String()
}

func inspectPostgres(ctx context.Context, url string) (Inspection, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var s Inspection
	var readOnly bool
	if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool, to_regclass('almanac_accounts') IS NOT NULL").Scan(&readOnly, &s.Exists); err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	if readOnly {
		return Inspection{}, errors.New("ledger: the database takes no writes: connect to the primary server")
	}
	if err := checkPostgresVersion(ctx, conn); err != nil {
		return Inspection{}, fmt.Errorf("ledger: %w", err)
	}
	return s, nil
}
