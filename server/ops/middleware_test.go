package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
)

// clock is a time that stands still until it is moved.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)} }

// newMiddleware returns a middleware with everything on, and what it logs.
func newMiddleware(t *testing.T, edit func(*Middleware)) (*Middleware, *bytes.Buffer) {
	t.Helper()
	c := newClock()
	var log bytes.Buffer
	limit := NewLimit(1)
	problems := problem.Writer{Base: catalog.DefaultSite.ProblemBase(), Log: slog.New(slog.DiscardHandler)}
	m := &Middleware{
		Metrics: NewMetrics("test", c.now), Limit: limit, Access: slog.New(slog.NewTextHandler(&log, nil)),
		Log: slog.New(slog.NewTextHandler(&log, nil)), Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Refuse: problems.Write, Now: c.now,
	}
	if edit != nil {
		edit(m)
	}
	return m, &log
}

func ask(h http.Handler, method, target, from string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.RemoteAddr = from
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })

func TestNoSecretIsLogged(t *testing.T) {
	m, log := newMiddleware(t, nil)
	h := m.Handler(hello)
	ask(h, "GET", "/v1/search?q=private+words&token=sesame", "203.0.113.7:1234",
		"Authorization", "L402 AgELc2VjcmV0:00112233", "Cookie", "id=sesame", "X-Forwarded-For", "198.51.100.9")
	line := log.String()
	for _, secret := range []string{"sesame", "private", "AgELc2VjcmV0", "00112233", "203.0.113.7", "198.51.100"} {
		if strings.Contains(line, secret) {
			t.Errorf("the log holds %q: %s", secret, line)
		}
	}
	for _, want := range []string{"method=GET", "path=/v1/search", "status=200", "bytes=5", "from=203.0.113.0/24"} {
		if !strings.Contains(line, want) {
			t.Errorf("the log lacks %q: %s", want, line)
		}
	}
}

func TestLogLinesStayShortAndSingle(t *testing.T) {
	m, log := newMiddleware(t, nil)
	ask(m.Handler(hello), "BREW\x41", "/"+strings.Repeat("a", 5000)+"%0alevel=ERROR", "not an address")
	if n := strings.Count(log.String(), "\n"); n != 1 || log.Len() > 600 {
		t.Errorf("%d lines, %d bytes: %s", n, log.Len(), log)
	}
	if !strings.Contains(log.String(), "method=other") {
		t.Errorf("a made-up method is logged as it came: %s", log)
	}
}

func TestLimit(t *testing.T) {
	m, _ := newMiddleware(t, nil)
	h := m.Handler(hello)
	for i := range 10 {
		if w := ask(h, "GET", "/", "203.0.113.7:1"); w.Code != http.StatusOK {
			t.Fatalf("request %d of the burst: %d", i, w.Code)
		}
	}
	w := ask(h, "GET", "/", "203.0.113.200:1")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), string(problem.RateLimited)) {
		t.Errorf("a neighbour over the limit gets %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
	for name, from := range map[string]string{"another network": "203.0.114.7:1", "IPv6": "[2001:db8::1]:1", "this machine": "127.0.0.1:1"} {
		if w := ask(h, "GET", "/", from); w.Code != http.StatusOK {
			t.Errorf("%s gets %d", name, w.Code)
		}
	}
	if w := ask(h, "GET", "/v1/search", "203.0.113.7:1"); w.Code != http.StatusOK {
		t.Errorf("paid search is limited: %d", w.Code)
	}
	if w := ask(h, "GET", "/v1/search", "203.0.113.7:1", "Accept", "Text/HTML,*/*;q=0.8"); w.Code != http.StatusTooManyRequests {
		t.Errorf("a browser, which gets the free search there, is not limited: %d", w.Code)
	}
	if n := testutil.ToFloat64(m.Metrics.limited); n != 2 {
		t.Errorf("%v refusals counted, want 2", n)
	}
}

func TestLimitFillsUp(t *testing.T) {
	c := newClock()
	limit := NewLimit(2)
	take := func(addr netip.Addr) time.Duration { return limit.Take(addr, c.now()) }
	addr := netip.MustParseAddr("2001:db8::1")
	for take(addr) == 0 {
	}
	if wait := take(netip.MustParseAddr("2001:db8:0:9::1")); wait != 500*time.Millisecond {
		t.Errorf("wait %s, want 500ms", wait)
	}
	c.t = c.t.Add(-time.Hour) // a clock that steps back neither gives nor takes
	if take(addr) == 0 {
		t.Error("a clock that steps back gives requests")
	}
	c.t = c.t.Add(500 * time.Millisecond)
	if wait := take(addr); wait != 0 {
		t.Errorf("after the wait it still takes %s", wait)
	}
	c.t = c.t.Add(time.Hour)
	n := 0
	for take(addr) == 0 {
		n++
	}
	if n != 20 {
		t.Errorf("a full bucket holds %d, want 20", n)
	}
}

// A handler that panics is answered for with "internal" and logged; one that has begun to answer is broken off. Either
// is counted.
func TestPanic(t *testing.T) {
	m, log := newMiddleware(t, nil)
	clean := m.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("out of luck") }))
	w := ask(clean, "GET", "/", "203.0.113.7:1")
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String(), "luck") {
		t.Errorf("a panic is answered with %d: %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "out of luck") || !strings.Contains(log.String(), "middleware_test.go") {
		t.Errorf("the log does not tell what panicked and where: %s", log)
	}
	begun := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "beg"); panic("late") }))
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the server is told %v, and would end the answer as if it were whole", p)
			}
		}()
		ask(begun, "GET", "/", "203.0.113.7:1")
	}()
	if n := testutil.ToFloat64(m.Metrics.inFlight); n != 0 {
		t.Errorf("%v requests in flight after the end", n)
	}
	if n := testutil.ToFloat64(m.Metrics.requests.WithLabelValues("mirror", "GET", "500")); n != 1 {
		t.Errorf("%v answers of 500 counted, want 1", n)
	}
}

