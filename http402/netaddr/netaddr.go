// Package netaddr tells addresses of this machine and of private networks from those of the Internet.
package netaddr

import (
	"net/netip"
	"slices"
	"strings"
)

// special are the blocks of the IANA special-purpose registries for which netip has no method, and those that embed
// another address, which nothing would judge.
var special = func() (blocks []netip.Prefix) {
	for _, block := range strings.Fields(`0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24
		203.0.113.0/24 240.0.0.0/4 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32
		2002::/16 3fff::/20 5f00::/16 fec0::/10`) {
		blocks = append(blocks, netip.MustParsePrefix(block))
	}
	return blocks
}()

// IsPublic reports whether an address is of the open Internet: not loopback, private, link-local, multicast or in
// another special block (RFC 6890).
func IsPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(special, func(block netip.Prefix) bool { return block.Contains(a) })
}

// IsLoopback reports whether a host is localhost or an address of this machine alone.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
