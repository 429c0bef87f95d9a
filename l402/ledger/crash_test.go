package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"almanac/l402"
	"almanac/l402/ledger"
)

// TestNewestStateWins: a file that was left while its log held many states of each account, as kill -9 leaves it, keeps the newest of each
// when the log is moved into the table, for whichever reason that happens.
func TestNewestStateWins(t *testing.T) {
	const accounts, enough = 3, 400
	dir := t.TempDir()
	url := "sqlite:" + filepath.Join(dir, "ledger.db")
	l := open(t, url)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	var spent atomic.Int64
	for i := range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := l.Spend(t.Context(), debit(i%accounts+1, func(d *l402.Debit) { d.Credits, d.Limit = 1e6, 1e6 })); err != nil {
					t.Error(err)
					return
				}
				spent.Add(1)
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); spent.Load() < enough && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	left := filepath.Join(dir, "left.db")
	if err := ledger.Backup(t.Context(), url, left); err != nil {
		t.Fatal(err)
	}
	stop()
	wg.Wait()
	l.Close()

	used := func(l l402.Ledger) (n [accounts]int) {
		t.Helper()
		for i := range n {
			a, err := l.Account(t.Context(), hash(i+1))
			if err != nil {
				t.Fatal(err)
			}
			n[i] = a.Used
		}
		return n
	}
	for name, move := range map[string]func(l402.Ledger) error{
		"listed": func(l l402.Ledger) error { _, err := l.Accounts(t.Context(), lntypes.Hash{}, 10); return err },
		"pruned": func(l l402.Ledger) error { _, err := l.Prune(t.Context(), time.Unix(1, 0)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(left)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "ledger.db")
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			l := open(t, "sqlite:"+file)
			before := used(l)
			if err := move(l); err != nil {
				t.Fatal(err)
			}
			l.Close()
			again := open(t, "sqlite:"+file)
			defer again.Close()
			if after := used(again); after != before {
				t.Errorf("%v credits were used, and %v after the log was moved", before, after)
			}
		})
	}
}
