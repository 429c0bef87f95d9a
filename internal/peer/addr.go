// Package peer tells clients apart by the networks that their requests come from, and limits each network: Limiter by
// requests a second, Queue by requests at one time. Challenges have a limiter of their own in package l402, because
// each holds an invoice of the node for a quarter of an hour and strangers have whole blocks of networks.
package peer

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"go.almanac.example/http402/netaddr"
)

// IsLoopback reports whether a host is a name or an address of this machine alone.
func IsLoopback(host string) bool {
	return netaddr.IsLoopback(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
}

type addrKey struct{}

// NewContext returns the context of a request that comes from addr.
func NewContext(ctx context.Context, addr netip.Addr) context.Context {
	return context.WithValue(ctx, addrKey{}, addr)
}

// FromContext returns the address that the request of ctx comes from; the zero Addr if that is not known.
func FromContext(ctx context.Context) netip.Addr {
	addr, _ := ctx.Value(addrKey{}).(netip.Addr)
	return addr
}

type nameKey struct{}

// WithName returns the context of a request that one of our own proxies gave a name.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// NameFrom returns the name that one of our own proxies gave the request of ctx, or "".
func NameFrom(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}

// IsProxy reports whether remote, the other end of a connection, is one of our own proxies.
func IsProxy(remote string, proxies []netip.Prefix) bool {
	return contains(proxies, parseAddr(remote))
}

// Addr returns the address that a request comes from. remote is the other end of the connection. Only when that is one
// of our own proxies does X-Forwarded-For count, read from its end: the last address that is not such a proxy is the
// client, and anything before it is the client's own claim.
func Addr(remote string, forwarded []string, proxies []netip.Prefix) netip.Addr {
	addr := parseAddr(remote)
	if !contains(proxies, addr) {
		return addr
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddr(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			return addr // the nearest proxy that we know
		}
		if addr = hop; !contains(proxies, addr) {
			return addr
		}
	}
	return addr
}

// parseAddr reads an address with or without a port, and one of IPv6 also in brackets. For anything else it returns the
// zero Addr.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	addr, _ := netip.ParseAddr(strings.Trim(s, "[]"))
	return addr.Unmap()
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// Network returns the network that addr belongs to, an IPv4 /24 or an IPv6 /48: an owner of one address of it usually
// has all of them. All invalid addresses belong to one network, the zero Prefix.
func Network(addr netip.Addr) netip.Prefix { return prefix(addr, 24, 48) }

// Block returns the block that addr's network belongs to, an IPv4 /16 or an IPv6 /32, the size that registries
// allocate: an owner of many networks usually has them in one block. All invalid addresses belong to one block, the
// zero Prefix.
func Block(addr netip.Addr) netip.Prefix { return prefix(addr, 16, 32) }

func prefix(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits) // the zero Prefix for an invalid address
	return p
}
