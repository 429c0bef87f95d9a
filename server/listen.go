package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/server/ops"
)

// listeners are the addresses bound. One that is off is nil.
type listeners struct{ http, redirect, grpc, admin net.Listener }

// listen binds every address of cfg, so that a faulty one is reported before anything else happens.
func listen(ctx context.Context, cfg *Config, metrics *ops.Metrics) (listeners, error) {
	var all listeners
	grpc := cfg.GRPC
	if cfg.Payments.Backend == BackendOff {
		grpc = "" // paid search is all there is over gRPC
	}
	most := maxConnections(cfg.Memory)
	for _, l := range []struct {
		name, flag, addr string
		connections      int
		to               *net.Listener
	}{
		{"HTTP", "-http", cfg.HTTP, most * 3 / 4, &all.http},
		{"redirecting", "-redirect", cfg.TLS.RedirectFrom, most / 16, &all.redirect},
		{"gRPC", "-grpc", grpc, most / 8, &all.grpc},
		{"admin", "-admin", cfg.Admin, 32, &all.admin},
	} {
		if l.addr == "" {
			continue
		}
		bound, err := bind(ctx, l.addr)
		if err != nil {
			all.close()
			return listeners{}, fmt.Errorf("open the %s listener (%s): %w", l.name, l.flag, err)
		}
		warn := rate.Sometimes{Interval: time.Minute}
		*l.to = limitConnections(bound, l.connections, cfg.TrustedProxies, metrics.ConnectionRefused, func() {
			metrics.ConnectionsFull()
			warn.Do(func() {
				cfg.Log.Warn("a listener has all the connections that it may; the oldest of the network with most gives way: raise the limit of open files or of memory, or look for idle clients", "listener", l.name, "connections", l.connections)
			})
		})
	}
	return all, nil
}

// bind binds an address. Its error gives the reason and the remedy in one sentence.
func bind(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err == nil {
		return l, nil
	}
	remedy := "choose another address"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		remedy = "choose another address, or end the program that uses this one (each flag needs an address of its own)"
	case errors.Is(err, syscall.EACCES):
		remedy = "choose a port above 1023, or give the program the right to this one (CAP_NET_BIND_SERVICE)"
	}
	return nil, fmt.Errorf("%w; %s", err, remedy)
}

// connectionMemory is the memory of a connection with a large request, in bytes.
const connectionMemory = 32 << 10

// maxConnections returns the limit of open connections: as many as its file descriptors and a quarter of its memory
// allow. 0 bytes of memory are no limit. Further connections wait to be accepted.
func maxConnections(memory uint64) int {
	most := spareFiles()
	if memory > 0 {
		most = min(most, int(min(memory/4/connectionMemory, 1<<20)))
	}
	return max(most, 64)
}

// spareFiles returns the number of file descriptors left for clients after those reserved for ledger, node and data.
func spareFiles() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		files.Cur = 1024
	}
	const reserved = 256
	return max(int(min(files.Cur, 1<<20))-reserved, 64)
}

// httpAddress returns the HTTP listener's address with the host as configured and the port that was bound: localhost:0
// takes a free port.
func (l listeners) httpAddress(configured string) string {
	host, _, err := net.SplitHostPort(configured)
	_, port, perr := net.SplitHostPort(l.http.Addr().String())
	if err != nil || perr != nil {
		return configured
	}
	return net.JoinHostPort(host, port)
}

// close releases the addresses. Closing one that was served does no harm.
func (l listeners) close() {
	for _, l := range []net.Listener{l.http, l.redirect, l.grpc, l.admin} {
		if l != nil {
			l.Close()
		}
	}
}

// address returns the address of a listener, or "" when it is off.
func address(l net.Listener) string {
	if l == nil {
		return ""
	}
	return l.Addr().String()
}

// isLocalURL reports whether a URL names this machine.
func isLocalURL(s string) bool { return peer.IsLoopback(hostOf(s)) }

// A connectionLimiter is a listener with a limit of open connections. Beyond it, and beyond the share of a network, the oldest
// of the network that has most gives way: connections cost a client nothing, and an honest one has its answer soon. Those of this
// machine and of our own proxies, behind which others come, have no share and stay; if they are all, further ones wait.
type connectionLimiter struct {
	net.Listener  // at which connections beyond the limit wait
	most          int64
	open          atomic.Int64
	networks      *peer.Queue
	proxies       []netip.Prefix
	evicted, full func() // told of a connection that gave way, and of the limit
}

