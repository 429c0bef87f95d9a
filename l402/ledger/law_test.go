package ledger_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/lntypes"
)

// stores are the ledgers that must obey the law, by the address of a fresh one.
var stores = map[string]func(t testing.TB) (url string){
	"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "ledger.db") },
	"postgres": database,
}

// laws are what l402.Ledger promises.
var laws = map[string]func(t *testing.T, url string){
	"born by the first spend":           lawBirth,
	"as many as bought":                 lawExhausted,
	"exactly one takes the last":        lawConcurrent,
	"two processes are one ledger":      lawShared,
	"a narrower copy":                   lawLimit,
	"a refund counts once":              lawRefund,
	"revoked for good":                  lawRevoke,
	"the end is an end":                 lawExpired,
	"what was pruned never comes back":  lawPrune,
	"everything is there after opening": lawReopen,
	"listed in order":                   lawAccounts,
	"bound to its keys":                 lawAdopt,
	"who gives up has spent nothing":    lawGiveUp,
	"closed is unavailable":             lawClosed,
	"any history":                       lawHistory,
	"a named request is charged once":   lawNamed,
	"a name ends after a minute":        lawNamesEnd,
	"deliveries share a credit":         lawDeliveries,
	"forgotten receipts take nothing":   lawForgotten,
	"deliveries are bounded":            lawRepeated,
	"every request can be named":        lawAllNamed,
	"branches count for themselves":     lawBranches,
	"branches in a rush":                lawBranchesRush,
	"a branch has what it gave back":    lawBranchRefunds,
	"a branch has names of its own":     lawBranchNames,
	"branches are bounded":              lawBranchBounds,
	"branches are there after opening":  lawBranchesReopen,
	"sales are those of the first":      lawSales,
	"sales outlive their accounts":      lawSalesPruned,
	"a grant is not a sale":             lawGrant,
	"paid back is revoked":              lawReimburse,
}

func TestLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	t.Parallel()
	for store, fresh := range stores {
		for name, law := range laws {
			t.Run(store+"/"+name, func(t *testing.T) { law(t, fresh(t)) })
		}
	}
}

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	end  = noon.Add(30 * 24 * time.Hour)
)

func open(t testing.TB, url string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// hash is the payment hash number n.
func hash(n int) lntypes.Hash { return sha256.Sum256(binary.AppendUvarint(nil, uint64(n))) }

// debit is a valid debit of payment n, changed by edits.
func debit(n int, edits ...func(*l402.Debit)) l402.Debit {
	d := l402.Debit{Hash: hash(n), Credits: 100, Limit: 100, ExpiresAt: end, At: noon}
	for _, edit := range edits {
		edit(&d)
	}
	return d
}

func at(now time.Time) func(*l402.Debit) { return func(d *l402.Debit) { d.At = now } }
func limit(n int) func(*l402.Debit)      { return func(d *l402.Debit) { d.Limit = n } }

func spend(t testing.TB, l *ledger.Ledger, d l402.Debit) l402.Receipt {
	t.Helper()
	r, err := l.Spend(t.Context(), d)
	if err != nil {
		t.Fatalf("Spend: %v", err)
	}
	return r
}

func wantRefused(t testing.TB, l *ledger.Ledger, d l402.Debit, want error) {
	t.Helper()
	if _, err := l.Spend(t.Context(), d); !errors.Is(err, want) {
		t.Fatalf("Spend: got %v, want %v", err, want)
	}
}

func wantUsed(t testing.TB, l *ledger.Ledger, n, want int) {
	t.Helper()
	a, err := l.Account(t.Context(), hash(n))
	if err != nil {
		t.Fatalf("Account: %v", err)
	}
	if a.Used != want {
		t.Fatalf("used: got %d, want %d", a.Used, want)
	}
}

func lawBirth(t *testing.T, url string) {
	l := open(t, url)
	if err := l.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Account(t.Context(), hash(1)); !errors.Is(err, l402.ErrUnknownAccount) {
		t.Fatalf("Account before the first spend: got %v, want ErrUnknownAccount", err)
	}
	got := spend(t, l, debit(1))
	if diff := cmp.Diff(l402.Receipt{Hash: hash(1), Serial: 1, Used: 1}, got); diff != "" {
		t.Fatal(diff)
	}
	// Another debit cannot enlarge or prolong what the first one said.
	spend(t, l, debit(1, at(noon.Add(time.Minute)), limit(1000), func(d *l402.Debit) { d.Credits, d.ExpiresAt = 1000, end.Add(time.Hour) }))
	a, err := l.Account(t.Context(), hash(1))
	if err != nil {
		t.Fatal(err)
	}
	want := l402.Account{Hash: hash(1), Credits: 100, Used: 2, ExpiresAt: end, FirstUsed: noon, LastUsed: noon.Add(time.Minute)}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Fatal(diff)
	}
}

