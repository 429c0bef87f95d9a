package l402

import (
	"net/netip"
	"strings"
)

// ClientAddr is the address a request comes from. peer is the other end of the connection. Only when that is a trusted proxy
// does X-Forwarded-For count, read from its end: the last address that is no trusted proxy is the client, and anything
// before it is the client's own claim.
func ClientAddr(peer string, forwarded []string, trusted []netip.Prefix) netip.Addr {
	addr := parseAddr(peer)
	if !isTrusted(addr, trusted) {
		return addr
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddr(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			return addr // the nearest proxy that we know
		}
		if addr = hop; !isTrusted(addr, trusted) {
			return addr
		}
	}
	return addr
}

// parseAddr reads an address with or without a port. The zero Addr is returned for anything else.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap()
}

func isTrusted(addr netip.Addr, trusted []netip.Prefix) bool {
	for _, p := range trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// Network is the network that addr belongs to, an IPv4 /24 or an IPv6 /48: whoever has one address of it usually has all. What is no
// address shares one.
func Network(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
