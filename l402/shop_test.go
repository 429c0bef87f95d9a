package l402_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node/demo"
	"go.almanac.example/server/ops"

	"github.com/lightningnetwork/lnd/lntypes"
	"google.golang.org/grpc/codes"
	"gopkg.in/macaroon.v2"
)

// A clock stands still until it is moved.
type clock struct{ unix atomic.Int64 }

func (c *clock) Now() time.Time       { return time.Unix(c.unix.Load(), 0) }
func (c *clock) Step(d time.Duration) { c.unix.Add(int64(d / time.Second)) }
func (c *clock) Set(t time.Time)      { c.unix.Store(t.Unix()) }
func newClock() *clock                { c := new(clock); c.Set(noon); return c }
func wideLimits() l402.ChallengeLimits {
	return l402.ChallengeLimits{Rate: 1e6, Outstanding: 1e6, Proven: 20}
}
func problemBase(code problem.Code) string { return "https://almanac.test/trust/#" + string(code) }
func std(b []byte) string                  { return base64.StdEncoding.EncodeToString(b) }
func bearer(mac, preimage string) string   { return "L402 " + mac + ":" + preimage }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A node is the demo node with faults, and a count of the invoices asked for.
type node struct {
	*demo.Node
	calls atomic.Int64
	fault atomic.Pointer[error]
	edit  func(*l402.Invoice)
}

func (n *node) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	n.calls.Add(1)
	if err := n.fault.Load(); err != nil {
		return l402.Invoice{}, *err
	}
	inv, err := n.Node.AddInvoice(ctx, req)
	if n.edit != nil {
		n.edit(&inv)
	}
	return inv, err
}

func (n *node) breakDown(err error) { n.fault.Store(&err) }
func (n *node) recover()            { n.fault.Store(nil) }

// A faultyLedger is a ledger that can be broken.
type faultyLedger struct {
	*ledger.Ledger
	spend, refund, look, ready atomic.Pointer[error]
	refunds                    atomic.Int64
}

func (l *faultyLedger) Ready(ctx context.Context) error {
	if err := l.ready.Load(); err != nil {
		return *err
	}
	return l.Ledger.Ready(ctx)
}

func (l *faultyLedger) Spend(ctx context.Context, d l402.Debit) (l402.Receipt, error) {
	if err := l.spend.Load(); err != nil {
		return l402.Receipt{}, *err
	}
	return l.Ledger.Spend(ctx, d)
}

func (l *faultyLedger) Refund(ctx context.Context, r l402.Receipt) error {
	l.refunds.Add(1)
	if err := l.refund.Load(); err != nil {
		return *err
	}
	return l.Ledger.Refund(ctx, r)
}

func (l *faultyLedger) Account(ctx context.Context, h lntypes.Hash) (l402.Account, error) {
	if err := l.look.Load(); err != nil {
		return l402.Account{}, *err
	}
	return l.Ledger.Account(ctx, h)
}

// A shop is a small service behind a paywall: everything real but the money.
type shop struct {
	t       testing.TB
	clock   *clock
	node    *node
	ledger  *faultyLedger
	keys    l402.Keys
	paywall *l402.Paywall
	server  *httptest.Server
	log     *lockedBuffer
	served  atomic.Int64 // times the goods were handed out

	middleware *ops.Middleware // which answers for handlers that panic
}

// A lockedBuffer collects a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// openShop opens a shop on a SQLite ledger. edits change its configuration first.
func openShop(t testing.TB, edits ...func(*l402.Config)) *shop {
	t.Helper()
	l, err := ledger.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return openShopOn(t, l, edits...)
}

