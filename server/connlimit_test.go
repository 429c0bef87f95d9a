package server

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"go.almanac.example/internal/peer"
)

// arrivals is a listener whose connections come from given addresses.
type arrivals struct{ from []string }

func (a *arrivals) Accept() (net.Conn, error) {
	if len(a.from) == 0 {
		return nil, errors.New("no more")
	}
	c := &arrived{from: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(a.from[0]))}
	a.from = a.from[1:]
	return c, nil
}
func (a *arrivals) Close() error   { return nil }
func (a *arrivals) Addr() net.Addr { return nil }

type arrived struct {
	net.Conn
	from   net.Addr
	closed bool
}

func (c *arrived) RemoteAddr() net.Addr { return c.from }
func (c *arrived) Close() error         { c.closed = true; return nil }

// TestNetworkLimiter: a network gets its share of connections and no more, others get theirs, a connection that ends
// makes room for the next one once, and neither this machine nor a proxy is limited.
func TestNetworkLimiter(t *testing.T) {
	from := &arrivals{}
	refused, full := 0, 0
	l := limitConnections(from, 26, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, func() { refused++ }, func() { full++ })
	l.(*connectionLimiter).networks = peer.NewQueue(peer.QueueLimits{PerNetwork: 2})
	accept := func(addrs ...string) (got []net.Conn) {
		from.from = addrs
		for {
			c, err := l.Accept()
			if err != nil {
				return got
			}
			got = append(got, c)
		}
	}
	first := accept("203.0.113.1:1", "203.0.113.2:1", "203.0.113.3:1")
	if len(first) != 2 || refused != 1 {
		t.Fatalf("%d of one network were accepted and %d refused, want 2 and 1", len(first), refused)
	}
	if others := accept("198.51.100.1:1", "[2001:db8::1]:1", "[2001:db8:0:1::1]:1", "[2001:db8:1::1]:1"); len(others) != 4 {
		t.Errorf("%d of other networks were accepted, want 4", len(others))
	}
	if free := accept("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "10.1.1.1:1", "10.1.1.1:2", "10.1.1.1:3", "[::1]:1"); len(free) != 7 {
		t.Errorf("%d of this machine and of the proxy were accepted, want 7", len(free))
	}
	first[0].Close()
	first[0].Close()
	if again := accept("203.0.113.9:1", "203.0.113.9:2"); len(again) != 1 {
		t.Errorf("%d were accepted after one of two was closed, twice, want 1", len(again))
	}
	first[1].Close()
	last := accept("203.0.113.9:3")
	if len(last) != 1 {
		t.Fatal("there is no room after the second was closed")
	}
	if accept(slices.Repeat([]string{"127.0.0.1:4"}, 12)...); full != 0 {
		t.Errorf("full %d times with a place left", full)
	}
	from.from = []string{"127.0.0.1:5", "127.0.0.1:6"}
	if _, err := l.Accept(); err != nil || full != 0 {
		t.Errorf("the last place: full %d times, %v", full, err)
	}
	last[0].Close()
	if _, err := l.Accept(); err != nil || full != 0 {
		t.Errorf("a place that is free again: full %d times, %v", full, err)
	}
	time.AfterFunc(time.Millisecond, func() { l.Close() })
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) || full != 1 {
		t.Errorf("no place: full %d times, %v", full, err)
	}
}
