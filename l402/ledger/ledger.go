// Package ledger keeps the credits of paid invoices: in one SQLite file for one machine, or in PostgreSQL for several.
//
// Both stores commit in groups. A request does not get a transaction of its own: one goroutine takes whatever operations
// are queued, settles them in memory, and commits them together, so that one durable write serves hundreds of requests while a
// single request waits for no other. What an operation does to an account is decided in Go, in one place, for both stores.
package ledger

import (
	"context"
	"errors"
	"strings"

	"almanac/l402"
)

// Open opens the ledger that url names, and creates it if there is none:
//
//	sqlite:FILE              a file, and its -wal and -shm beside it
//	postgres://user@host/db  a database that the user may create tables in
func Open(ctx context.Context, url string) (l402.Ledger, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return openSQLite(ctx, file)
	}
	return openPostgres(ctx, url)
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
		return errors.New("ledger: the address is not valid: use sqlite:FILE or postgres://…") // what was given may contain a password
	}
}
