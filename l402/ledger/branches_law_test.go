package ledger_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/macaroon.v2"
)

// branch is the id of a branch. Each is a byte, so that those within it have ids of their own.
func branch(path ...byte) (id l402.BranchID) {
	copy(id[:], path)
	return id
}

// within makes a debit one of a branch, whose path is given as pairs of name and limit.
func within(pairs ...int) func(*l402.Debit) {
	return func(d *l402.Debit) {
		d.Budgets = nil
		var path []byte
		for pair := range slices.Chunk(pairs, 2) {
			path = append(path, byte(pair[0]))
			d.Budgets = append(d.Budgets, l402.Budget{Branch: branch(path...), Limit: pair[1]})
		}
	}
}

// narrowed is a copy of a credential with more caveats.
func narrowed(t *testing.T, credential string, caveats ...string) string {
	t.Helper()
	mac, preimage, _ := strings.Cut(strings.TrimPrefix(credential, "L402 "), ":")
	raw, err := base64.StdEncoding.DecodeString(mac)
	if err != nil {
		t.Fatal(err)
	}
	var m macaroon.Macaroon
	if err := m.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	for _, c := range caveats {
		m.AddFirstPartyCaveat([]byte(c))
	}
	if raw, err = m.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	return "L402 " + base64.StdEncoding.EncodeToString(raw) + ":" + preimage
}

// wantBranches compares the branches in use of account 1.
func wantBranches(t *testing.T, l *ledger.Ledger, want ...l402.BranchUse) {
	t.Helper()
	a, err := l.Account(t.Context(), hash(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, a.Branches); diff != "" {
		t.Fatal(diff)
	}
}

func use(used int, path ...byte) l402.BranchUse {
	return l402.BranchUse{Branch: branch(path...), Used: used}
}

func lawBranches(t *testing.T, url string) {
	l := open(t, url)
	for i := range 3 {
		r := spend(t, l, debit(1, within(1, 3)))
		if diff := cmp.Diff(l402.Receipt{Hash: hash(1), Serial: int64(i + 1), Used: i + 1, Branches: []l402.BranchUse{use(i+1, 1)}}, r); diff != "" {
			t.Fatal(diff)
		}
	}
	wantRefused(t, l, debit(1, within(1, 3)), l402.ErrBudgetExhausted)
	spend(t, l, debit(1, within(1, 4))) // from the holder of the whole account, which can hand out as much as it has
	wantRefused(t, l, debit(1, within(1, 4)), l402.ErrBudgetExhausted)
	spend(t, l, debit(1)) // the account goes on
	spend(t, l, debit(1, within(2, 1)))
	wantUsed(t, l, 1, 6)
	wantBranches(t, l, use(4, 1), use(1, 2))

	// A branch within another counts in it, and is another one than that of the same name elsewhere.
	spend(t, l, debit(1, within(3, 3, 1, 2)))
	spend(t, l, debit(1, within(3, 3, 1, 2)))
	wantRefused(t, l, debit(1, within(3, 3, 1, 2)), l402.ErrBudgetExhausted)
	spend(t, l, debit(1, within(3, 3)))
	wantRefused(t, l, debit(1, within(3, 3)), l402.ErrBudgetExhausted)
	wantRefused(t, l, debit(1, within(3, 3, 2, 2)), l402.ErrBudgetExhausted) // the branch that it is in has nothing left
	wantBranches(t, l, use(4, 1), use(1, 2), use(3, 3), use(2, 3, 1))

	// The account and its other limits bound every branch.
	wantRefused(t, l, debit(1, limit(9), within(4, 50)), l402.ErrExhausted)
	wantRefused(t, l, debit(1, at(end), within(4, 50)), l402.ErrExpired)
	wantRefused(t, l, debit(1, within(5, 0)), l402.ErrBudgetExhausted)
	wantBranches(t, l, use(4, 1), use(1, 2), use(3, 3), use(2, 3, 1)) // what was refused began nothing
}

// lawBranchesRush spends from branches, from branches within them and from the account at once, from two processes.
func lawBranchesRush(t *testing.T, url string) {
	ledgers := []*ledger.Ledger{open(t, url), open(t, url)}
	kinds := []struct {
		edit func(*l402.Debit)
		want int64
	}{{within(1, 30, 1, 7), 7}, {within(1, 30, 2, 5), 5}, {within(2, 11), 11}, {within(3, 9, 1, 4, 1, 3), 3}}
	served := make([]atomic.Int64, len(kinds))
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			kind := i % len(kinds)
			_, err := ledgers[i/len(kinds)%2].Spend(context.Background(), debit(1, kinds[kind].edit))
			if err == nil {
				served[kind].Add(1)
			} else if !errors.Is(err, l402.ErrBudgetExhausted) {
				t.Errorf("Spend: %v", err)
			}
		})
	}
	wg.Wait()
	for i, k := range kinds {
		if got := served[i].Load(); got != k.want {
			t.Errorf("kind %d: %d served, want %d", i, got, k.want)
		}
	}
	wantUsed(t, ledgers[0], 1, 26)
	for _, l := range ledgers {
		a, err := l.Account(t.Context(), hash(1))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(a.Branches, func(x, y l402.BranchUse) int { return slices.Compare(x.Branch[:], y.Branch[:]) })
		want := []l402.BranchUse{use(12, 1), use(7, 1, 1), use(5, 1, 2), use(11, 2), use(3, 3), use(3, 3, 1), use(3, 3, 1, 1)}
		if diff := cmp.Diff(want, a.Branches); diff != "" {
			t.Error(diff)
		}
	}
}