func openShopOn(t testing.TB, l *ledger.Ledger, edits ...func(*l402.Config)) *shop {
	t.Helper()
	s := &shop{t: t, clock: newClock(), ledger: &faultyLedger{Ledger: l}, keys: l402.NewKeys(), log: new(lockedBuffer)}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
	problems := problem.Writer{Base: problemBase(""), Log: log}
	cfg := l402.Config{
		Terms:  usualTerms,
		Memo:   "almanac: 100 requests",
		Ledger: s.ledger,
		Keys:   s.keys,
		Limits: wideLimits(),
		Fail:   problems.Write,
		Now:    s.clock.Now,
		Log:    log,
	}
	for _, edit := range edits {
		edit(&cfg)
	}
	s.keys = cfg.Keys
	s.node = &node{Node: demo.New(s.keys.Derive("demo node"), s.clock.Now)}
	cfg.Invoicer = s.node
	var err error
	if s.paywall, err = l402.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/search", s.paywall.Protect(http.HandlerFunc(s.search), checkQuery))
	mux.Handle("/v1/credits", s.paywall.CreditsHandler())
	mux.Handle("/demo/pay", s.node.PayHandler(problems.Write))
	s.middleware = &ops.Middleware{Metrics: ops.NewMetrics("", time.Now), Log: log, Refuse: problems.Write, Now: time.Now}
	s.server = httptest.NewUnstartedServer(s.middleware.Handler(mux))
	s.server.Config.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelError)
	s.server.Start()
	t.Cleanup(s.server.Close)
	return s
}

// checkQuery is the shop's idea of a good question.
func checkQuery(r *http.Request) error {
	if q := r.URL.Query().Get("q"); q == "" || len(q) > 256 {
		return problem.New(problem.QueryInvalid)
	}
	return nil
}

// search hands out the goods. Some words make it fail.
func (s *shop) search(w http.ResponseWriter, r *http.Request) {
	s.served.Add(1)
	if r.Header.Get("Authorization") != "" || r.Header.Get("Range") != "" || r.Header.Get("If-None-Match") != "" {
		s.t.Error("the handler sees headers that it must not see")
	}
	q := r.URL.Query().Get("q")
	status, _ := strconv.Atoi(q)
	switch {
	case q == "panic":
		panic("search broke")
	case q == "abort":
		panic(http.ErrAbortHandler)
	case q == "silent":
		return
	case q == "panic late":
		w.Write([]byte("half an ans"))
		panic("search broke")
	case q == "twice":
		w.WriteHeader(500)
		w.WriteHeader(200)
		panic("search broke")
	case status > 0:
		w.WriteHeader(status)
		return
	}
	if q == "nothing" {
		l402.Waive(r.Context())
	}
	b, ok := l402.BalanceFrom(r.Context())
	if !ok {
		s.t.Error("no balance in the context")
	}
	json.NewEncoder(w).Encode(map[string]any{"query": q, "credits": map[string]any{"remaining": b.Remaining, "valid_until": b.ValidUntil}})
}

// An answer is a response that was read.
type answer struct {
	*http.Response
	body    []byte
	problem struct {
		Type, Title, Detail string
		Instructions        []string
		Code, Reason        problem.Code
		Status              int
		Macaroon, Invoice   string
		PaymentHash         string `json:"payment_hash"`
		PriceSats           int    `json:"price_sats"`
		Credits             int
		ValidDays           int    `json:"valid_days"`
		ExpiresAt           string `json:"expires_at"`
	}
}

// do sends a request with these Authorization values.
func (s *shop) do(method, path string, authorization ...string) *answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.server.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(authorization) > 0 {
		req.Header["Authorization"] = authorization
	}
	return s.send(req)
}

func (s *shop) send(req *http.Request) *answer {
	s.t.Helper()
	resp, err := s.server.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := &answer{Response: resp}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		s.t.Fatal(err)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") && req.Method != http.MethodHead {
		if err := json.Unmarshal(a.body, &a.problem); err != nil {
			s.t.Fatalf("%v: %s", err, a.body)
		}
	}
	return a
}

func (s *shop) search1(authorization ...string) *answer {
	s.t.Helper()
	return s.do("GET", "/v1/search?q=x402", authorization...)
}

