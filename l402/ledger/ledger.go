// Package ledger keeps the credits of paid invoices: in one SQLite file for one machine, or in PostgreSQL for several.
//
// Both stores share one idea. A request does not get a transaction of its own: one goroutine takes whatever operations
// are waiting, settles them in memory, and commits them together, so that one durable write serves hundreds of
// requests and a lone request waits for nobody. What an operation does to an account is decided in Go, in one place, for both.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/l402"
)

// Open opens the ledger that url names, and makes it where there is none:
//
//	sqlite:FILE              a file, and its -wal and -shm beside it
//	postgres://user@host/db  a database that the user may create tables in
func Open(ctx context.Context, url string) (l402.Ledger, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		return openSQLite(ctx, rest)
	case scheme == "postgres" || scheme == "postgresql":
		return openPostgres(ctx, url)
	default:
		return nil, errors.New("ledger: want sqlite:FILE or postgres://…") // what was given may hold a password
	}
}

// unavailable marks an error of the store as no answer about credits.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w", l402.ErrLedgerUnavailable, doing, err)
}

// wrap is unavailable, but for no error.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return unavailable(doing, err)
}

// pruneStep is how many accounts are forgotten in one transaction.
const pruneStep = 1000

// pruneInSteps repeats step until it forgets less than it could.
func pruneInSteps(step func() (int64, error)) (int64, error) {
	total := int64(0)
	for {
		n, err := step()
		total += n
		if err != nil || n < pruneStep {
			return total, err
		}
	}
}

// mayAdopt reports whether a ledger that knows some keys may be used with others.
func mayAdopt(known, keys []l402.KeyID) bool {
	return len(known) == 0 || slices.ContainsFunc(keys, func(k l402.KeyID) bool { return slices.Contains(known, k) })
}
