package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"almanac/l402"
)

// TestLogIsMoved spends from many more accounts than the log and the cache may hold, and finds each as it should be.
func TestLogIsMoved(t *testing.T) {
	url := filepath.Join(t.TempDir(), "ledger.db")
	open := func() *sqliteLedger {
		t.Helper()
		opened, err := openSQLite(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		l := opened.(*sqliteLedger)
		t.Cleanup(func() { l.Close() })
		if err := l.committer.call(t.Context(), func() error {
			l.store.sqliteBounds = sqliteBounds{cached: 64, logged: 32, step: 8}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	now := time.Now()
	const accounts, spends = 500, 4000
	debit := func(n int) l402.Debit {
		return l402.Debit{Hash: sha256.Sum256(binary.AppendUvarint(nil, uint64(n))), Credits: 1000, Limit: 1000, ExpiresAt: now.Add(time.Hour), At: now}
	}
	var mu sync.Mutex
	used := make(map[int]int)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range spends / 20 {
				n := rand.IntN(accounts)
				r, err := l.Spend(context.Background(), debit(n))
				if err != nil {
					t.Errorf("Spend: %v", err)
					return
				}
				mu.Lock()
				used[n]++
				mu.Unlock()
				if rand.IntN(10) == 0 {
					if err := l.Refund(context.Background(), r); err != nil {
						t.Errorf("Refund: %v", err)
					}
					mu.Lock()
					used[n]--
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if err := l.committer.call(t.Context(), func() error {
		if len(l.store.queue) > 32+2*maxBatch || len(l.store.cache) > 64+2*maxBatch {
			t.Errorf("%d states in the log, %d accounts in the cache", len(l.store.queue), len(l.store.cache))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // before and after opening again
		for n, want := range used {
			a, err := l.Account(t.Context(), debit(n).Hash)
			if err != nil || a.Used != want {
				t.Fatalf("account %d: %d used, %v; want %d", n, a.Used, err, want)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open()
	}
	if n, err := l.Prune(t.Context(), now.Add(2*time.Hour)); err != nil || int(n) != len(used) {
		t.Fatalf("Prune: %d, %v; want %d", n, err, len(used))
	}
}
