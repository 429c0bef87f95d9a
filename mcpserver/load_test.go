package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/peer"
)

// The load test serves over the network, on loopback, whose addresses stand for clients: 127.a.b.1
// is a client of the network 127.a.b.0/24.

// clientFrom returns a client that calls from an address.
func clientFrom(t testing.TB, addr string, h2 bool) *http.Client {
	t.Helper()
	d := &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 0))}
	tr := &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 64, Protocols: new(http.Protocols)}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetUnencryptedHTTP2(h2)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: callTimeout}
}

// serveLoad serves an endpoint as the program does, and returns its address.
func serveLoad(t testing.TB, s http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.ServeHTTP(w, r.WithContext(peer.NewContext(r.Context(), peer.Addr(r.RemoteAddr, nil, nil))))
		}), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 60 * time.Second,
		Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 250},
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	return "http://" + l.Addr().String() + "/mcp"
}

// An outcome counts the results of some clients' calls.
type outcome struct {
	mu    sync.Mutex
	took  []time.Duration
	fails map[string]int
}

func (o *outcome) record(took time.Duration, fail string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.took = append(o.took, took)
	if fail != "" {
		if o.fails == nil {
			o.fails = make(map[string]int)
		}
		o.fails[fail]++
	}
}

// answered returns the share of calls that were answered.
func (o *outcome) answered() float64 {
	failed := 0
	for _, n := range o.fails {
		failed += n
	}
	return 1 - float64(failed)/float64(max(1, len(o.took)))
}

// percentile returns the p-th percentile of the time taken.
func (o *outcome) percentile(p int) time.Duration {
	if len(o.took) == 0 {
		return 0
	}
	slices.Sort(o.took)
	return o.took[len(o.took)*p/100]
}

// call sends one message, reads the answer and records it.
func (o *outcome) call(ctx context.Context, c *http.Client, url, message string) {
	start := time.Now()
	fail := func() string {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := c.Do(r)
		if err != nil {
			return fmt.Sprintf("%T", err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode >= 300 {
			return res.Status
		}
		return ""
	}()
	if fail == "" || ctx.Err() == nil {
		o.record(time.Since(start), fail)
	}
}

// An attack makes requests from a few addresses until its context ends.
type attack struct {
	t     testing.TB
	url   string
	wg    sync.WaitGroup
	began time.Time
}

// halves keeps n half requests open over HTTP/1.1.
func (a *attack) halves(ctx context.Context, from string, n int) {
	d := &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	host := strings.TrimSuffix(strings.TrimPrefix(a.url, "http://"), "/mcp")
	for range n {
		a.wg.Go(func() {
			for first := true; ctx.Err() == nil; first = false {
				conn, err := d.DialContext(ctx, "tcp", host)
				if err != nil {
					return
				}
				if !first {
					a.pause(ctx)
				}
				stop := context.AfterFunc(ctx, func() { conn.Close() })
				fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
				io.Copy(io.Discard, conn) // until the server gives up
				stop()
				conn.Close()
			}
		})
	}
}

// halfStreams keeps n half requests open over each of some HTTP/2 connections.
func (a *attack) halfStreams(ctx context.Context, from string, conns, n int) {
	for range conns {
		c := clientFrom(a.t, from, true)
		for range n {
			a.wg.Go(func() {
				for ctx.Err() == nil {
					body, w := io.Pipe()
					go w.Write([]byte("{"))
					r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, body)
					if err != nil {
						return
					}
					r.Header.Set("Content-Type", "application/json")
					if res, err := c.Do(r); err == nil {
						io.Copy(io.Discard, res.Body)
						res.Body.Close()
					}
					w.Close()
					a.pause(ctx)
				}
			})
		}
	}
}

// wave is a little longer than a half request may last.
const wave = 3500 * time.Millisecond

// pause waits for the next wave: half requests that begin together leave no places to others until they end, and those
// that were refused would take the processors.
func (a *attack) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(wave - time.Since(a.began)%wave):
	}
}

// slowReaders ask for the largest answers and do not read them.
func (a *attack) slowReaders(ctx context.Context, from string, n int) {
	d := &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	host := strings.TrimSuffix(strings.TrimPrefix(a.url, "http://"), "/mcp")
	b := body(false, "resources/read", `"uri":"library://changes/latest.md"`)
	for range n {
		a.wg.Go(func() {
			conn, err := d.DialContext(ctx, "tcp", host)
			if err != nil {
				return
			}
			defer conn.Close()
			conn.(*net.TCPConn).SetReadBuffer(1 << 10)
			for range 100 { // one after the other on the connection
				fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(b), b)
			}
			<-ctx.Done()
		})
	}
}

// expensive makes n workers call what costs most.
func (a *attack) expensive(ctx context.Context, from string, n int) {
	c := clientFrom(a.t, from, false)
	bodies := slices.Sorted(func(yield func(string) bool) {
		for _, b := range hostileRequests() {
			if !yield(b) {
				return
			}
		}
	})
	for worker := range n {
		a.wg.Go(func() {
			var ignored outcome
			for i := worker; ctx.Err() == nil; i++ {
				ignored.call(ctx, c, a.url, bodies[i%len(bodies)])
			}
		})
	}
}

