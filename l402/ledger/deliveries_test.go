package ledger_test

import (
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

func named(name byte) func(*l402.Debit) {
	return func(d *l402.Debit) { d.Request = [16]byte{name} }
}

func lawNamed(t *testing.T, url string) {
	l := open(t, url)
	first := spend(t, l, debit(1, named(1)))
	if _, err := l.Accounts(t.Context()); err != nil { // in SQLite this empties the log
		t.Fatal(err)
	}
	for _, l := range []*ledger.Ledger{l, open(t, url)} { // in this process and in another
		if again := spend(t, l, debit(1, named(1))); again.Used != 1 || again.Serial == first.Serial {
			t.Fatalf("the same request: %+v after %+v", again, first)
		}
	}
	wantUsed(t, l, 1, 1)
	spend(t, l, debit(1, named(2)))
	spend(t, l, debit(1))
	spend(t, l, debit(1))
	wantUsed(t, l, 1, 4) // another name, and twice none
	spend(t, l, debit(2, named(1)))
	wantUsed(t, l, 2, 1) // a name is one of its account

	later := at(noon.Add(2 * time.Minute))
	spend(t, l, debit(1, named(3), later))
	spend(t, l, debit(1, named(2), later))
	wantUsed(t, l, 1, 6) // names are forgotten after a minute

	// The last credit can be named twice, and no more than the last.
	for i := range 94 {
		spend(t, l, debit(1, named(byte(100+i)), later))
	}
	wantRefused(t, l, debit(1, named(4), later), l402.ErrExhausted)
	spend(t, l, debit(1, named(193), later))
	wantUsed(t, l, 1, 100)
}

// A minute after it was charged a request is charged again, whatever came in between.
func lawNamesEnd(t *testing.T, url string) {
	l := open(t, url)
	spend(t, l, debit(1, named(1)))
	spend(t, l, debit(1, named(1), at(noon.Add(59*time.Second))))
	spend(t, l, debit(1, named(1), at(noon.Add(-59*time.Second)))) // by the clock of another machine
	wantUsed(t, l, 1, 1)
	spend(t, l, debit(1, named(1), at(noon.Add(time.Minute))))
	wantUsed(t, l, 1, 2)
}

// lawDeliveries refunds deliveries of one request in every order and from two processes: its credit goes back with the
// last of them, and stays taken when one was answered.
func lawDeliveries(t *testing.T, url string) {
	l, other := open(t, url), open(t, url)
	refund := func(l *ledger.Ledger, r l402.Receipt) {
		t.Helper()
		for range 2 { // again changes nothing
			if err := l.Refund(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		account, name := 1+i, named(byte(1+i))
		deliveries := []l402.Receipt{spend(t, l, debit(account, name)), spend(t, other, debit(account, name)), spend(t, l, debit(account, name))}
		refund(l, deliveries[order[0]])
		refund(other, deliveries[order[1]])
		wantUsed(t, l, account, 1) // the third may have been answered
		refund(l, deliveries[order[2]])
		wantUsed(t, other, account, 0)
		spend(t, l, debit(account, name))
		wantUsed(t, l, account, 1) // what was given back is charged again
		refund(l, deliveries[0])
		wantUsed(t, l, account, 1)
	}
}

// A receipt that was forgotten still gives back what was its alone, and never what it shared.
func lawForgotten(t *testing.T, url string) {
	l := open(t, url)
	alone := spend(t, l, debit(1, named(1)))
	shared := []l402.Receipt{spend(t, l, debit(1, named(2))), spend(t, l, debit(1, named(2)))}
	spend(t, l, debit(1, at(noon.Add(2*time.Minute))))
	wantUsed(t, l, 1, 3)
	for _, r := range append(shared, alone, alone) {
		if err := l.Refund(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	wantUsed(t, l, 1, 2)

	// More entries than are remembered: many names, delivered as often as they may be.
	shared = nil
	const names = 200
	many := func(d *l402.Debit) { d.Credits, d.Limit = 1000, 1000 }
	for i := range names {
		for range deliveries {
			shared = append(shared, spend(t, l, debit(2, many, named(byte(1+i)))))
		}
	}
	for _, r := range shared[:len(shared)-deliveries] { // not the last ones, which were answered
		if err := l.Refund(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	a, err := l.Account(t.Context(), hash(2))
	if err != nil || a.Used < 1 || a.Used > names {
		t.Fatalf("used %d, %v; want at least the one that was answered", a.Used, err)
	}
	spend(t, l, debit(2, many, named(byte(names+1))))
	wantUsed(t, l, 2, a.Used+1)
}

// deliveries is how often one request may be delivered.
const deliveries = 8

// lawRepeated delivers one request too often: it is refused until its minute is over, and costs one credit.
func lawRepeated(t *testing.T, url string) {
	l, other := open(t, url), open(t, url)
	var last l402.Receipt
	for range deliveries {
		last = spend(t, l, debit(1, named(1)))
		l, other = other, l
	}
	wantRefused(t, l, debit(1, named(1)), l402.ErrRepeated)
	wantRefused(t, other, debit(1, named(1), at(noon.Add(59*time.Second))), l402.ErrRepeated)
	wantUsed(t, l, 1, 1)
	if err := l.Refund(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	spend(t, l, debit(1, named(1))) // in place of the one that failed
	wantRefused(t, l, debit(1, named(1)), l402.ErrRepeated)
	spend(t, l, debit(1, named(2)))
	spend(t, l, debit(1, named(1), at(noon.Add(time.Minute))))
	wantUsed(t, l, 1, 3)
}

// lawAllNamed names every request of an account: none is forgotten within the minute, and each costs one credit.
func lawAllNamed(t *testing.T, url string) {
	l := open(t, url)
	for range 2 {
		for i := range 100 {
			spend(t, l, debit(1, named(byte(1+i))))
		}
		wantUsed(t, l, 1, 100)
	}
}
