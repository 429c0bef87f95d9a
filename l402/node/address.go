package node

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"go.almanac.example/http402/netaddr"
)

// checkAddress returns the part of a node's address that precedes the path of a call. It requires TLS, because a header
// carries the credentials; with plain, the address may do without if its host is this machine or in a private network.
func checkAddress(address, example string, plain bool) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q is not a node address: use one like %s", hidden(address), example)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("node address %q must consist of a host, a port and perhaps a path", u.Redacted())
	case u.Scheme == "http" && !plain:
		return "", fmt.Errorf("node address %q must begin with https://, because each request carries the credentials", address)
	case u.Scheme == "http" && !IsPrivate(u.Hostname()):
		return "", fmt.Errorf("node address %q must begin with https:// or name this machine or a private network, because each request carries the password", address)
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// hidden returns an address without anything that may be a password.
func hidden(address string) string {
	if at := strings.LastIndex(address, "@"); at >= 0 {
		return "…" + address[at:]
	}
	return address
}

// IsPrivate reports whether a host is this machine, an address of a private network, or a name without a dot, as
// containers have.
func IsPrivate(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".")
	}
	ip = ip.Unmap() // one that embeds another address is no private network
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
}

// A guard keeps connections out of private networks if the first one went to the Internet: redirects and the addresses
// in answers are a stranger's then, and so are the names that resolve there.
type guard struct {
	first  sync.Once
	public bool
}

// control is the Control of a [net.Dialer].
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	internal := !netaddr.IsPublic(at.Addr())
	g.first.Do(func() { g.public = !internal })
	if internal && g.public {
		return fmt.Errorf("the service leads to %s, which is not on the Internet", at.Addr())
	}
	return nil
}
