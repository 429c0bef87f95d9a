package peer

import (
	"net/netip"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newLimiter(t *testing.T, limits Limits) *Limiter {
	t.Helper()
	l, err := NewLimiter(limits)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// What is refused counts nowhere: not for the network, when all together are over, and not for all, when the network is.
func TestRefusedCostsNothing(t *testing.T) {
	l := newLimiter(t, Limits{Rate: 1, Burst: 2, Networks: 10, OverallRate: 1e-9, OverallBurst: 3})
	for range 2 {
		if wait := l.Take(addr("192.0.2.1"), noon); wait != 0 {
			t.Fatalf("within the burst: wait %s", wait)
		}
	}
	for range 10 {
		if wait := l.Take(addr("192.0.2.9"), noon); wait != time.Second {
			t.Fatalf("over its own limit: wait %s, want 1s each time", wait)
		}
	}
	if wait := l.Take(addr("198.51.100.1"), noon); wait != 0 {
		t.Fatalf("the overall limit was used up by what was refused: wait %s", wait)
	}
	if l.Take(addr("203.0.113.1"), noon) < time.Hour {
		t.Fatal("the fourth of three was given")
	}
	l.overall = nil
	for range 2 {
		if wait := l.Take(addr("203.0.113.1"), noon); wait != 0 {
			t.Fatalf("the network's burst was used up by what was refused: wait %s", wait)
		}
	}
}

// Memory is bounded: the network not seen for longest is forgotten first.
func TestNetworksAreForgotten(t *testing.T) {
	l := newLimiter(t, Limits{Rate: 1e-9, Burst: 1, Networks: 2})
	for _, a := range []string{"192.0.2.1", "198.51.100.1", "203.0.113.1"} {
		if l.Take(addr(a), noon) != 0 {
			t.Errorf("%s was refused", a)
		}
	}
	if l.Networks() != 2 {
		t.Errorf("%d networks are remembered, want 2", l.Networks())
	}
	if l.Take(addr("203.0.113.77"), noon) == 0 {
		t.Error("the network seen last was forgotten")
	}
	if l.Take(addr("192.0.2.1"), noon) != 0 {
		t.Error("the network seen first was remembered")
	}
}
