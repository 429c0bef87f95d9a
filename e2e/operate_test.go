package e2e

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/server/servertest"
)

// TestTLS: with a certificate, HTTP and gRPC speak TLS and HTTP/2, and SIGHUP takes up a new one.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := x509.NewCertPool()
	pool.AddCert(servertest.WriteCertificate(t, cert, key))
	p := startServe(t, "-tls-cert", cert, "-tls-key", key)
	shown := func() *x509.Certificate {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
		res, err := client.Get(p.base + "/support.json")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK || res.Proto != "HTTP/2.0" {
			t.Errorf("status %d over %s", res.StatusCode, res.Proto)
		}
		return res.TLS.PeerCertificates[0]
	}
	if !strings.HasPrefix(p.base, "https://localhost:") {
		t.Errorf("the mirror says it is at %s", p.base)
	}
	shown()
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "localhost"})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := searchpb.NewSearchClient(conn).Search(t.Context(), &searchpb.SearchRequest{Q: "x402"}); status.Code(err) != codes.Code(402) {
		t.Errorf("gRPC over TLS: %v, want 402", err)
	}

	next := servertest.WriteCertificate(t, cert, key)
	pool.AddCert(next)
	p.signal(syscall.SIGHUP)
	p.waitLog(`"msg":"reloaded"`)
	if !shown().Equal(next) {
		t.Error("after SIGHUP the old certificate is shown")
	}
	if err := os.WriteFile(cert, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGHUP)
	p.waitLog("the certificate stays as it was")
	if !shown().Equal(next) {
		t.Error("a faulty certificate took the place of a good one")
	}
}

// TestPublicDemo holds that the demonstration is not made public by mistake, behind a proxy either, and says what it
// is.
func TestPublicDemo(t *testing.T) {
	for _, flag := range []string{"-base-url", "-api-url"} {
		cmd := command(t, "serve", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "", "-state", t.TempDir(), flag, "https://example.org")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "https://example.org is a public address") || !strings.Contains(string(out), "-demo-anywhere") {
			t.Errorf("%s: %v: %s", flag, err, out)
		}
	}
	p := startServe(t, "-base-url", "https://example.org", "-demo-anywhere")
	p.waitLog("payments are a demonstration")
	if !strings.Contains(p.logged(), `"payments":"demo"`) {
		t.Error("the log does not say that payments are a demonstration")
	}
	local := startServe(t)
	for _, path := range []string{"/", "/support.json", "/llms.txt", "/.well-known/l402", "/openapi.json"} {
		if _, body := local.get(path); !strings.Contains(body, "a demonstration: no money moves") {
			t.Errorf("%s does not say that payments are a demonstration", path)
		}
	}
	if status, body := local.get("/v1/search?q=x"); status != http.StatusPaymentRequired || !strings.Contains(body, `"demo":true`) {
		t.Errorf("the challenge does not say so: %s", body)
	}
}

// TestDrain: on SIGTERM, of which the log has one line, a request whose body is still coming is answered, with the end of
// its connection, and new connections are not taken.
func TestDrain(t *testing.T) {
	p := startServe(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(p.base, "http://"), len(body), body[:10])
	p.waitMetric("almanac_requests_in_flight 1")
	p.signal(syscall.SIGTERM)
	waitRefused(t, strings.TrimPrefix(p.base, "http://"))
	io.WriteString(conn, body[10:])
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("the request at hand was cut off: %v", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("status %d; the connection ends: %t", res.StatusCode, res.Close)
	}
	if status := p.wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if n := strings.Count(p.logged(), `"msg":"stopping`); n != 1 {
		t.Errorf("the log has %d lines about the end, want one: %s", n, p.logged())
	}
}

// TestSecondSignal: who cannot wait for the requests at hand sends the signal again.
func TestSecondSignal(t *testing.T) {
	p := startServe(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", strings.TrimPrefix(p.base, "http://"))
	p.waitMetric("almanac_requests_in_flight 1")
	p.signal(syscall.SIGTERM)
	waitRefused(t, strings.TrimPrefix(p.base, "http://"))
	ended := make(chan struct{})
	go func() { p.cmd.Wait(); close(ended) }()
	for waiting := true; waiting; {
		select {
		case <-ended:
			waiting = false
		case <-time.After(20 * time.Millisecond):
			p.cmd.Process.Signal(syscall.SIGTERM) // fails once it has ended
		}
	}
	if !p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("the second signal did not end the process: %s", p.cmd.ProcessState)
	}
}

// waitRefused waits until an address takes no new connections.
func waitRefused(t *testing.T, addr string) {
	t.Helper()
	servertest.WaitUntil(t, "new connections to "+addr+" are refused", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// TestOversized: what is too large is refused by its size, or the connection breaks, and the service goes on.
func TestOversized(t *testing.T) {
	p := startServe(t)
	ask := func(what, method, path, header string, body io.Reader, want int) {
		req, err := http.NewRequest(method, p.base+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Large", header)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return // refused while it was still being sent
		}
		defer res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: status %d, want %d", what, res.StatusCode, want)
		}
	}
	ask("64 KiB of headers", http.MethodGet, "/support.json", strings.Repeat("x", 64<<10), nil, http.StatusRequestHeaderFieldsTooLarge)
	ask("20 KiB of query", http.MethodGet, "/v1/search?q="+strings.Repeat("x", 20<<10), "", nil, http.StatusPaymentRequired)
	ask("64 MiB of body", http.MethodPost, "/mcp", "", io.LimitReader(zeros{}, 64<<20), http.StatusRequestEntityTooLarge)
	if status, _ := p.get("/support.json"); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// metrics gives the metrics of the process.
func (p *process) metrics() string {
	p.t.Helper()
	res, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// waitMetric waits until a line is among the metrics.
func (p *process) waitMetric(line string) {
	p.t.Helper()
	servertest.WaitUntil(p.t, "the metrics say "+line, func() bool { return strings.Contains(p.metrics(), line+"\n") })
}

// buy pays the demo for a credential, and gives the value of the Authorization header.
func (p *process) buy() string {
	p.t.Helper()
	credential, err := buyAt(http.DefaultClient, p.base, "")
	if err != nil {
		p.t.Fatal(err)
	}
	return credential
}

// buyAt pays the demo node for a credential of the service at base, as a client of the given network.
func buyAt(client *http.Client, base, from string) (string, error) {
	ask := func(method, path, body string, want int, to any) error {
		req, err := http.NewRequest(method, base+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("X-Forwarded-For", from)
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		if res.StatusCode != want {
			return fmt.Errorf("%s: status %d: %s", path, res.StatusCode, answer)
		}
		return json.Unmarshal(answer, to)
	}
	var c servertest.Challenge
	if err := ask(http.MethodGet, "/v1/search?q=macaroon", "", http.StatusPaymentRequired, &c); err != nil {
		return "", err
	}
	var paid struct{ Preimage string }
	if err := ask(http.MethodPost, "/demo/pay", fmt.Sprintf(`{"invoice":%q}`, c.Invoice), http.StatusOK, &paid); err != nil {
		return "", err
	}
	return "L402 " + c.Macaroon + ":" + paid.Preimage, nil
}
