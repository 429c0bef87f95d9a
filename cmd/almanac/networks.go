package main

import (
	"fmt"
	"net/netip"
	"strings"
)

// networks is a flag: IP networks separated by commas.
type networks []netip.Prefix

// String returns the networks as Set takes them.
func (n *networks) String() string {
	var list []string
	for _, x := range *n {
		list = append(list, x.String())
	}
	return strings.Join(list, ",")
}

// Set reads networks, or single addresses, separated by commas.
func (n *networks) Set(s string) error {
	*n = nil
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if addr, aerr := netip.ParseAddr(item); aerr == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return fmt.Errorf("%q is not a network: write one such as 10.0.0.0/8, or a single address", item)
		}
		*n = append(*n, prefix.Masked())
	}
	return nil
}
