package lnd_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/lnd"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
)

func TestLaw(t *testing.T) {
	f := newFake(t)
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: f.node(), Net: &chaincfg.SimNetParams, Now: f.now.Now,
		Break:   func() { f.set(func() { f.state = "LOCKED" }) },
		Mend:    func() { f.set(func() { f.state = "SERVER_ACTIVE" }); f.now.advance(time.Second) },
		Secrets: []string{f.macaroon},
	})
}

func TestRequest(t *testing.T) {
	// 64-bit numbers are strings in the JSON of protocol buffers.
	want := map[string]any{"value": "100", "memo": "100 requests", "expiry": "900", "private": true}
	f := newFake(t)
	if _, err := f.node().AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	f.set(func() { got = f.body })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestFaults breaks one thing at a time, wants the fault told apart, and the next call to work once it is mended.
func TestFaults(t *testing.T) {
	override := func(h http.HandlerFunc) func(*fake) {
		return func(f *fake) { f.override = h }
	}
	refused := func(status, code int, message string) func(*fake) {
		return override(func(w http.ResponseWriter, r *http.Request) { refuse(w, status, code, message) })
	}
	invoice := func(net *chaincfg.Params, msat int64, expiry, age time.Duration) func(*fake) {
		return func(f *fake) {
			f.invoices = func(w http.ResponseWriter, r *http.Request) {
				answer(w, bytes.Repeat([]byte{1}, 32), signInvoice(f.t, net, [32]byte(bytes.Repeat([]byte{1}, 32)), msat, "m", expiry, f.now.Now().Add(-age)))
			}
		}
	}
	quarter := 15 * time.Minute
	for _, test := range []struct {
		name   string
		edit   func(*fake)
		reason string
		advice string
	}{
		{"no wallet", func(f *fake) { f.state = "NON_EXISTING" }, lnd.ReasonNoWallet, "lncli create"},
		{"wallet locked", func(f *fake) { f.state = "LOCKED" }, lnd.ReasonLocked, "lncli unlock"},
		{"starting", func(f *fake) { f.state = "UNLOCKED" }, lnd.ReasonStarting, "wait"},
		{"standby", func(f *fake) { f.state = "WAITING_TO_START" }, lnd.ReasonStandby, "leading node"},
		{"RPC server not up yet", refused(503, 14, "connection error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:10009: connect: connection refused\""), lnd.ReasonStarting, "RPC server is not"},
		{"store not open yet", refused(500, 2, "cannot retrieve macaroon: cannot get macaroon: macaroon store is locked"), lnd.ReasonStarting, "wait"},
		{"RPC server gone", refused(499, 1, "grpc: the client connection is closing"), lnd.ReasonStarting, "stopping"},
		{"RPC server went", refused(503, 14, "error reading from server: EOF"), lnd.ReasonStarting, "stopping"},
		{"server exiting", refused(500, 2, "server is shutting down"), lnd.ReasonStarting, "stopping"},
		{"macaroon of another node", func(f *fake) { f.macaroon = "00" }, lnd.ReasonCredentials, "belongs to another node"},
		{"macaroon of a deleted root key", refused(500, 2, "cannot retrieve macaroon: cannot get macaroon: root key with id 7 doesn't exist"), lnd.ReasonCredentials, "root key"},
		{"macaroon that may not", refused(500, 2, "permission denied"), lnd.ReasonCredentials, "/lnrpc.Lightning/AddInvoice"},
		{"macaroon bound to an address", refused(500, 2, "caveat \"ipaddr 10.0.0.1\" not satisfied: macaroon locked to different IP address"), lnd.ReasonCredentials, "--ip_address"},
		{"macaroon that a proxy dropped", refused(500, 2, "expected 1 macaroon, got 0"), lnd.ReasonCredentials, "macaroon"},
		{"gateway timeout", refused(504, 4, "context deadline exceeded"), lnd.ReasonTimeout, "in time"},
		{"unknown refusal", refused(500, 2, "unable to lock the frobnicator"), lnd.ReasonRefused, "frobnicator"},
		{"not found", refused(404, 5, "Not Found"), lnd.ReasonRefused, "Not Found"},
		{"web server", override(http.NotFound), lnd.ReasonNotNode, "restlisten"},
		{"proxy whose node is away", override(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }), lnd.ReasonStarting, "in front"},
		{"redirect", override(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}), lnd.ReasonNotNode, "restlisten"},
		{"closes the connection", override(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), lnd.ReasonUnreachable, "broke"},
		{"garbage", override(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }), lnd.ReasonGarbled, "cannot be understood"},
		{"empty answer", override(func(http.ResponseWriter, *http.Request) {}), lnd.ReasonGarbled, "cannot be understood"},
		{"empty object", override(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "{}") }), lnd.ReasonGarbled, "cannot be understood"},
		{"wrong types", override(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"r_hash":5,"payment_request":[]}`) }), lnd.ReasonGarbled, "cannot be understood"},
		{"oversized answer", override(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat(" ", 1<<20)+"{}") }), lnd.ReasonGarbled, "524288"},
		{"half an answer", override(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		}), lnd.ReasonUnreachable, "broke"},
		{"no invoice", func(f *fake) {
			f.invoices = func(w http.ResponseWriter, r *http.Request) { answer(w, make([]byte, 32), "") }
		}, lnd.ReasonGarbled, "it has no invoice"},
		{"invoice of another network", func(f *fake) { f.net = &chaincfg.MainNetParams }, lnd.ReasonWrongInvoice, "simnet"},
		{"invoice of regtest", func(f *fake) { f.net = &chaincfg.RegressionNetParams }, lnd.ReasonWrongInvoice, "simnet"},
		{"less than asked", invoice(&chaincfg.SimNetParams, 99_999, quarter, 0), lnd.ReasonWrongInvoice, "100 sat"},
		{"more than asked", invoice(&chaincfg.SimNetParams, 100_001, quarter, 0), lnd.ReasonWrongInvoice, "100 sat"},
		{"expired", invoice(&chaincfg.SimNetParams, 100_000, quarter, time.Hour), lnd.ReasonWrongInvoice, "expired"},
		{"lives too long", invoice(&chaincfg.SimNetParams, 100_000, 24*time.Hour, 0), lnd.ReasonWrongInvoice, "longer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			accepted := f.macaroon
			f.set(func() { test.edit(f) })
			n := f.node()
			_, err := n.AddInvoice(t.Context(), invoicertest.Request())
			wantFault(t, f, err, test.reason, test.advice)
			f.now.advance(4 * time.Second)
			wantFault(t, f, n.Ready(t.Context()), test.reason, "")

			f.set(func() {
				f.state, f.net, f.macaroon = "SERVER_ACTIVE", &chaincfg.SimNetParams, accepted
				f.override, f.invoices = nil, nil
			})
			f.now.advance(4 * time.Second)
			if err := n.Ready(t.Context()); err != nil {
				t.Errorf("Ready when mended: %v", err)
			}
			if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
				t.Errorf("AddInvoice when mended: %v", err)
			}
		})
	}
}

func wantFault(t *testing.T, f *fake, err error, reason, advice string) {
	t.Helper()
	var fault *lnd.Error
	switch {
	case !errors.As(err, &fault) || !errors.Is(err, l402.ErrNodeUnavailable):
		t.Fatalf("error %v, want a Fault", err)
	case fault.Reason != reason:
		t.Errorf("reason %s, want %s (%v)", fault.Reason, reason, err)
	case !strings.Contains(err.Error(), advice):
		t.Errorf("error %q, want %q in it", err, advice)
	case strings.Contains(err.Error(), f.macaroon) && len(f.macaroon) > 2:
		t.Errorf("error %q shows the macaroon", err)
	}
}

// TestWrongServer points the node at what is not it.
func TestWrongServer(t *testing.T) {
	f := newFake(t)
	other, named, expired := newFake(t), newFake(t), newFake(t)
	named.TLS.Certificates = []tls.Certificate{named.newCert(time.Now().Add(time.Hour), "lnd.example")}
	expired.TLS.Certificates = []tls.Certificate{expired.newCert(time.Now().Add(-time.Hour), "127.0.0.1")}
	ssh := newFake(t)
	ssh.override = func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(conn, "SSH-2.0-OpenSSH_9.2p1\r\n")
		conn.Close()
	}
	plain := httptest.NewServer(f)
	defer plain.Close()
	for _, test := range []struct {
		name   string
		edit   func(*node.Settings)
		reason string
		advice string
	}{
		{"another node", func(c *node.Settings) { c.Address = other.URL }, lnd.ReasonTLS, "not the one in -lnd-cert"},
		{"certificate for another name", func(c *node.Settings) { c.Address, c.CertFile = named.URL, named.certFile }, lnd.ReasonTLS, "tlsextraip"},
		{"expired certificate", func(c *node.Settings) { c.Address, c.CertFile = expired.URL, expired.certFile }, lnd.ReasonTLS, "tlsautorefresh"},
		{"no TLS", func(c *node.Settings) { c.Address = strings.Replace(plain.URL, "http:", "https:", 1) }, lnd.ReasonNotNode, "TLS"},
		{"another protocol", func(c *node.Settings) { c.Address, c.CertFile = ssh.URL, ssh.certFile }, lnd.ReasonNotNode, "restlisten"},
		{"nobody", func(c *node.Settings) { c.Address = "https://" + nobody(t, plain) }, lnd.ReasonUnreachable, "start the node"},
		{"no such host", func(c *node.Settings) { c.Address = "https://" + strings.Repeat("n", 64) + ".invalid" }, lnd.ReasonUnreachable, "no address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.node(test.edit).AddInvoice(t.Context(), invoicertest.Request())
			wantFault(t, f, err, test.reason, test.advice)
		})
	}
	for _, o := range []*fake{f, other, named, expired} {
		if got := o.count("/v1/invoices"); got != 0 {
			t.Errorf("a server that is not the node saw %d requests", got)
		}
	}
}

// nobody gives an address at which nobody listens, and which nobody else gets while the test runs: the near end of a
// connection to a server.
func nobody(t *testing.T, s *httptest.Server) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().String()
}

// TestRedirect sees that the macaroon is not carried to where the answer points.
func TestRedirect(t *testing.T) {
	f := newFake(t)
	f.override = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, f.URL+"/elsewhere", http.StatusTemporaryRedirect)
	}
	_, err := f.node().AddInvoice(t.Context(), invoicertest.Request())
	wantFault(t, f, err, lnd.ReasonNotNode, "")
	if got := f.count("/elsewhere"); got != 0 {
		t.Errorf("followed the redirect")
	}
}

func TestTimeout(t *testing.T) {
	f := newFake(t)
	f.delay = make(chan struct{})
	defer close(f.delay)
	n := f.node(func(c *node.Settings) { c.Timeout = 50 * time.Millisecond })
	_, err := n.AddInvoice(t.Context(), invoicertest.Request())
	wantFault(t, f, err, lnd.ReasonTimeout, "50ms")

	// The fault is believed for a second, and the node left alone: it is the same one, and asking would give another.
	_, again := n.AddInvoice(t.Context(), invoicertest.Request())
	if again != err {
		t.Errorf("asked at once again: %v, want the fault that is known", again)
	}
	f.set(func() { f.delay = nil })
	for begin := time.Now(); err != nil; { // 50 ms may be too little for a busy machine, but not every time
		if time.Since(begin) > time.Minute {
			t.Fatalf("AddInvoice a second later: %v", err)
		}
		f.now.advance(time.Second)
		_, err = n.AddInvoice(t.Context(), invoicertest.Request())
	}
}

// TestPath asks a node below a path, as BTCPay Server has it, whose certificate is one of several.
func TestPath(t *testing.T) {
	f, other := newFake(t), newFake(t)
	f.Config.Handler = http.StripPrefix("/lnd-rest/btc", f)
	n := f.node(func(c *node.Settings) {
		c.Address += "/lnd-rest/btc/"
		var bundle []byte
		for _, file := range []string{other.certFile, f.certFile} {
			cert, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bundle = append(bundle, cert...)
		}
		c.CertFile = filepath.Join(t.TempDir(), "bundle")
		if err := os.WriteFile(c.CertFile, bundle, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Error(err)
	}
}

// TestCallerLeaves sees that a caller's end is not taken for the node's.
func TestCallerLeaves(t *testing.T) {
	f := newFake(t)
	f.delay = make(chan struct{})
	n := f.node()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := n.AddInvoice(ctx, invoicertest.Request())
		done <- err
	}()
	parttest.WaitUntil(t, "the node is asked", func() bool { return f.count("/v1/invoices") > 0 })
	cancel()
	err := <-done
	wantFault(t, f, err, lnd.ReasonCanceled, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v does not wrap context.Canceled", err)
	}
	f.set(func() { close(f.delay); f.delay = nil })
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Errorf("the next caller: %v", err)
	}
}

func TestReady(t *testing.T) {
	f := newFake(t)
	n := f.node()
	ready := func(want string, invoices, probes int) {
		t.Helper()
		err := n.Ready(t.Context())
		var fault *lnd.Error
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && (!errors.As(err, &fault) || fault.Reason != want) {
			t.Errorf("Ready: %s, want %q", got, want)
		}
		if got := f.count("/v1/invoices") - f.count("probe"); got != invoices {
			t.Errorf("%d invoices were asked for, want %d", got, invoices)
		}
		if got := f.count("probe"); got != probes {
			t.Errorf("%d probes, want %d", got, probes)
		}
	}
	ready("", 1, 0) // the first is proven by an invoice
	ready("", 1, 0) // known
	f.now.advance(3 * time.Second)
	ready("", 1, 1) // from then on without
	f.set(func() { f.state = "RPC_ACTIVE" })
	ready("", 1, 1)
	f.now.advance(3 * time.Second)
	ready(lnd.ReasonStarting, 1, 1)
	f.set(func() { f.state, f.net = "SERVER_ACTIVE", &chaincfg.MainNetParams })
	f.now.advance(3 * time.Second)
	ready("", 1, 2) // the probe cannot see the network
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err == nil {
		t.Error("took an invoice of another network")
	}
	ready(lnd.ReasonWrongInvoice, 2, 2)
	f.now.advance(3 * time.Second)
	ready(lnd.ReasonWrongInvoice, 3, 2) // so another invoice must prove it
	f.set(func() { f.net = &chaincfg.SimNetParams })
	f.now.advance(3 * time.Second)
	ready("", 4, 2)
	f.set(func() { f.state = "BOGUS" })
	f.now.advance(3 * time.Second)
	ready(lnd.ReasonGarbled, 4, 2)
}

// TestRotation changes what the node accepts and what the files hold, in both orders.
func TestRotation(t *testing.T) {
	f := newFake(t)
	n := f.node()
	add := func() error { _, err := n.AddInvoice(t.Context(), invoicertest.Request()); return err }
	if err := add(); err != nil {
		t.Fatal(err)
	}
	f.newMacaroon()
	if err := add(); err != nil {
		t.Errorf("new macaroon in place: %v", err)
	}

	f.set(func() { f.macaroon = "00" })
	wantFault(t, f, add(), lnd.ReasonCredentials, "")
	f.now.advance(time.Second)
	f.newMacaroon()
	if err := add(); err != nil {
		t.Errorf("new macaroon after the node refused the old: %v", err)
	}

	// The certificate: lnd comes back at the same address with another.
	f.CloseClientConnections()
	f.TLS.Certificates = []tls.Certificate{f.newCert(time.Now().Add(time.Hour), "127.0.0.1")}
	if err := add(); err != nil {
		t.Errorf("new certificate in place: %v", err)
	}

	// Files that are gone or being written leave the old ones in force.
	f.write(f.macFile, nil)
	f.set(func() { f.state = "LOCKED" })
	wantFault(t, f, add(), lnd.ReasonLocked, "")
	f.set(func() { f.state = "SERVER_ACTIVE" })
	f.now.advance(time.Second)
	if err := add(); err != nil {
		t.Errorf("with an empty macaroon file: %v", err)
	}
}

// TestRestart sees that a connection that died with the node does not cost the first caller after it.
func TestRestart(t *testing.T) {
	f := newFake(t)
	n := f.node()
	for range 3 {
		if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
			t.Fatal(err)
		}
		f.CloseClientConnections()
	}
}

func TestNew(t *testing.T) {
	f := newFake(t)
	empty := filepath.Join(t.TempDir(), "empty")
	f.write(empty, nil)
	hexFile := filepath.Join(t.TempDir(), "hex")
	f.write(hexFile, []byte(f.macaroon+"\n"))
	base64File := filepath.Join(t.TempDir(), "base64")
	binary, _ := hex.DecodeString(f.macaroon)
	f.write(base64File, []byte(base64.RawURLEncoding.EncodeToString(binary)+"\n"))
	for _, test := range []struct {
		name string
		edit func(*node.Settings)
		want string // "" means that it is accepted
	}{
		{"as it is", func(*node.Settings) {}, ""},
		{"final slash", func(c *node.Settings) { c.Address += "/" }, ""},
		{"macaroon in hex", func(c *node.Settings) { c.SecretFile = hexFile }, ""},
		{"macaroon of lndconnect", func(c *node.Settings) { c.SecretFile = base64File }, ""},
		{"no URL", func(c *node.Settings) { c.Address = "" }, "like https://localhost:8080"},
		{"no scheme", func(c *node.Settings) { c.Address = "localhost:8080" }, "like https://localhost:8080"},
		{"no TLS", func(c *node.Settings) { c.Address = "http://localhost:8080" }, "must begin with https://"},
		{"a query", func(c *node.Settings) { c.Address += "?x=y" }, "a host, a port"},
		{"a password", func(c *node.Settings) { c.Address = "https://u:secret@localhost" }, "a host, a port"},
		{"no network", func(c *node.Settings) { c.Network = "" }, "use one of mainnet, testnet, signet, simnet, regtest"},
		{"no certificate file", func(c *node.Settings) { c.CertFile = "nowhere" }, "certificate"},
		{"empty certificate", func(c *node.Settings) { c.CertFile = empty }, "tls.cert"},
		{"macaroon for certificate", func(c *node.Settings) { c.CertFile = f.macFile }, "tls.cert"},
		{"no macaroon file", func(c *node.Settings) { c.SecretFile = "nowhere" }, "macaroon"},
		{"empty macaroon", func(c *node.Settings) { c.SecretFile = empty }, "bakemacaroon"},
		{"certificate for macaroon", func(c *node.Settings) { c.SecretFile = f.certFile }, "bakemacaroon"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := f.config()
			test.edit(&cfg)
			n, err := lnd.New(cfg)
			switch {
			case test.want == "" && err != nil:
				t.Fatal(err)
			case test.want == "":
				if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
					t.Error(err)
				}
			case err == nil || !strings.Contains(err.Error(), test.want):
				t.Errorf("error %v, want %q in it", err, test.want)
			case strings.Contains(err.Error(), "secret"):
				t.Errorf("error %q shows the password", err)
			}
		})
	}
	if got := f.count("/v1/state"); got != 0 {
		t.Error("New called the node")
	}
}

// TestLog wants one line for each change, and the macaroon in none.
func TestLog(t *testing.T) {
	f := newFake(t)
	var log bytes.Buffer
	n := f.node(func(c *node.Settings) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	secrets := []string{f.macaroon}
	for _, state := range []string{"SERVER_ACTIVE", "SERVER_ACTIVE", "LOCKED", "LOCKED", "UNLOCKED", "SERVER_ACTIVE"} {
		f.set(func() { f.state = state })
		n.AddInvoice(t.Context(), invoicertest.Request())
		f.now.advance(3 * time.Second)
	}
	f.set(func() { f.macaroon = "00" })
	n.Ready(t.Context())
	f.now.advance(3 * time.Second)
	secrets = append(secrets, f.newMacaroon())
	n.Ready(t.Context())
	os.Remove(f.macFile)
	f.set(func() { f.macaroon = "00" })
	f.now.advance(3 * time.Second)
	n.Ready(t.Context())

	var got []string
	for line := range strings.Lines(log.String()) {
		_, rest, _ := strings.Cut(line, "msg=")
		got = append(got, strings.TrimSpace(strings.Split(rest, "error=")[0]))
	}
	want := []string{
		`"the Lightning node fails to create invoices" reason=locked`,
		`"the Lightning node fails to create invoices" reason=starting`,
		`"the Lightning node creates invoices again" after=starting`,
		`"the Lightning node fails to create invoices" reason=credentials`,
		`"loaded new credentials for the Lightning node"`,
		`"the Lightning node creates invoices again" after=credentials`,
		`"cannot reload the Lightning node's credentials; keeping the old ones"`,
		`"the Lightning node fails to create invoices" reason=credentials`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	for _, s := range secrets {
		if strings.Contains(log.String(), s) {
			t.Error("the log shows the macaroon")
		}
	}
}

// TestRights: a macaroon that may look invoices up is named in the log.
func TestRights(t *testing.T) {
	for _, mayLookUp := range []bool{false, true} {
		f := newFake(t)
		f.mayLookUp = mayLookUp
		var log bytes.Buffer
		if _, err := f.node(func(c *node.Settings) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) }).AddInvoice(t.Context(), invoicertest.Request()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "more than it needs"); got != mayLookUp {
			t.Errorf("may look up: %t; log: %s", mayLookUp, &log)
		}
	}
}