func lawExhausted(t *testing.T, url string) {
	l := open(t, url)
	for i := range 100 {
		if r := spend(t, l, debit(1)); r.Used != i+1 {
			t.Fatalf("used after spend %d: %d", i+1, r.Used)
		}
	}
	wantRefused(t, l, debit(1), l402.ErrExhausted)
	wantRefused(t, l, debit(1, limit(1000)), l402.ErrExhausted)
	spend(t, l, debit(2)) // another payment is another account
}

// rush spends n times at once and counts the successes.
func rush(t *testing.T, n int, ledgers ...*ledger.Ledger) int {
	var served atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, err := ledgers[i%len(ledgers)].Spend(context.Background(), debit(1))
			switch {
			case err == nil:
				served.Add(1)
			case !errors.Is(err, l402.ErrExhausted):
				t.Errorf("Spend: %v", err)
			}
		})
	}
	wg.Wait()
	return int(served.Load())
}

func lawConcurrent(t *testing.T, url string) {
	l := open(t, url)
	if got := rush(t, 500, l); got != 100 {
		t.Fatalf("%d of 500 served, want 100", got)
	}
	wantUsed(t, l, 1, 100)
}

func lawShared(t *testing.T, url string) {
	a, b := open(t, url), open(t, url)
	if got := rush(t, 500, a, b); got != 100 {
		t.Fatalf("%d of 500 served, want 100", got)
	}
	wantUsed(t, a, 1, 100)
	wantUsed(t, b, 1, 100)
	r := spend(t, a, debit(2))
	if err := b.Refund(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantUsed(t, a, 2, 0)
	if err := b.Revoke(t.Context(), hash(2), noon); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, a, debit(2), l402.ErrRevoked)
}

func lawLimit(t *testing.T, url string) {
	l := open(t, url)
	for range 3 {
		spend(t, l, debit(1, limit(3)))
	}
	wantRefused(t, l, debit(1, limit(3)), l402.ErrExhausted)
	spend(t, l, debit(1))
	wantRefused(t, l, debit(2, limit(0)), l402.ErrExhausted)
	spend(t, l, debit(2))
}

func lawRefund(t *testing.T, url string) {
	l := open(t, url)
	var receipts []l402.Receipt
	for range 100 {
		receipts = append(receipts, spend(t, l, debit(1)))
	}
	refund := func(r l402.Receipt) {
		if err := l.Refund(t.Context(), r); err != nil {
			t.Fatalf("Refund: %v", err)
		}
	}
	refund(receipts[40])
	refund(receipts[40])
	wantUsed(t, l, 1, 99)
	again := spend(t, l, debit(1))
	if again.Serial <= receipts[99].Serial {
		t.Fatalf("serial %d was used before", again.Serial)
	}
	refund(receipts[40]) // must not take the later buyer's credit
	wantUsed(t, l, 1, 100)

	var wg sync.WaitGroup
	for _, r := range slices.Concat(receipts, receipts, []l402.Receipt{again}) {
		wg.Go(func() {
			if err := l.Refund(context.Background(), r); err != nil {
				t.Errorf("Refund: %v", err)
			}
		})
	}
	wg.Wait()
	wantUsed(t, l, 1, 0)
	refund(l402.Receipt{Hash: hash(1), Serial: 999})
	refund(l402.Receipt{Hash: hash(7), Serial: 1})
	wantUsed(t, l, 1, 0)
	if got := rush(t, 300, l); got != 100 {
		t.Fatalf("%d served after all was given back, want 100", got)
	}
}

