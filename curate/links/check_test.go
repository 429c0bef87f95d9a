package links

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/catalog"
)

var quiet = log.New(io.Discard, "", 0)

// zeros is an endless body of nothing.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// misbehaving is one server that misbehaves in every way HTTP allows, a path each.
func misbehaving() *http.ServeMux {
	mux := http.NewServeMux()
	var flaky, limited atomic.Int32
	handle := func(path string, f http.HandlerFunc) { mux.HandleFunc(path, f) }
	handle("/ok", func(w http.ResponseWriter, r *http.Request) {})
	handle("/gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusGone) })
	handle("/teapot", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	handle("/only-get", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	handle("/head-lies", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	handle("/head-hangs-up", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			panic(http.ErrAbortHandler)
		}
	})
	handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		io.Copy(w, zeros{})
	})
	handle("/flaky", func(w http.ResponseWriter, r *http.Request) {
		if flaky.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	handle("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	handle("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusMovedPermanently) })
	handle("/elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	handle("/to-gone", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/gone", http.StatusFound) })
	handle("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop2", http.StatusFound) })
	handle("/loop2", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	handle("/deeper/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x/", http.StatusTemporaryRedirect)
	})
	handle("/to-file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	handle("/no-location", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusFound) })
	handle("/wait", func(w http.ResponseWriter, r *http.Request) {
		if limited.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	handle("/wait-long", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	handle("/headers", func(w http.ResponseWriter, r *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1<<10))
		}
	})
	return mux
}

func TestCheck(t *testing.T) {
	port := serve(t, misbehaving())
	breaks := raw(t, reset)
	babble := raw(t, func(c net.Conn) {
		c.Read(make([]byte, 4096)) // to be asked first: what comes before the question is an end of the connection, not an answer
		io.WriteString(c, "SSH-2.0-nobody\r\n\x00\x1b[2J")
	})
	odd := raw(t, func(c net.Conn) {
		if b := make([]byte, 4096); true {
			c.Read(b)
		}
		io.WriteString(c, "HTTP/1.1 999 Go away\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	tests := []struct {
		name, url, kind string
		status          int
		detail          string // a part of it
	}{
		{"ok", "http://a.test:{port}/ok", "", 200, ""},
		{"gone", "http://a.test:{port}/gone", "status", 410, "410 Gone"},
		{"not found", "http://a.test:{port}/nothing", "status", 404, "404 Not Found"},
		{"teapot", "http://a.test:{port}/teapot", "status", 418, ""},
		{"HEAD not allowed", "http://a.test:{port}/only-get", "", 200, ""},
		{"HEAD says 404", "http://a.test:{port}/head-lies", "", 200, ""},
		{"HEAD hangs up", "http://a.test:{port}/head-hangs-up", "", 200, ""},
		{"endless body", "http://a.test:{port}/endless", "", 200, ""},
		{"once 502", "http://a.test:{port}/flaky", "", 200, ""},
		{"slow", "http://127.0.0.1:{port}/slow", "timeout", 0, "no answer in time"},
		{"moved", "http://a.test:{port}/moved", "moved", 200, "/ok"},
		{"elsewhere", "http://a.test:{port}/elsewhere", "", 200, ""},
		{"redirect to gone", "http://a.test:{port}/to-gone", "status", 410, "after 1 redirect, at"},
		{"loop", "http://a.test:{port}/loop", "redirect", 302, "in a circle"},
		{"endless redirects", "http://a.test:{port}/deeper/", "redirect", 307, "too often"},
		{"redirect to a file", "http://a.test:{port}/to-file", "redirect", 302, "not an address that can be requested"},
		{"redirect to nowhere", "http://a.test:{port}/no-location", "redirect", 302, "without an address to go to"},
		{"429 once", "http://b.test:{port}/wait", "", 200, ""},
		{"429 for an hour", "http://c.test:{port}/wait-long", "later", 0, "asks for no requests until"},
		{"huge headers", "http://a.test:{port}/headers", "protocol", 0, "header"},
		{"no such host", "http://nowhere.test/", "dns", 0, "no such host: nowhere.test"},
		{"reset", "http://a.test:{breaks}/", "reset", 0, ""},
		{"no HTTP", "http://a.test:{babble}/", "protocol", 0, "malformed HTTP"},
		{"status 999", "http://a.test:{odd}/", "protocol", 999, "999"},
		{"refused", "http://a.test:{closed}/", "refused", 0, ""},
		{"literal private address", "http://10.0.0.1/", "private", 0, "10.0.0.1"},
		{"literal loopback", "http://[::1]/", "private", 0, "::1"},
	}
	ports := strings.NewReplacer("{port}", port, "{breaks}", breaks, "{babble}", babble, "{odd}", odd, "{closed}", nobody(t))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := testConfig(t)
			if tt.kind == kindTimeout {
				cfg.Timeout = 300 * time.Millisecond // of an address without a name, whose look-up could be what is late
			}
			o := New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: ports.Replace(tt.url)}, testAttempts)
			if o.Kind != tt.kind || o.Status != tt.status || !strings.Contains(o.Detail, tt.detail) {
				t.Errorf("got kind %q, status %d, detail %q; want %q, %d, …%s…", o.Kind, o.Status, o.Detail, tt.kind, tt.status, tt.detail)
			}
			if strings.ContainsAny(o.Detail, "\n\r\x1b\x00") {
				t.Errorf("detail is not one clean line: %q", o.Detail)
			}
			if _, ok := catalog.LinkFindingKinds[o.Kind]; !ok && o.Kind != "" {
				t.Errorf("kind %q is not in the catalogue's table", o.Kind)
			}
		})
	}
}

