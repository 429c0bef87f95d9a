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
)

// A Status is what Inspect finds.
type Status struct {
	Exists   bool
	Accounts int64
}

// Inspect looks at the ledger that url names without creating, upgrading or writing anything. The error says why it could not be used.
func Inspect(ctx context.Context, url string) (Status, error) {
	if err := CheckURL(url); err != nil {
		return Status{}, err
	}
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return inspectSQLite(ctx, file)
	}
	return inspectPostgres(ctx, url)
}

func inspectSQLite(ctx context.Context, file string) (Status, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return Status{}, fmt.Errorf("ledger: %w: create the directory", err)
		}
		return Status{}, nil
	}
	if err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	if info.Size() == 0 {
		return Status{}, nil
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: "mode=ro&_pragma=busy_timeout(4000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return Status{}, fmt.Errorf("ledger %s: %w", file, err)
	}
	if version > sqliteVersion {
		return Status{}, fmt.Errorf("ledger %s: %w", file, laterVersion(version))
	}
	s := Status{Exists: true}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM accounts").Scan(&s.Accounts); err != nil {
		return Status{}, fmt.Errorf("ledger %s: %w", file, err)
	}
	return s, nil
}

func inspectPostgres(ctx context.Context, url string) (Status, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var s Status
	var readOnly bool
	if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool, to_regclass('almanac_accounts') IS NOT NULL").Scan(&readOnly, &s.Exists); err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	if readOnly {
		return Status{}, errors.New("ledger: the database takes no writes: connect to the primary server")
	}
	if !s.Exists {
		return s, nil
	}
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM almanac_accounts").Scan(&s.Accounts); err != nil {
		return Status{}, fmt.Errorf("ledger: %w", err)
	}
	return s, nil
}