// A call over gRPC that panics is answered for, and does not end the process.
func TestPanicOverGRPC(t *testing.T) {
	m, log := newMiddleware(t, nil)
	_, err := m.UnaryInterceptor(t.Context(), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { panic("out of luck") })
	if status.Code(err) != codes.Internal || !strings.Contains(log.String(), "out of luck") {
		t.Errorf("error %v, log %s", err, log)
	}
}

type node struct{ err error }

func (n node) AddInvoice(context.Context, l402.InvoiceRequest) (l402.Invoice, error) {
	return l402.Invoice{}, n.err
}
func (n node) Ready(context.Context) error { return n.err }

type ledger struct {
	l402.Ledger
	serial int64
	err    error
}

func (l *ledger) Spend(context.Context, l402.Debit) (l402.Receipt, error) {
	l.serial++
	return l402.Receipt{Serial: l.serial}, l.err
}
func (l *ledger) Refund(context.Context, l402.Receipt) error { return l.err }

// locked is an error of a node that names its kind.
type locked struct{}

func (locked) Error() string   { return "wallet locked" }
func (locked) Outcome() string { return "locked" }

func TestMetrics(t *testing.T) {
	d, _ := newMiddleware(t, nil)
	m := d.Metrics
	h := d.Handler(hello)
	ask(h, "GET", "/", "203.0.113.7:1")
	ask(h, "GET", "/library/", "203.0.113.7:1")
	ask(h, "BREW", "/mcp", "203.0.113.7:1")
	good, bad := m.Ledger(&ledger{}), m.Ledger(&ledger{err: fmt.Errorf("%w: no route", l402.ErrLedgerUnavailable)})
	for range 3 {
		good.Spend(t.Context(), l402.Debit{Sale: l402.Sale{Kind: l402.SalePaid, PriceSats: 100}})
	}
	good.Refund(t.Context(), l402.Receipt{})
	bad.Spend(t.Context(), l402.Debit{})
	for _, err := range []error{l402.ErrExhausted, l402.ErrBudgetExhausted, l402.ErrTooManyBranches, l402.ErrRepeated, l402.ErrRevoked, l402.ErrExpired} {
		m.Ledger(&ledger{err: err}).Spend(t.Context(), l402.Debit{})
	}
	m.Node(node{}).AddInvoice(t.Context(), l402.InvoiceRequest{})
	m.Node(node{errors.New("down")}).Ready(t.Context())
	m.Node(node{fmt.Errorf("ask: %w", locked{})}).Ready(t.Context())
	m.Loaded(184, d.Now(), 0xabc)
	m.Loaded(185, d.Now(), 0xdef)
	m.LoadFailed()
	m.ToolCalled("tools/call", "search", "ok")

	w := ask(m.Handler(), "GET", "/metrics", "127.0.0.1:1")
	for _, want := range []string{
		`almanac_requests_total{code="200",method="GET",surface="mirror"} 2`,
		`almanac_requests_total{code="200",method="other",surface="mcp"} 1`,
		`almanac_response_bytes_total{surface="mirror"} 10`,
		`almanac_invoices_total 1`, `almanac_purchases_total 1`, `almanac_sold_satoshis_total 100`, `almanac_credits_spent_total 3`, `almanac_credits_refunded_total 1`,
		`almanac_ledger_seconds_count{operation="spend",outcome="ok"} 3`,
		`almanac_ledger_seconds_count{operation="spend",outcome="error"} 1`,
		`almanac_ledger_seconds_count{operation="spend",outcome="refused"} 6`,
		`almanac_node_up 0`, `almanac_node_seconds_count{operation="ready",outcome="error"} 1`,
		`almanac_node_seconds_count{operation="ready",outcome="locked"} 1`, `almanac_data_entries 185`, `almanac_data_info{sum="def"} 1`, `almanac_reloads_total{outcome="ok"} 2`, `almanac_reloads_total{outcome="error"} 1`,
		`almanac_mcp_requests_total{method="tools/call",outcome="ok",tool="search"} 1`,
		`almanac_build_info{version="test"} 1`, `almanac_data_generated_timestamp_seconds 1.7952552e+09`, "go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(w.Body.String(), `sum="abc"`) {
		t.Error("the metrics speak of data that are not served any more")
	}
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
}