// selfSigned returns a certificate for a name and a span of time.
func selfSigned(t *testing.T, name string, from, to time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: from, NotAfter: to, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestTLSFaultsAreToldApart(t *testing.T) {
	now := time.Now()
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	good, goodPool := trusted(t, selfSigned(t, "good.test", now.Add(-time.Hour), now.Add(time.Hour)), ok)
	old, oldPool := trusted(t, selfSigned(t, "old.test", now.AddDate(-2, 0, 0), now.AddDate(-1, 0, 0)), ok)
	plain := serve(t, ok)
	mute := raw(t, func(c net.Conn) { c.Read(make([]byte, 512)); c.Write([]byte{21, 3, 3, 0, 2, 2, 40}) })
	tests := []struct {
		name, url    string
		roots        *x509.CertPool
		kind, detail string
	}{
		{"good", "https://good.test:" + good, goodPool, "", ""},
		{"other name", "https://evil.test:" + good, goodPool, "tls", "not for the name evil.test"},
		{"expired", "https://old.test:" + old, oldPool, "tls", "valid from"},
		{"unknown authority", "https://good.test:" + good, x509.NewCertPool(), "tls", "unknown authority"},
		{"no TLS", "https://a.test:" + plain, nil, "tls", "TLS"},
		{"handshake refused", "https://a.test:" + mute, nil, "tls", "handshake"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, _ := testConfig(t)
			cfg.Roots = tt.roots
			o := New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: tt.url}, testAttempts)
			if o.Kind != tt.kind || !strings.Contains(o.Detail, tt.detail) {
				t.Errorf("got %q, %q; want %q, …%s…", o.Kind, o.Detail, tt.kind, tt.detail)
			}
			if tt.kind != "" && (o.Status != 0 || o.Answered()) {
				t.Errorf("a status of %d was invented", o.Status)
			}
		})
	}
}

func TestRobots(t *testing.T) {
	tests := []struct {
		name   string
		robots http.HandlerFunc
		path   string
		kind   string
	}{
		{"none", http.NotFound, "/a", ""},
		{"forbidden to look at", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }, "/a", ""},
		{"broken", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "/a", "robots"},
		{"all closed", robotsTxt("User-agent: *\nDisallow: /\n"), "/a", "robots"},
		{"closed to us", robotsTxt("User-agent: Almanac-Test\nDisallow: /\n\nUser-agent: *\nAllow: /\n"), "/a", "robots"},
		{"open to us alone", robotsTxt("User-agent: *\nDisallow: /\n\nUser-agent: almanac-test\nAllow: /\n"), "/a", ""},
		{"another path closed", robotsTxt("User-agent: *\nDisallow: /b\n"), "/a", ""},
		{"query closed", robotsTxt("User-agent: *\nDisallow: /*?tab=\n"), "/a?tab=1", "robots"},
		{"a page instead", robotsTxt("<!doctype html><title>Hello</title>"), "/a", ""},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/r2", http.StatusFound) }, "/a", "robots"},
		{"gzip bomb", bomb, "/a", ""},
		{"endless", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, zeros{}) }, "/a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			mux := http.NewServeMux()
			mux.HandleFunc("/robots.txt", tt.robots)
			mux.HandleFunc("/r2", robotsTxt("User-agent: *\nDisallow: /\n"))
			mux.HandleFunc("/a", func(http.ResponseWriter, *http.Request) { asked.Add(1) })
			cfg, _ := testConfig(t)
			o := New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: "http://a.test:" + serve(t, mux) + tt.path}, testAttempts)
			if o.Kind != tt.kind {
				t.Errorf("kind %q (%s), want %q", o.Kind, o.Detail, tt.kind)
			}
			if n := asked.Load(); (tt.kind == "robots") != (n == 0) {
				t.Errorf("the page was requested %d times", n)
			}
		})
	}
}

