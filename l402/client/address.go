package client

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// ParseAddress reads an address as people type it on a command line. One without a scheme gets https, or http if its
// host is this machine: "localhost:8402/x" is a host with a port, as in curl.
func ParseAddress(text string) (*url.URL, error) {
	address := text
	if scheme, _, ok := strings.Cut(text, "://"); !ok || strings.ContainsAny(scheme, "/?#") {
		address = "https://" + text
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address like https://example.com/path", text)
	}
	if address != text && isLoopback(u.Hostname()) {
		u.Scheme = "http"
	}
	return u, nil
}

// Secure reports whether nobody between here and the address can read along: it is https, or this machine.
func Secure(u *url.URL) bool {
	return u.Scheme == "https" || isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
