package ledger_test

import (
	"testing"
	"time"

	"almanac/l402"
)

func named(name byte) func(*l402.Debit) {
	return func(d *l402.Debit) { d.Request = [16]byte{name} }
}

func lawNamed(t *testing.T, url string) {
	l := open(t, url)
	first := spend(t, l, debit(1, named(1)))
	if again := spend(t, l, debit(1, named(1))); again != first {
		t.Fatalf("the same request: %+v, want %+v", again, first)
	}
	if again := spend(t, open(t, url), debit(1, named(1))); again != first {
		t.Fatalf("the same request at another process: %+v, want %+v", again, first)
	}
	wantUsed(t, l, 1, 1)
	spend(t, l, debit(1, named(2)))
	spend(t, l, debit(1))
	spend(t, l, debit(1))
	wantUsed(t, l, 1, 4) // another name, and twice none
	spend(t, l, debit(2, named(1)))
	wantUsed(t, l, 2, 1) // a name is one of its account

	if err := l.Refund(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if again := spend(t, l, debit(1, named(1))); again.Serial == first.Serial {
		t.Fatal("a request whose credit was given back is not charged again")
	}
	wantUsed(t, l, 1, 4)
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
