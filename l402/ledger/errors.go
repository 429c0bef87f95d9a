package ledger

import (
	"fmt"

	"almanac/l402"
)

// unavailable wraps an error of the store, so that it cannot be taken for an answer about credits.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s: %w", l402.ErrLedgerUnavailable, doing, err)
}

// wrap is unavailable, except that nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return unavailable(doing, err)
}
