package ledger_test

import (
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/google/go-cmp/cmp"
)

// sold makes a debit one of an account that was sold for so much so many days after noon.
func sold(sats int64, days int) func(*l402.Debit) {
	return func(d *l402.Debit) {
		d.Sale = l402.Sale{Kind: l402.SalePaid, PriceSats: sats, At: noon.AddDate(0, 0, days)}
	}
}

var today = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

func wantSales(t *testing.T, l *ledger.Ledger, now time.Time, want ...l402.DayOfSales) {
	t.Helper()
	got, err := l.Sales(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if want == nil {
		want = []l402.DayOfSales{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func lawSales(t *testing.T, url string) {
	l := open(t, url)
	wantSales(t, l, noon)
	spend(t, l, debit(1, sold(100, 0)))
	spend(t, l, debit(1, sold(999, 5))) // of the same account: the first one counts
	a, err := l.Account(t.Context(), hash(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l402.Sale{Kind: l402.SalePaid, PriceSats: 100, At: noon}, a.Sale); diff != "" {
		t.Fatal(diff)
	}
	for range 3 {
		spend(t, l, debit(2, sold(200, 0)))
	}
	spend(t, l, debit(3, sold(100, 1)))
	spend(t, l, debit(4)) // nobody said for how much
	spend(t, l, debit(4, sold(100, 1)))
	if err := l.Revoke(t.Context(), hash(5), noon); err != nil { // never used: perhaps nobody bought it
		t.Fatal(err)
	}
	if err := l.Revoke(t.Context(), hash(3), noon); err != nil {
		t.Fatal(err)
	}
	unknown := l402.DayOfSales{SalesTotals: l402.SalesTotals{Accounts: 1, Credits: 100, Used: 2, OpenCredits: 98}}
	first := l402.DayOfSales{Day: today, Kind: l402.SalePaid, SalesTotals: l402.SalesTotals{Accounts: 2, Sats: 300, Credits: 200, Used: 5, OpenCredits: 195, OpenMilliSats: 98_000 + 194_000}}
	next := l402.DayOfSales{Day: today.AddDate(0, 0, 1), Kind: l402.SalePaid, SalesTotals: l402.SalesTotals{Accounts: 1, Sats: 100, Credits: 100, Used: 1}}
	wantSales(t, l, end.Add(-time.Second), unknown, first, next)
	first.OpenCredits, first.OpenMilliSats, unknown.OpenCredits = 0, 0, 0
	wantSales(t, l, end, unknown, first, next)
}

func lawSalesPruned(t *testing.T, url string) {
	l := open(t, url)
	later := func(d *l402.Debit) { d.ExpiresAt = end.Add(time.Hour) }
	for n := range 3 {
		spend(t, l, debit(n+1, sold(100, 0)))
	}
	spend(t, l, debit(4, sold(100, 0), later))
	if err := l.Reimburse(t.Context(), hash(2), noon); err != nil {
		t.Fatal(err)
	}
	want := l402.DayOfSales{
		Day: today, Kind: l402.SalePaid, SalesTotals: l402.SalesTotals{Accounts: 4, Sats: 400, Credits: 400, Used: 4,
			Reimbursed: 1, ReimbursedSats: 100, OpenCredits: 99, OpenMilliSats: 99_000},
	}
	wantSales(t, l, end, want)
	for i, before := range []time.Time{end, end, end.Add(time.Hour)} {
		if _, err := l.Prune(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			want.OpenCredits, want.OpenMilliSats = 0, 0
		}
		wantSales(t, l, end, want)
	}
	l.Close()
	wantSales(t, open(t, url), end, want)
}

func lawGrant(t *testing.T, url string) {
	l := open(t, url)
	g := l402.Account{Hash: hash(1), Credits: 10, ExpiresAt: end, Sale: l402.Sale{Kind: l402.SaleGranted, At: noon}}
	for range 2 {
		if err := l.Grant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		g.Credits = 1000 // a second grant changes nothing
	}
	g.Credits = 10
	a, err := l.Account(t.Context(), hash(1))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g, a); diff != "" {
		t.Fatal(diff)
	}
	granted := l402.DayOfSales{Day: today, Kind: l402.SaleGranted, SalesTotals: l402.SalesTotals{Accounts: 1, Credits: 10, OpenCredits: 10}}
	wantSales(t, l, noon, granted)
	for range 10 {
		spend(t, l, debit(1, sold(100, 0)))
	}
	wantRefused(t, l, debit(1, sold(100, 0)), l402.ErrExhausted)
	granted.Used, granted.OpenCredits = 10, 0
	wantSales(t, l, noon, granted)
	spend(t, l, debit(2, sold(100, 0)))
	g.Hash = hash(2)
	if err := l.Grant(t.Context(), g); err != nil { // not over what was bought
		t.Fatal(err)
	}
	if a, err := l.Account(t.Context(), hash(2)); err != nil || a.Sale.Kind != l402.SalePaid {
		t.Fatalf("%+v, %v", a, err)
	}
	if n, err := l.Prune(t.Context(), end); err != nil || n != 2 {
		t.Fatalf("Prune: %d, %v", n, err)
	}
}

func lawReimburse(t *testing.T, url string) {
	l := open(t, url)
	r := spend(t, l, debit(1, sold(100, 0)))
	for _, n := range []int{1, 2} { // 2 was never used
		for _, when := range []time.Time{noon, noon.Add(time.Hour)} {
			if err := l.Reimburse(t.Context(), hash(n), when); err != nil {
				t.Fatal(err)
			}
		}
		wantRefused(t, l, debit(n, sold(100, 0)), l402.ErrRevoked)
		a, err := l.Account(t.Context(), hash(n))
		if err != nil || !a.RevokedAt.Equal(noon) || !a.ReimbursedAt.Equal(noon) || a.Sale.PriceSats != 100 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if err := l.Refund(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, l, debit(1), l402.ErrRevoked)
	want := l402.DayOfSales{Day: today, Kind: l402.SalePaid, SalesTotals: l402.SalesTotals{Accounts: 2, Sats: 200, Credits: 200, Reimbursed: 2, ReimbursedSats: 200}}
	wantSales(t, l, noon, want)
	if err := l.Revoke(t.Context(), hash(3), noon); err != nil {
		t.Fatal(err)
	}
	if err := l.Reimburse(t.Context(), hash(3), noon.Add(time.Hour)); err != nil { // also what was revoked before
		t.Fatal(err)
	}
	a, err := l.Account(t.Context(), hash(3))
	if err != nil || !a.RevokedAt.Equal(noon) || !a.ReimbursedAt.Equal(noon.Add(time.Hour)) {
		t.Fatalf("%+v, %v", a, err)
	}
	wantRefused(t, l, debit(3), l402.ErrRevoked)
}
