package server

import (
	"context"
	"net"
	"net/netip"

	"almanac/peer"
)

// A networkLimiter is a listener that limits each network to its share of the connections, so that one cannot take them all. It
// closes connections over the share at once. This machine and our own proxies, behind which others come, are not limited.
type networkLimiter struct {
	net.Listener
	open    *peer.Queue
	proxies []netip.Prefix
	refused func()
}

func limitNetworks(l net.Listener, share int, proxies []netip.Prefix, refused func()) net.Listener {
	return &networkLimiter{l, peer.NewQueue(peer.QueueLimits{PerNetwork: share}), proxies, refused}
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
		if place := l.open.Enter(context.Background(), peer.Network(addr)); place != nil {
			return &limitedConn{conn, place}, nil
		}
		l.refused()
		conn.Close()
	}
}

// A limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn
	place *peer.Place
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	c.place.Leave()
	return c.Conn.Close()
}
