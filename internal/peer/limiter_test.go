package peer

import (
	"net/netip"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// What is refused counts nowhere: not for the network, which waits no longer for having asked, and not for any other.
func TestRefusedCostsNothing(t *testing.T) {
	l := NewLimiter(1, 2, 10)
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
	for range 2 {
		if wait := l.Take(addr("198.51.100.1"), noon); wait != 0 {
			t.Fatalf("the burst of a network was used up by what another was refused: wait %s", wait)
		}
	}
	if wait := l.Take(addr("192.0.2.1"), noon.Add(time.Second)); wait != 0 {
		t.Fatalf("after the time it was told to wait: wait %s", wait)
	}
}

// Memory is bounded: the network not seen for longest is forgotten first.
func TestNetworksAreForgotten(t *testing.T) {
	l := NewLimiter(1e-9, 1, 2)
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