// Before anything happened, what an alert counts stands at 0, so that the first fault is an increase; and of a node
// there is nothing to tell while there is none, so that nobody is woken for an installation without payments.
func TestMetricsAtTheStart(t *testing.T) {
	m := NewMetrics("test", time.Now)
	scrape := func() string { return ask(m.Handler(), "GET", "/metrics", "127.0.0.1:1").Body.String() }
	if text := scrape(); !strings.Contains(text, `almanac_reloads_total{outcome="error"} 0`) || strings.Contains(text, "almanac_node_up ") {
		t.Errorf("at the start the metrics are\n%s", text)
	}
	m.Ledger(&ledger{})
	if text := scrape(); !strings.Contains(text, `almanac_ledger_seconds_count{operation="spend",outcome="error"} 0`) {
		t.Error("with a ledger, its failures do not stand at 0")
	}
}

// A problem has the id under which its request is logged; a proxy of ours may choose it, and nobody else.
func TestRequestID(t *testing.T) {
	m, log := newMiddleware(t, func(m *Middleware) { m.RequestHeader = "X-Request-Id" })
	problems := problem.Writer{Log: slog.New(slog.DiscardHandler)}
	h := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problems.Write(unwrapper{w}, r, problem.New(problem.NotFound))
	}))
	seen := make(map[string]bool)
	for from, given := range map[string]string{"203.0.113.7:1": "", "203.0.113.8:1": "mine", "10.0.0.1:1": "proxy-7"} {
		log.Reset()
		w := ask(h, "GET", "/nothing", from, "X-Request-Id", given)
		var p struct {
			ID string `json:"request_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if p.ID == "" || seen[p.ID] || !strings.Contains(log.String(), "request_id="+p.ID+"\n") {
			t.Errorf("from %s: the problem has the id %q, the log is %s", from, p.ID, log)
		}
		if byProxy := p.ID == given; byProxy != (given == "proxy-7") {
			t.Errorf("from %s: the id is %q where %q was given", from, p.ID, given)
		}
		seen[p.ID] = true
	}
}

// What a handler adds to the access log is on the line of its own request, also from behind a wrapper of the response.
func TestAnnotate(t *testing.T) {
	m, log := newMiddleware(t, nil)
	h := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Annotate(unwrapper{unwrapper{w}}, slog.String("tool", r.URL.Query().Get("tool")))
		io.WriteString(w, "hello")
	}))
	ask(h, "GET", "/mcp?tool=first", "203.0.113.7:1")
	ask(h, "GET", "/mcp?tool=second", "203.0.113.7:1")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "tool=first") || !strings.HasSuffix(lines[1], "tool=second") {
		t.Errorf("the log is\n%s", log)
	}
	Annotate(httptest.NewRecorder(), slog.String("tool", "none")) // no middleware: nothing happens
}

// An unwrapper is a response behind another one.
type unwrapper struct{ http.ResponseWriter }

func (u unwrapper) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// TestUnread: of the answers over HTTP/2 that a network does not read, those beyond its share are broken off, the oldest first,
// and others are answered.
func TestUnread(t *testing.T) {
	m, _ := newMiddleware(t, func(m *Middleware) {
		m.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		m.Unread = peer.NewQueue(peer.QueueLimits{Total: 3, PerNetwork: 2})
	})
	ts := httptest.NewUnstartedServer(m.Handler(hello))
	ts.Config.Protocols = new(http.Protocols)
	ts.Config.Protocols.SetUnencryptedHTTP2(true)
	ts.Start()
	defer ts.Close()
	conn, err := net.Dial("tcp", ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, http2.ClientPreface)
	f := http2.NewFramer(conn, conn)
	f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}) // reads nothing
	for i, step := range []struct {
		from   string
		broken uint32 // the stream that gives way
	}{{"192.0.2.1", 0}, {"192.0.2.2", 0}, {"192.0.2.3", 1}, {"198.51.100.1", 0}, {"203.0.113.1", 3}} {
		var head bytes.Buffer
		enc := hpack.NewEncoder(&head)
		for _, h := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "x"}, {":path", "/"}, {"x-forwarded-for", step.from}} {
			enc.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		stream := uint32(2*i + 1)
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true})
		for begun, broken := false, uint32(0); !begun || broken != step.broken; {
			frame, err := f.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			switch h := frame.Header(); {
			case h.Type == http2.FrameHeaders && h.StreamID == stream:
				begun = true
			case h.Type == http2.FrameRSTStream:
				if broken = h.StreamID; broken != step.broken {
					t.Fatalf("stream %d gives way to %d of %s, want %d", broken, stream, step.from, step.broken)
				}
			}
		}
	}
}
