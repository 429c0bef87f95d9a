package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.almanac.example/l402"
)

// TestLateLedger: until the ledger can be opened, every operation is unavailable and none looks like an answer about
// credits; a ledger of other keys is refused, at start and later.
func TestLateLedger(t *testing.T) {
	away := errors.New("connection refused")
	file := filepath.Join(t.TempDir(), "ledger.db")
	open := func(ctx context.Context) (database, error) {
		if away != nil {
			return nil, away
		}
		return openSQLite(ctx, file)
	}
	ctx, keys := t.Context(), []l402.KeyID{{1}}
	l := newLedger(open)
	if err := l.Adopt(ctx, keys); err != nil {
		t.Fatalf("Adopt of a ledger that is away: %v", err)
	}
	debit := l402.Debit{Credits: 1, Limit: 1, At: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	_, spend := l.Spend(ctx, debit)
	_, account := l.Account(ctx, debit.Hash)
	_, accounts := l.Accounts(ctx)
	_, prune := l.Prune(ctx, time.Now())
	for name, err := range map[string]error{
		"Spend": spend, "Account": account, "Accounts": accounts, "Prune": prune, "Ready": l.Ready(ctx),
		"Refund": l.Refund(ctx, l402.Receipt{}), "Revoke": l.Revoke(ctx, debit.Hash, time.Now()),
	} {
		if !errors.Is(err, l402.ErrLedgerUnavailable) || !errors.Is(err, away) {
			t.Errorf("%s: %v, want ErrLedgerUnavailable because of the connection", name, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close before it was opened: %v", err)
	}

	away = nil
	if err := l.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Spend(ctx, debit); err != nil {
		t.Errorf("Spend after Ready: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	if err := newLedger(open).Adopt(ctx, []l402.KeyID{{2}}); !errors.Is(err, l402.ErrForeignKeys) {
		t.Errorf("Adopt with other keys at start: %v, want ErrForeignKeys", err)
	}
	away = errors.New("connection refused")
	later := newLedger(open)
	if err := later.Adopt(ctx, []l402.KeyID{{2}}); err != nil {
		t.Fatal(err)
	}
	away = nil
	if err := later.Ready(ctx); !errors.Is(err, l402.ErrForeignKeys) || !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("Ready with other keys later: %v", err)
	}
	if _, err := later.Spend(ctx, debit); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("Spend with other keys: %v", err)
	}
}

// TestOpeningDelaysNobody: while a ledger is being opened, no debit waits for that.
func TestOpeningDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(func(ctx context.Context) (database, error) { <-ctx.Done(); return nil, ctx.Err() })
		go l.Ready(t.Context())
		synctest.Wait()
		began := time.Now()
		if _, err := l.Spend(t.Context(), l402.Debit{}); !errors.Is(err, l402.ErrLedgerUnavailable) || time.Since(began) > 0 {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
