package netaddr

import (
	"net/netip"
	"testing"
)

// TestPublic: the addresses of the special blocks are not of the Internet.
func TestPublic(t *testing.T) {
	for a, want := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "2606:4700::1111": true, "2a00:1450::1": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "172.32.0.1": true,
		"192.168.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "198.18.0.1": false,
		"192.0.2.1": false, "203.0.113.9": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false,
		"::1": false, "::": false, "fe80::1": false, "fc00::1": false, "fd12::1": false, "ff02::1": false, "fec0::1": false,
		"::ffff:10.0.0.1": false, "::ffff:1.1.1.1": true, "::10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false,
		"2001:db8::1": false, "2001::1": false,
	} {
		if got := IsPublic(netip.MustParseAddr(a)); got != want {
			t.Errorf("IsPublic(%s) = %t, want %t", a, got, want)
		}
	}
}
