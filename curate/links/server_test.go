package links

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

var loopback = netip.MustParseAddr("127.0.0.1")

// names is a name server on a loopback port. Without an entry a name below .test is 127.0.0.1, and every other name is
// unknown, so that no test can reach a real host.
type names struct {
	mu    sync.Mutex
	addrs map[string][]netip.Addr // an answer each time; the last one stays
}

func newNames(t *testing.T) (*names, *net.Resolver) {
	t.Helper()
	n := &names{addrs: make(map[string][]netip.Addr)}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply, err := n.answer(buf[:size]); err == nil {
				conn.WriteTo(reply, from)
			}
		}
	}()
	return n, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// set makes a name resolve to one address after the other, a look-up each.
func (n *names) set(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range addrs {
		n.addrs[name] = append(n.addrs[name], netip.MustParseAddr(a))
	}
}

func (n *names) answer(query []byte) ([]byte, error) {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil {
		return nil, err
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(q.Name.String(), ".")
	addr, known := n.next(name, q.Type == dnsmessage.TypeA)
	h.Response, h.RCode = true, dnsmessage.RCodeSuccess
	if !known {
		h.RCode = dnsmessage.RCodeNameError
	}
	b := dnsmessage.NewBuilder(nil, h)
	b.StartQuestions()
	b.Question(q)
	b.StartAnswers()
	if known && q.Type == dnsmessage.TypeA {
		b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, dnsmessage.AResource{A: addr.As4()})
	}
	return b.Finish()
}

func (n *names) next(name string, use bool) (netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, ok := n.addrs[name]
	if !ok {
		return loopback, strings.HasSuffix(name, ".test") && !strings.HasPrefix(name, "nowhere")
	}
	if use && len(list) > 1 {
		n.addrs[name] = list[1:]
	}
	return list[0], true
}

// testAttempts is how often testConfig requests a link.
const testAttempts = 2

// testConfig returns a configuration without long pauses, which may connect to this machine and has more time for an answer
// than a busy machine needs.
func testConfig(t *testing.T) (Config, *names) {
	n, resolver := newNames(t)
	return Config{
		UserAgent: "almanac-test/1.0 (+http://example.test/bot/)", Product: "almanac-test",
		Hosts: 16, Pace: time.Millisecond, Timeout: time.Minute, Attempts: testAttempts, Backoff: time.Millisecond,
		MaxWait: 1500 * time.Millisecond,
		Allow:   func(a netip.Addr) bool { return a == loopback }, Resolver: resolver,
	}, n
}

// serve starts a server and returns the port that it has on every .test host.
func serve(t *testing.T, h http.Handler) (port string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return portOf(s)
}

func portOf(s *httptest.Server) string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

// raw starts a server that need not speak HTTP: it calls say for each connection.
func raw(t *testing.T, say func(net.Conn)) (port string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				say(conn)
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(ln.Addr().String())
	return port
}

// nobody returns a port on which nothing listens and which nothing else gets while the test runs: it is the near end of a
// connection to somewhere else.
func nobody(t *testing.T) (port string) {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+raw(t, func(c net.Conn) { io.Copy(io.Discard, c) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_, port, _ = net.SplitHostPort(conn.LocalAddr().String())
	return port
}

// reset closes a connection so that the other side gets a reset.
func reset(conn net.Conn) {
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// trusted starts a TLS server with a certificate, and returns the pool that trusts it.
func trusted(t *testing.T, cert tls.Certificate, h http.Handler) (port string, pool *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	pool = x509.NewCertPool()
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(leaf)
	return portOf(s), pool
}