func lawRevoke(t *testing.T, url string) {
	l := open(t, url)
	r := spend(t, l, debit(1))
	for _, n := range []int{1, 2} { // 2 was never used
		for _, when := range []time.Time{noon, noon.Add(time.Hour)} {
			if err := l.Revoke(t.Context(), hash(n), when); err != nil {
				t.Fatal(err)
			}
		}
		wantRefused(t, l, debit(n), l402.ErrRevoked)
		a, err := l.Account(t.Context(), hash(n))
		if err != nil || !a.RevokedAt.Equal(noon) {
			t.Fatalf("revoked at %v, %v; want %v", a.RevokedAt, err, noon)
		}
	}
	if err := l.Refund(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, l, debit(1), l402.ErrRevoked)
	// The refused spend told when 2 ends, so it can be forgotten then.
	if n, err := l.Prune(t.Context(), end); err != nil || n != 2 {
		t.Fatalf("Prune: %d, %v; want 2", n, err)
	}
	wantRefused(t, l, debit(2), l402.ErrExpired)
}

func lawExpired(t *testing.T, url string) {
	l := open(t, url)
	spend(t, l, debit(1, at(end.Add(-time.Second))))
	wantRefused(t, l, debit(1, at(end)), l402.ErrExpired)
	wantRefused(t, l, debit(1, at(end.Add(time.Hour))), l402.ErrExpired)
	wantRefused(t, l, debit(2, at(end)), l402.ErrExpired)
	spend(t, l, debit(1, at(noon.Add(-time.Hour)))) // the clock went back: the account has not ended yet
	wantUsed(t, l, 1, 2)
}

func lawPrune(t *testing.T, url string) {
	l := open(t, url)
	later := func(d *l402.Debit) { d.ExpiresAt = end.Add(time.Hour) }
	for range 100 {
		spend(t, l, debit(1))
	}
	spend(t, l, debit(2, later))
	if n, err := l.Prune(t.Context(), end.Add(-time.Second)); err != nil || n != 0 {
		t.Fatalf("Prune before the end: %d, %v", n, err)
	}
	if n, err := l.Prune(t.Context(), end); err != nil || n != 1 {
		t.Fatalf("Prune: %d, %v; want 1", n, err)
	}
	if _, err := l.Account(t.Context(), hash(1)); !errors.Is(err, l402.ErrUnknownAccount) {
		t.Fatalf("pruned account: got %v, want ErrUnknownAccount", err)
	}
	for range 2 {
		// Even with a clock that stepped back, and for a token that was never used and ended as early.
		wantRefused(t, l, debit(1), l402.ErrExpired)
		wantRefused(t, l, debit(3), l402.ErrExpired)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, url)
	}
	spend(t, l, debit(2, later))
	wantUsed(t, l, 2, 2)
	for i := range 2500 { // more than a step
		spend(t, l, debit(100+i, func(d *l402.Debit) { d.ExpiresAt = end.Add(time.Minute) }))
	}
	if n, err := l.Prune(t.Context(), end.Add(time.Minute)); err != nil || n != 2500 {
		t.Fatalf("Prune: %d, %v; want 2500", n, err)
	}
}

func lawReopen(t *testing.T, url string) {
	l := open(t, url)
	var last l402.Receipt
	for i := range 300 {
		last = spend(t, l, debit(i%7))
	}
	if err := l.Revoke(t.Context(), hash(3), noon); err != nil {
		t.Fatal(err)
	}
	before, err := l.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, url)
	after, err := l.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatal(diff)
	}
	if err := l.Refund(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	if r := spend(t, l, debit(299%7)); r.Serial != last.Serial+1 || r.Used != last.Used {
		t.Fatalf("after refund and reopening: %+v after %+v", r, last)
	}
}

func lawAccounts(t *testing.T, url string) {
	l := open(t, url)
	want := map[lntypes.Hash]int{}
	for i := range 50 {
		for range i%3 + 1 {
			spend(t, l, debit(i))
		}
		want[hash(i)] = i%3 + 1
	}
	got := map[lntypes.Hash]int{}
	all, err := l.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range all {
		if i > 0 && slices.Compare(a.Hash[:], all[i-1].Hash[:]) <= 0 {
			t.Fatalf("%s is listed after %s", a.Hash, all[i-1].Hash)
		}
		got[a.Hash] = a.Used
	}
	if !maps.Equal(got, want) {
		t.Fatal(cmp.Diff(want, got))
	}
}

func lawAdopt(t *testing.T, url string) {
	l := open(t, url)
	adopt := func(want error, ids ...byte) {
		t.Helper()
		var keys []l402.KeyID
		for _, id := range ids {
			keys = append(keys, l402.KeyID{id})
		}
		if err := l.Adopt(t.Context(), keys); !errors.Is(err, want) {
			t.Fatalf("Adopt %v: got %v, want %v", ids, err, want)
		}
	}
	adopt(nil, 1)
	adopt(l402.ErrForeignKeys, 2)
	adopt(nil, 2, 1) // rotation
	adopt(nil, 2)
	adopt(nil, 1)
	adopt(l402.ErrForeignKeys, 3, 4)
}

