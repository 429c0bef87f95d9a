package server

import (
	"net"
	"net/netip"
	"sync"

	"almanac/peer"
)

// A networkLimiter is a listener that holds each network to its share of the connections, so that one cannot take them all. What is over
// the share is closed at once. This machine and our own proxies, behind which others come, are not limited.
type networkLimiter struct {
	net.Listener
	share   int
	proxies []netip.Prefix
	refused func()

	mu   sync.Mutex
	open map[netip.Prefix]int
}

func limitNetworks(l net.Listener, share int, proxies []netip.Prefix, refused func()) net.Listener {
	return &networkLimiter{Listener: l, share: share, proxies: proxies, refused: refused, open: make(map[netip.Prefix]int)}
}

// Accept implements net.Listener.
func (l *networkLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr := peer.Addr(conn.RemoteAddr().String(), nil, nil)
		if addr.IsLoopback() || peer.IsProxy(conn.RemoteAddr().String(), l.proxies) {
			return conn, nil
		}
		network := peer.Network(addr)
		if l.enter(network) {
			return &limitedConn{Conn: conn, leave: sync.OnceFunc(func() { l.leave(network) })}, nil
		}
		l.refused()
		conn.Close()
	}
}

func (l *networkLimiter) enter(network netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[network] >= l.share {
		return false
	}
	l.open[network]++
	return true
}

func (l *networkLimiter) leave(network netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[network]--; l.open[network] == 0 {
		delete(l.open, network)
	}
}

// A limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