func lawBranchRefunds(t *testing.T, url string) {
	l := open(t, url)
	refund := func(r l402.Receipt) {
		t.Helper()
		if err := l.Refund(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	first := spend(t, l, debit(1, within(1, 2, 1, 1)))
	second := spend(t, l, debit(1, within(1, 2)))
	wantRefused(t, l, debit(1, within(1, 2)), l402.ErrBudgetExhausted)
	refund(second)
	refund(second) // counts once
	wantBranches(t, l, use(1, 1), use(1, 1, 1))
	third := spend(t, l, debit(1, within(1, 2)))
	refund(first)
	wantBranches(t, l, use(1, 1)) // a branch without credits in use is forgotten
	refund(first)
	refund(third)
	wantBranches(t, l)
	wantUsed(t, l, 1, 0)
	spend(t, l, debit(1, within(1, 2, 1, 1)))
	wantBranches(t, l, use(1, 1), use(1, 1, 1))
}

func lawBranchNames(t *testing.T, url string) {
	l := open(t, url)
	receipts := []l402.Receipt{spend(t, l, debit(1, named(1), within(1, 2)))}
	for range 3 {
		again := spend(t, l, debit(1, named(1), within(1, 2)))
		if again.Used != 1 || again.Branches[0].Used != 1 {
			t.Fatalf("the same request: %+v", again)
		}
		receipts = append(receipts, again)
	}
	spend(t, l, debit(1, named(1), within(2, 2))) // of another branch
	other := spend(t, l, debit(1, named(1)))      // of none
	wantUsed(t, l, 1, 3)
	wantBranches(t, l, use(1, 1), use(1, 2))
	for i, r := range receipts {
		wantBranches(t, l, use(1, 1), use(1, 2))
		if err := l.Refund(t.Context(), r); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	wantBranches(t, l, use(1, 2))
	if err := l.Refund(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	wantUsed(t, l, 1, 1)
	// A name is charged again after its minute, in the branch too.
	spend(t, l, debit(1, named(1), within(2, 2), at(noon.Add(time.Minute))))
	wantRefused(t, l, debit(1, named(1), within(2, 2), at(noon.Add(2*time.Minute))), l402.ErrBudgetExhausted)
}

// lawBranchBounds fills an account with branches at every level. The holder of a branch fills that one and no other.
func lawBranchBounds(t *testing.T, url string) {
	l := open(t, url)
	var last l402.Receipt
	for n := range 32 {
		last = spend(t, l, debit(1, within(n, 50)))
	}
	wantRefused(t, l, debit(1, within(99, 50)), l402.ErrTooManyBranches)
	for n := range 8 {
		spend(t, l, debit(1, within(7, 50, n, 40)))
	}
	wantRefused(t, l, debit(1, within(7, 50, 99, 40)), l402.ErrTooManyBranches)
	for n := range 4 {
		spend(t, l, debit(1, within(7, 50, 3, 40, n, 30)))
	}
	wantRefused(t, l, debit(1, within(7, 50, 3, 40, 99, 30)), l402.ErrTooManyBranches)
	wantRefused(t, l, debit(1, within(7, 50, 3, 40, 1, 30, 1, 20)), l402.ErrTooManyBranches) // too deep
	spend(t, l, debit(1, within(8, 50, 99, 40, 99, 30)))                                     // the neighbour has room
	spend(t, l, debit(1, within(7, 50)))                                                     // and what is there goes on
	if err := l.Refund(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	spend(t, l, debit(1, within(99, 50)))
	wantUsed(t, l, 1, 46)
}

func lawBranchesReopen(t *testing.T, url string) {
	l := open(t, url)
	r := spend(t, l, debit(1, within(1, 5, 2, 3)))
	spend(t, l, debit(1, within(1, 5)))
	for _, settled := range []bool{false, true} {
		if settled { // in SQLite this empties the log
			if _, err := l.Accounts(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, url)
		wantBranches(t, l, use(2, 1), use(1, 1, 2))
	}
	if err := l.Refund(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantBranches(t, l, use(1, 1))
	if n, err := l.Prune(t.Context(), end); err != nil || n != 1 {
		t.Fatalf("Prune: %d, %v", n, err)
	}
	wantRefused(t, l, debit(1, within(1, 5)), l402.ErrExpired)
}