// starting makes n clients of one network begin at once: each shakes hands and calls twice.
func starting(ctx context.Context, t *testing.T, url, from string, n int) *outcome {
	var o outcome
	var wg sync.WaitGroup
	steps := []string{
		body(false, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		body(false, "tools/list", ""),
		body(false, "tools/call", toolCall("list_entries", `{"category":"payments"}`)),
		body(false, "tools/call", toolCall("fetch", `{"ids":["mcp-go-sdk"]}`)),
	}
	for range n {
		c := clientFrom(t, from, false)
		wg.Go(func() {
			defer c.CloseIdleConnections()
			for _, step := range steps {
				o.call(ctx, c, url, step)
			}
		})
	}
	wg.Wait()
	return &o
}

// observedEndpoint serves an endpoint and notes what became of the calls of steady within the server, from the headers
// of a request to its answer.
func observedEndpoint(t *testing.T, o Options) (url string, within *outcome) {
	s := serverOver(t, o)
	within = new(outcome)
	return serveLoad(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.ServeHTTP(w, r)
		if strings.HasPrefix(r.RemoteAddr, "127.2.") {
			within.record(time.Since(start), "")
		}
	})), within
}

// check fails unless nearly all calls were answered. How long they took is a figure, and depends on the machine.
func (o *outcome) check(t *testing.T, name string) {
	t.Logf("%s: %d calls, %.2f %% answered, p99 %s, failures %v",
		name, len(o.took), 100*o.answered(), o.percentile(99).Round(time.Millisecond), o.fails)
	if len(o.took) == 0 || o.answered() < 0.99 {
		t.Errorf("%s: %.2f %% of the calls were answered", name, 100*o.answered())
	}
}

// A fewNetworks is an attack with half requests of some networks, so many of each.
type fewNetworks struct {
	networks, each int
	h2             bool
}

func (f fewNetworks) String() string {
	if f.h2 {
		return fmt.Sprintf("%d networks over HTTP/2", f.networks)
	}
	return fmt.Sprintf("%d networks over HTTP/1.1", f.networks)
}

var fewAttacks = []fewNetworks{
	{2, 300, false}, {2, 300, true}, {8, 512, false}, {8, 512, true},
	{60, 80, false}, {60, 80, true}, {3_000, 2, false}, {3_000, 2, true},
}

// run attacks a server, and meanwhile makes clients of other networks call.
func (f fewNetworks) run(t testing.TB, url string, before, lasting time.Duration) *outcome {
	ctx, cancel := context.WithCancel(t.Context())
	a := &attack{t: t, url: url, began: time.Now()}
	defer a.wg.Wait()
	defer cancel()
	for i := range f.networks {
		from := fmt.Sprintf("127.%d.%d.1", 10+i/250, i%250)
		if !f.h2 {
			a.halves(ctx, from, f.each)
			continue
		}
		for n := f.each; n > 0; n -= 128 {
			a.halfStreams(ctx, from, 1, min(n, 128))
		}
	}
	<-time.After(before)
	return steady(ctx, t, url, lasting)
}

// TestFewCannotStopTheEndpoint: while some networks keep every place with half requests that never end, clients of
// other networks are answered. The large attacks are made where the real parts run.
func TestFewCannotStopTheEndpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, f := range fewAttacks {
		if (raceDetector || !parttest.Wanted(t)) && f.networks*f.each > 1_000 { // it ends a program with more than 8,128 goroutines
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			url, within := observedEndpoint(t, Options{Deadline: callTimeout, BodyTimeout: callTimeout, Now: time.Now})
			f.run(t, url, time.Second/2, 2*time.Second).check(t, "clients of other networks")
			t.Logf("of which within the server: p99 %s", within.percentile(99).Round(time.Millisecond))
		})
	}
}

// TestWorstOfFew: half requests, clients that do not read, and the most expensive calls of two networks leave others
// answered, and a thousand clients that start at once too.
func TestWorstOfFew(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := Options{Deadline: 2 * time.Second, Now: time.Now}
	starters := 1000
	if raceDetector { // which is slower than any wait that suits people; a client takes six goroutines
		o.Deadline, o.Admission, starters = callTimeout, NewAdmission(0, callTimeout), 400
	}
	url, within := observedEndpoint(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	a := &attack{t: t, url: url, began: time.Now()}
	defer a.wg.Wait()
	defer cancel()
	a.halves(ctx, "127.1.1.1", 300)
	a.halfStreams(ctx, "127.1.1.2", 2, 135)
	a.slowReaders(ctx, "127.1.2.1", 50)
	a.expensive(ctx, "127.1.2.2", 8)
	steady(ctx, t, url, 3*time.Second).check(t, "clients of other networks")
	t.Logf("of which within the server: p99 %s", within.percentile(99).Round(time.Millisecond))
	starting(ctx, t, url, "127.3.1.1", starters).check(t, fmt.Sprintf("%d clients that start", starters))
}

// steady makes clients of twenty networks call for some time, 200 times a second whether or not they were answered.
func steady(ctx context.Context, t testing.TB, url string, lasting time.Duration) *outcome {
	var o outcome
	var wg sync.WaitGroup
	clients := make([]*http.Client, 20)
	for i := range clients {
		clients[i] = clientFrom(t, fmt.Sprintf("127.2.%d.1", i), i%2 == 0)
	}
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for i := range int(lasting / (5 * time.Millisecond)) {
		<-ticks.C
		wg.Go(func() {
			message := body(false, "tools/call", toolCall("list_entries", `{"category":"payments"}`))
			o.call(ctx, clients[i%len(clients)], url, message)
		})
	}
	wg.Wait()
	return &o
}