// wantChallenge checks that an answer is a whole 402 with that code.
func (s *shop) wantChallenge(a *answer, code problem.Code) {
	s.t.Helper()
	if a.StatusCode != 402 || a.problem.Code != code {
		s.t.Fatalf("got %d %q, want 402 %q: %s", a.StatusCode, a.problem.Code, code, a.body)
	}
	want := fmt.Sprintf(`L402 macaroon="%s", invoice="%s", version="0", token="%[1]s"`, a.problem.Macaroon, a.problem.Invoice)
	if got := a.Header.Values("WWW-Authenticate"); len(got) != 1 || got[0] != want || a.problem.Macaroon == "" {
		s.t.Fatalf("WWW-Authenticate: got %q, want %q", got, want)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Vary": "Authorization", "Access-Control-Allow-Origin": "*"} {
		if got := a.Header.Values(name); len(got) != 1 || got[0] != want {
			s.t.Fatalf("%s: got %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		s.t.Fatal("a browser cannot read WWW-Authenticate")
	}
	if p := a.problem; p.PriceSats != 100 || p.Credits != 100 || p.ValidDays != 30 || p.Type != problemBase(code) || p.Title == "" || p.Detail == "" || p.Status != 402 {
		s.t.Fatalf("body: %s", a.body)
	}
}

// wantRefusal checks an answer that nobody can pay away.
func (s *shop) wantRefusal(a *answer, status int, code problem.Code) {
	s.t.Helper()
	if a.StatusCode != status || a.problem.Code != code {
		s.t.Fatalf("got %d %q, want %d %q: %s", a.StatusCode, a.problem.Code, status, code, a.body)
	}
	if a.Header.Get("WWW-Authenticate") != "" {
		s.t.Fatalf("a %d has WWW-Authenticate: some clients pay whenever they see it", status)
	}
}

// wantServed checks a paid answer and what it says is left.
func (s *shop) wantServed(a *answer, left int) {
	s.t.Helper()
	if a.StatusCode != 200 {
		s.t.Fatalf("got %d, want 200: %s", a.StatusCode, a.body)
	}
	if got := a.Header.Get("X-Credit-Balance"); got != fmt.Sprint(left) {
		s.t.Fatalf("X-Credit-Balance %s, want %d", got, left)
	}
}

// A bought token, as its buyer has it.
type bought struct {
	raw      []byte
	preimage lntypes.Preimage
	hash     lntypes.Hash
}

func (b bought) header() string { return bearer(std(b.raw), b.preimage.String()) }

// macaroon is the token's macaroon, to be changed.
func (b bought) macaroon() *macaroon.Macaroon {
	m := new(macaroon.Macaroon)
	if err := m.UnmarshalBinary(b.raw); err != nil {
		panic(err)
	}
	return m
}

// narrowed is a copy with more caveats.
func (b bought) narrowed(caveats ...string) bought {
	m := b.macaroon()
	for _, c := range caveats {
		m.AddFirstPartyCaveat([]byte(c))
	}
	return b.with(m)
}

// with is the token with another macaroon.
func (b bought) with(m *macaroon.Macaroon) bought {
	raw, err := m.MarshalBinary()
	if err != nil {
		panic(err)
	}
	b.raw = raw
	return b
}

// buy gets a challenge over HTTP, pays at the demo's wallet, and returns what was bought.
func (s *shop) buy() bought {
	s.t.Helper()
	a := s.search1()
	s.wantChallenge(a, problem.PaymentRequired)
	return s.pay(a.problem.Macaroon, a.problem.Invoice)
}

func (s *shop) pay(mac, invoice string) bought {
	s.t.Helper()
	body, _ := json.Marshal(map[string]string{"invoice": invoice})
	resp, err := s.server.Client().Post(s.server.URL+"/demo/pay", "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var paid struct{ Preimage string }
	if err := json.NewDecoder(resp.Body).Decode(&paid); err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("pay: %d, %v", resp.StatusCode, err)
	}
	raw, err := base64.StdEncoding.DecodeString(mac)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := lntypes.MakePreimageFromStr(paid.Preimage)
	if err != nil {
		s.t.Fatal(err)
	}
	return bought{raw: raw, preimage: p, hash: p.Hash()}
}

// wantUsed checks the ledger itself.
func (s *shop) wantUsed(b bought, want int) {
	s.t.Helper()
	a, err := s.ledger.Ledger.Account(context.Background(), b.hash)
	if errors.Is(err, l402.ErrUnknownAccount) {
		err = nil
	}
	if err != nil || a.Used != want {
		s.t.Fatalf("used %d, %v; want %d", a.Used, err, want)
	}
}

func grpcStatus(c codes.Code) func(*l402.Config) {
	return func(cfg *l402.Config) { cfg.GRPCStatus = c }
}

// usualTerms are the published ones.
var usualTerms = l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}