func lawGiveUp(t *testing.T, url string) {
	l := open(t, url)
	var served atomic.Int64
	var wg sync.WaitGroup
	for i := range 2000 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%40)*100*time.Microsecond)
			defer cancel()
			_, err := l.Spend(ctx, debit(1, limit(1000), func(d *l402.Debit) { d.Credits = 1000 }))
			switch {
			case err == nil:
				served.Add(1)
			case !errors.Is(err, l402.ErrLedgerUnavailable) && !errors.Is(err, l402.ErrExhausted):
				t.Errorf("Spend: %v", err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d of 2000 did not give up", served.Load())
	spend(t, l, debit(2)) // whatever the last batch took for nobody is given back by now, or as soon as the ledger is idle
	var a l402.Account
	var err error
	if !parttest.Within(parttest.Patience, func() bool {
		a, err = l.Account(t.Context(), hash(1))
		return err == nil && a.Used == int(served.Load())
	}) {
		t.Fatalf("used %d, %v; %d were served", a.Used, err, served.Load())
	}
}

func lawClosed(t *testing.T, url string) {
	l := open(t, url)
	spend(t, l, debit(1))
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if _, err := l.Spend(context.Background(), debit(2)); err != nil && !errors.Is(err, l402.ErrLedgerUnavailable) {
				t.Errorf("Spend while closing: %v", err)
			}
		})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	wantRefused(t, l, debit(1), l402.ErrLedgerUnavailable)
	if _, err := l.Account(t.Context(), hash(1)); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Fatalf("Account: got %v, want ErrLedgerUnavailable", err)
	}
	if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Fatalf("Ready: got %v, want ErrLedgerUnavailable", err)
	}
}

// lawHistory compares the ledger with a few lines that say the same without durability.
func lawHistory(t *testing.T, url string) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	type model struct {
		live    map[int64]bool
		serial  int64
		revoked bool
	}
	accounts := make([]model, 5)
	for i := range accounts {
		accounts[i].live = map[int64]bool{}
	}
	l := open(t, url)
	for step := range 1500 {
		n := rnd.IntN(len(accounts))
		m := &accounts[n]
		switch p := rnd.IntN(100); {
		case p < 60:
			lim := rnd.IntN(12)
			want := error(nil)
			switch {
			case m.revoked:
				want = l402.ErrRevoked
			case len(m.live) >= min(lim, 10):
				want = l402.ErrExhausted
			}
			r, err := l.Spend(t.Context(), debit(n, limit(lim), func(d *l402.Debit) { d.Credits = 10 }))
			if !errors.Is(err, want) || err == nil && r.Serial != m.serial+1 {
				t.Fatalf("step %d: spend: %+v, %v; want %v after serial %d", step, r, err, want, m.serial)
			}
			if err == nil {
				m.serial++
				m.live[m.serial] = true
			}
		case p < 97:
			serial := rnd.Int64N(m.serial+2) + 1
			if err := l.Refund(t.Context(), l402.Receipt{Hash: hash(n), Serial: serial}); err != nil {
				t.Fatal(err)
			}
			delete(m.live, serial)
		case p < 98:
			if m.serial > 100 {
				m.revoked = true
				if err := l.Revoke(t.Context(), hash(n), noon); err != nil {
					t.Fatal(err)
				}
			}
		default:
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l = open(t, url)
		}
		if m.serial > 0 {
			a, err := l.Account(t.Context(), hash(n))
			if err != nil || a.Used != len(m.live) || a.RevokedAt.IsZero() == m.revoked {
				t.Fatalf("step %d: %+v, %v; want %d used, revoked %v", step, a, err, len(m.live), m.revoked)
			}
		}
	}
}

func TestOpenRefusesOtherAddresses(t *testing.T) {
	for _, url := range []string{"", "sqlite:", "ledger.db", "mysql://x", "postgres://%zz"} {
		if l, err := ledger.Open(t.Context(), url); err == nil {
			l.Close()
			t.Errorf("Open(%q) opened something", url)
		}
	}
	if _, err := ledger.Open(t.Context(), "postgres://u:hunter2@/db?port=x"); err == nil || fmt.Sprint(err) != "ledger: the postgres:// address is not valid" {
		t.Errorf("got %v: an error must not show the password", err)
	}
}