func limitConnections(l net.Listener, most int, proxies []netip.Prefix, evicted, full func()) net.Listener {
	return &connectionLimiter{Listener: netutil.LimitListener(l, most), most: int64(most), proxies: proxies, evicted: evicted, full: full,
		networks: peer.NewQueue(peer.QueueLimits{PerNetwork: max(most/4, 16)})}
}

// Accept implements net.Listener.
func (l *connectionLimiter) Accept() (net.Conn, error) {
	if l.open.Load() >= l.most {
		l.full()
		l.networks.Evict()
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	var share *peer.Place
	addr := peer.Addr(conn.RemoteAddr().String(), nil, nil)
	if !addr.IsLoopback() && !peer.IsProxy(conn.RemoteAddr().String(), l.proxies) {
		share = l.networks.EnterEvictable(peer.Network(addr), func() { l.evicted(); conn.Close() })
	}
	l.open.Add(1)
	return &limitedConn{conn, sync.OnceFunc(func() { share.Leave(); l.open.Add(-1) })}, nil
}

// A limitedConn is counted until it is closed.
type limitedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}

// paymentsText returns the state of payments for the log.
func paymentsText(c *catalog.Catalog) string {
	if c.Terms().Demo && c.Payments() == catalog.PaymentsLive {
		return "demo"
	}
	return [...]string{"off", "configured, but nothing can be sold now", "live"}[c.Payments()]
}

// memoryText returns a limit of memory for the log.
func memoryText(bytes uint64) string {
	if bytes == 0 || bytes >= math.MaxInt64 {
		return "not limited"
	}
	return humanize.IBytes(bytes)
}

// certificates are the certificates of the public listeners. Nil means no TLS.
type certificates struct {
	files   TLS
	pair    atomic.Pointer[tls.Certificate]
	manager *autocert.Manager
	expiry  func(time.Time) // receives the expiry of the certificate in use
}

// openCertificates reads the certificate, or prepares to obtain some by ACME and to store them below state.
func openCertificates(c TLS, state string, expiry func(time.Time)) (*certificates, error) {
	switch {
	case c.CertFile != "":
		certs := &certificates{files: c, expiry: expiry}
		return certs, certs.reload()
	case len(c.Hosts) > 0:
		return &certificates{expiry: expiry, manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(filepath.Join(state, "acme")),
			HostPolicy: autocert.HostWhitelist(c.Hosts...), Client: &acme.Client{DirectoryURL: c.Directory},
		}}, nil
	}
	return nil, nil
}

// reload reads the files again. When it fails, the certificate in use stays.
func (c *certificates) reload() error {
	if c == nil || c.manager != nil {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.files.CertFile, c.files.KeyFile)
	if fault, ok := errors.AsType[*fs.PathError](err); ok && fault.Path == c.files.KeyFile {
		err = fmt.Errorf("-tls-key needs the path of a file that can be read: %w", fault.Err) // not a key itself, which nobody should see
	}
	if err != nil {
		return fmt.Errorf("read the TLS certificate: %w; give the chain and the key that belongs to it, both as PEM", err)
	}
	c.pair.Store(&pair)
	c.expiry(pair.Leaf.NotAfter)
	return nil
}

// config returns the tls.Config of the public listeners.
func (c *certificates) config() *tls.Config {
	cfg := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil }}
	if c.manager != nil {
		cfg = c.manager.TLSConfig()
		cfg.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			pair, err := c.manager.GetCertificate(hello)
			if err == nil && pair.Leaf != nil && !slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
				c.expiry(pair.Leaf.NotAfter)
			}
			return pair, err
		}
	}
	cfg.MinVersion = tls.VersionTLS12
	return cfg
}

// redirect returns the handler of cleartext requests: it redirects them to the same path over HTTPS, and answers ACME's
// challenges (RFC 8555, section 8.3).
func (c *certificates) redirect(site catalog.Site) http.Handler {
	bases := make(map[string]string) // by host name
	for _, base := range []string{site.Base, site.API, site.MCP} {
		if u, err := url.Parse(base); err == nil && bases[u.Hostname()] == "" {
			bases[u.Hostname()] = catalog.Origin(base)
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		base, ok := bases[host]
		if !ok {
			base = catalog.Origin(site.Base) // never to wherever a request says
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, base+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
	if c.manager != nil {
		return c.manager.HTTPHandler(h)
	}
	return h
}
