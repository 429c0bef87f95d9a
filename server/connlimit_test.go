package server

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.almanac.example/internal/peer"
)

// arrivals is a listener whose connections come from given addresses.
type arrivals struct {
	from []string
	all  []*arrived
}

func (a *arrivals) Accept() (net.Conn, error) {
	if len(a.from) == 0 {
		return nil, errors.New("no more")
	}
	c := &arrived{from: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(a.from[0])), closed: make(chan struct{})}
	a.from, a.all = a.from[1:], append(a.all, c)
	return c, nil
}
func (a *arrivals) Close() error   { return nil }
func (a *arrivals) Addr() net.Addr { return nil }

type arrived struct {
	net.Conn
	from   net.Addr
	closed chan struct{}
	once   sync.Once
}

func (c *arrived) RemoteAddr() net.Addr { return c.from }
func (c *arrived) Close() error         { c.once.Do(func() { close(c.closed) }); return nil }

// TestNetworkLimiter: beyond its share of connections the oldest of a network gives way to the newest, and if all are taken the
// oldest of the network with most; a connection that ends lets one more in; those of this machine and of a proxy
// stay, and if they are all, others wait.
func TestNetworkLimiter(t *testing.T) {
	from := &arrivals{}
	evicted, full := 0, 0
	l := limitConnections(from, 16, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, func() { evicted++ }, func() { full++ })
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
	if len(first) != 3 || evicted != 1 {
		t.Fatalf("%d of one network were accepted and %d gave way, want 3 and 1", len(first), evicted)
	}
	<-from.all[0].closed
	first[0].Close() // as the server does
	first[0].Close()
	others := accept("198.51.100.1:1", "[2001:db8::1]:1", "[2001:db8:0:1::1]:1", "[2001:db8:1::1]:1")
	free := accept("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "10.1.1.1:1", "10.1.1.1:2", "10.1.1.1:3", "[::1]:1")
	if len(others) != 4 || len(free) != 7 || evicted != 1 || full != 0 {
		t.Fatalf("%d of other networks, %d of this machine and of the proxy were accepted, %d gave way, full %d times", len(others), len(free), evicted, full)
	}
	if last := accept("127.0.0.1:4", "127.0.0.1:5", "127.0.0.1:6"); len(last) != 3 || evicted != 2 || full != 1 {
		t.Errorf("%d took the last places, %d gave way, full %d times; want 3, 2 and 1", len(last), evicted, full)
	}
	<-from.all[1].closed // the oldest of the network with most

	from.from = []string{"127.0.0.1:1", "127.0.0.1:2"}
	l = limitConnections(from, 1, nil, func() { evicted++ }, func() { full++ })
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Millisecond, func() { l.Close() })
	if _, err := l.Accept(); err == nil || evicted != 2 || full != 2 {
		t.Errorf("no place: %v, %d gave way, full %d times", err, evicted, full)
	}
}