func robotsTxt(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
}

// bomb is a gigabyte of nothing in a megabyte.
func bomb(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	io.CopyN(z, zeros{}, 1<<30)
	z.Close()
}

// A redirect or a name that changes cannot lead the checker inside. 127.0.0.1 plays the open Internet here, and
// 127.0.0.2 the inside.
func TestNothingPrivateIsReached(t *testing.T) {
	var inside atomic.Int32
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("no 127.0.0.2 on this machine:", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) })}
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	outside := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that every request looks the name up
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/name":
			http.Redirect(w, r, "http://inside.test:"+port+"/", http.StatusFound)
		case "/literal":
			http.Redirect(w, r, "http://127.0.0.2:"+port+"/", http.StatusFound)
		}
	}))
	for _, tt := range []struct{ name, url string }{
		{"by name", "http://inside.test:" + port + "/"},
		{"by number", "http://127.0.0.2:" + port + "/"},
		{"after a redirect to a name", "http://outside.test:" + outside + "/name"},
		{"after a redirect to a number", "http://outside.test:" + outside + "/literal"},
		{"after the name changed", "http://turncoat.test:" + outside + "/"},
		{"as a mapped number", "http://[::ffff:127.0.0.2]:" + port + "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, names := testConfig(t)
			names.set("inside.test", "127.0.0.2")
			names.set("turncoat.test", "127.0.0.1", "127.0.0.2")
			o := New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: tt.url}, testAttempts)
			if o.Kind != kindPrivate || !strings.Contains(o.Detail, "127.0.0.2") {
				t.Errorf("got %q, %q; want it refused with the address", o.Kind, o.Detail)
			}
		})
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("the inside was reached %d times", n)
	}
}

// One host never gets two requests at once or within the pace, from any caller, and learns who makes them.
func TestPaceAndName(t *testing.T) {
	const pace = 20 * time.Millisecond
	var mu sync.Mutex
	var times []time.Time
	agents := make(map[string]bool)
	var under atomic.Int32
	port := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := under.Add(1); n != 1 {
			t.Errorf("%d requests at once", n)
		}
		<-time.After(2 * pace) // so that the next one would come meanwhile
		under.Add(-1)
		mu.Lock()
		defer mu.Unlock()
		times = append(times, time.Now())
		agents[r.UserAgent()] = true
	}))
	cfg, _ := testConfig(t)
	cfg.Pace = pace
	c := New(cfg)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			c.check(t.Context(), catalog.Address{Record: "x", URL: fmt.Sprintf("http://a.test:%s/%d", port, i)}, testAttempts)
		})
	}
	wg.Wait()
	if len(times) != 11 {
		t.Errorf("%d requests, want 10 and robots.txt", len(times))
	}
	// The times are those of arrival, so two may be closer than they were sent; the whole may not.
	if took := times[len(times)-1].Sub(times[0]); took < 9*pace {
		t.Errorf("%d requests took %s, want at least %s", len(times), took, 9*pace)
	}
	if len(agents) != 1 || !agents[cfg.UserAgent] {
		t.Errorf("user agents %v", agents)
	}
}

func TestRoundEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	port := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			cancel()
			<-r.Context().Done()
		}
	}))
	cfg, _ := testConfig(t)
	c := New(cfg)
	err := visit(ctx, c.cfg, []catalog.Address{{Record: "x", URL: "http://a.test:" + port}}, c.check, func(o Observation) { t.Errorf("an observation was made up: %+v", o) })
	if err == nil {
		t.Error("the round does not say that it was broken off")
	}
}

// TestFurtherAttemptsAreGET: only the first attempt asks for the head of an answer.
func TestFurtherAttemptsAreGET(t *testing.T) {
	var methods []string
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", http.NotFound)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	cfg, _ := testConfig(t)
	New(cfg).check(t.Context(), catalog.Address{Record: "x", URL: "http://a.test:" + serve(t, mux)}, 3)
	if want := []string{http.MethodHead, http.MethodGet, http.MethodGet}; !slices.Equal(methods, want) {
		t.Errorf("requests %q, want %q", methods, want)
	}
}

// TestUnknownNameIsFinal: a name that does not exist is not asked for again; a name server that fails is.
func TestUnknownNameIsFinal(t *testing.T) {
	for _, notFound := range []bool{true, false} {
		err := fmt.Errorf("fetch: %w", &net.DNSError{Name: "nowhere.example", IsNotFound: notFound})
		if mayPass(err) == notFound {
			t.Errorf("%v may pass: %v", err, !notFound)
		}
	}
}
