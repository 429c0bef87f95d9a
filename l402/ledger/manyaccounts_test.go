package ledger_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestManyAccounts spends from many accounts at once, gives some credits back, and finds each account as it should be,
// also after opening the file again.
func TestManyAccounts(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, url)
	const accounts, spends = 500, 4000
	var mu sync.Mutex
	used := make(map[int]int)
	count := func(n, by int) {
		mu.Lock()
		defer mu.Unlock()
		used[n] += by
	}
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
				count(n, 1)
				if rand.IntN(10) == 0 {
					if err := l.Refund(context.Background(), r); err != nil {
						t.Errorf("Refund: %v", err)
					}
					count(n, -1)
				}
			}
		})
	}
	wg.Wait()
	for range 2 { // before and after opening again
		for n, want := range used {
			wantUsed(t, l, n, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, url)
	}
	if n, err := l.Prune(t.Context(), end.Add(time.Hour)); err != nil || int(n) != len(used) {
		t.Fatalf("Prune: %d, %v; want %d", n, err, len(used))
	}
}
