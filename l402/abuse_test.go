package l402_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node/demo"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func discard() *slog.Logger        { return slog.New(slog.DiscardHandler) }
func addr(s string) netip.Addr     { return netip.MustParseAddr(s) }
func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// from sends a search that says it was forwarded for these addresses.
func (s *shop) from(forwarded string, authorization ...string) *answer {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.server.URL+"/v1/search?q=a", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if forwarded != "" {
		req.Header.Set("X-Forwarded-For", forwarded)
	}
	if len(authorization) > 0 {
		req.Header["Authorization"] = authorization
	}
	return s.send(req)
}

// C46, how long invoices can be paid, is held by TestTermsAreTheSameEverywhere; which rights the node must give, by
// package lnd.

// C48 cannot occur: almanac subscribes to nothing at the node.

// docs/cases.md, C49.
func TestLedgerDown(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	served := s.served.Load()
	for _, fault := range []error{
		fmt.Errorf("%w: database is locked", l402.ErrLedgerUnavailable),
		errors.New("disk full"), // what a ledger must not return is closed on as well
	} {
		s.ledger.spend.Store(&fault)
		s.ledger.look.Store(&fault)
		a := s.search1(b.header())
		s.wantRefusal(a, 503, problem.LedgerUnavailable)
		if a.Header.Get("Retry-After") == "" || !strings.Contains(a.problem.Detail, "Do not pay again") {
			t.Errorf("%v %s", a.Header, a.body)
		}
		if a := s.do("HEAD", "/v1/search?q=a", b.header()); a.StatusCode != 503 || a.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("HEAD: %d %v", a.StatusCode, a.Header)
		}
	}
	if s.served.Load() != served {
		t.Fatal("served unpaid")
	}
	s.wantRefusal(s.search1(), 503, problem.LedgerUnavailable) // what cannot be spent is not sold
	damaged := fmt.Errorf("%w: x", l402.ErrDamaged)
	s.ledger.spend.Store(nil)
	s.wantServed(s.search1(b.header()), 99)
	s.ledger.spend.Store(&damaged)
	s.wantRefusal(s.search1(b.header()), 503, problem.LedgerUnavailable)
	s.wantChallenge(s.search1(), problem.PaymentRequired) // one account stops no sale
}

// TestNothingIsSoldWithoutLedger holds that nobody is asked to pay while the ledger cannot take credits, whether a
// spend or a probe found out, and that selling goes on when either finds that it can. Refusals about credits are no
// failure of the ledger.
func TestNothingIsSoldWithoutLedger(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	down := fmt.Errorf("%w: disk full", l402.ErrLedgerUnavailable)
	s.ledger.ready.Store(&down)
	calls := s.node.calls.Load()
	if err := s.paywall.LedgerReady(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
		t.Errorf("LedgerReady: %v", err)
	}
	for range 3 {
		s.wantRefusal(s.search1(), 503, problem.LedgerUnavailable)
		if _, err := client.Check(t.Context(), question); status.Code(err) != codes.Unavailable {
			t.Errorf("gRPC: %v", err)
		}
		if _, err := s.paywall.Challenge(t.Context(), addr("192.0.2.1"), nil); problem.FromError(err).Code != problem.LedgerUnavailable {
			t.Errorf("MCP: %v", err)
		}
	}
	if n := s.node.calls.Load(); n != calls {
		t.Errorf("the node created %d invoices", n-calls)
	}
	s.ledger.ready.Store(nil)
	if err := s.paywall.LedgerReady(t.Context()); err != nil {
		t.Errorf("LedgerReady: %v", err)
	}
	s.ledger.ready.Store(&down)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.paywall.LedgerReady(gone); err == nil {
		t.Error("LedgerReady of a caller that has gone away reports no error")
	}
	s.ledger.ready.Store(nil) // which stops no sale, such as those of a service that is stopping
	b := s.buy()
	s.wantServed(s.search1(b.header()), 99)
	s.wantChallenge(s.search1(b.narrowed("almanac_credits=0").header()), problem.CreditsExhausted)

	s.ledger.spend.Store(&down) // and a probe that notices nothing
	s.wantRefusal(s.search1(b.header()), 503, problem.LedgerUnavailable)
	s.wantRefusal(s.search1(), 503, problem.LedgerUnavailable)
	s.node.breakDown(l402.ErrNodeUnavailable)
	s.ledger.spend.Store(nil)
	s.wantServed(s.search1(b.header()), 98)
	s.wantRefusal(s.search1(), 503, problem.NodeUnavailable)
}

// docs/cases.md, C50.
func TestNoSecretInLogs(t *testing.T) {
	s := openShop(t)
	var secrets []string
	for range 3 {
		b := s.buy()
		secrets = append(secrets, b.preimage.String(), std(b.raw), std(b.raw)[:40], fmt.Sprintf("%x", b.raw), fmt.Sprintf("%x", b.macaroon().Signature()))
		for _, auth := range [][]string{
			{b.header()}, {b.header(), b.header()}, {"L402 " + b.preimage.String()}, {b.header() + "x"}, {bearer(std(b.raw), b.hash.String())},
			{b.narrowed("services=x").header()}, {b.narrowed("almanac_credits=0").header()}, {b.narrowed("almanac_valid_until=0").header()},
		} {
			for _, path := range []string{"/v1/search?q=a", "/v1/search?q=panic", "/v1/search?q=500", "/v1/search", "/v1/credits"} {
				a := s.do("GET", path, auth...)
				secrets = append(secrets, a.problem.Macaroon)
			}
			s.get("/v1/search?q=panic+late", b)
		}
		fault := fmt.Errorf("%w: off", l402.ErrLedgerUnavailable)
		s.ledger.spend.Store(&fault)
		s.search1(b.header())
		s.ledger.spend.Store(nil)
		if err := s.paywall.LedgerReady(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.ledger.Revoke(t.Context(), b.hash, noon); err != nil {
			t.Fatal(err)
		}
		s.search1(b.header())
		s.node.breakDown(errors.New("off"))
		s.search1()
		s.node.recover()
		s.paywall.Spend(t.Context(), l402.Request{Credential: b.header()})
		s.paywall.Spend(t.Context(), l402.Request{Credential: "L402 " + b.preimage.String()})
	}
	c, err := s.paywall.Challenge(t.Context(), addr("192.0.2.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	secrets = append(secrets, c.Macaroon)
	slog.New(slog.NewTextHandler(s.log, nil)).Info("by mistake", "challenge", c, "keys", s.keys)
	derived := s.keys.Derive("demo node")
	secrets = append(secrets, fmt.Sprintf("%x", derived))
	text := s.log.String()
	for _, want := range []string{"challenge", "spent", "refunded", "refused", "handler panicked", "ledger", "no invoice"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not have %q: was that path driven?", want)
		}
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text, secret) {
			t.Fatalf("%.12s… is in the log", secret)
		}
	}
}

// C53: headers hold base64, an invoice checked by TestInvoiceIsChecked, and numbers; never text of the client.

// C55, slow and idle connections, is about the timeouts of the listeners, which are not this package's.

// docs/cases.md, C58.
func TestTermsAreTheSameEverywhere(t *testing.T) {
	// Here: terms, invoice, macaroon and body. The documents of the site are compared with the same Terms by main's
	// test.
	terms := l402.Terms{PriceSats: 250, Credits: 40, Validity: 7 * 24 * time.Hour}
	s := openShop(t, func(c *l402.Config) { c.Terms = terms })
	a := s.search1()
	p := a.problem
	if p.PriceSats != 250 || p.Credits != 40 || p.ValidDays != 7 || p.ExpiresAt != noon.Add(l402.InvoiceExpiry).Format(time.RFC3339) {
		t.Errorf("body: %s", a.body)
	}
	invoice, err := zpay32.Decode(p.Invoice, &chaincfg.RegressionNetParams)
	if err != nil {
		t.Fatal(err)
	}
	if *invoice.MilliSat != 250_000 || invoice.Expiry() != l402.InvoiceExpiry || fmt.Sprintf("%x", *invoice.PaymentHash) != p.PaymentHash {
		t.Errorf("invoice: %v, %v", *invoice.MilliSat, invoice.Expiry())
	}
	b := s.pay(p.Macaroon, p.Invoice)
	var caveats []string
	for _, c := range b.macaroon().Caveats() {
		caveats = append(caveats, string(c.Id))
	}
	want := fmt.Sprintf("almanac_sold=paid:250:%d services=almanac:0 almanac_valid_until=%d almanac_credits=40", noon.Unix(), noon.Add(l402.InvoiceExpiry+terms.Validity).Unix())
	if got := strings.Join(caveats, " "); got != want {
		t.Errorf("caveats: got %s, want %s", got, want)
	}
	if id := b.macaroon().Id(); len(id) != 66 || fmt.Sprintf("%x", id[:34]) != "0000"+p.PaymentHash {
		t.Errorf("identifier %x", id)
	}
	for i := range 40 {
		s.wantServed(s.search1(b.header()), 39-i)
	}
	s.wantChallenge40(s.search1(b.header()))
}

// wantChallenge40 is wantChallenge where the terms are not the default ones.
func (s *shop) wantChallenge40(a *answer) {
	s.t.Helper()
	if a.StatusCode != 402 || a.problem.Code != problem.CreditsExhausted {
		s.t.Fatalf("%d %s", a.StatusCode, a.body)
	}
}

func TestConfigIsChecked(t *testing.T) {
	s := openShop(t)
	good := l402.Config{Terms: usualTerms, Invoicer: s.node, Ledger: s.ledger, Keys: s.keys, Limits: l402.DefaultLimits(), Now: time.Now, Log: discard()}
	if _, err := l402.New(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*l402.Config){
		"no node": func(c *l402.Config) { c.Invoicer = nil }, "no ledger": func(c *l402.Config) { c.Ledger = nil },
		"no keys": func(c *l402.Config) { c.Keys = l402.Keys{} }, "no clock": func(c *l402.Config) { c.Now = nil }, "no log": func(c *l402.Config) { c.Log = nil },
		"free": func(c *l402.Config) { c.Terms.PriceSats = 0 }, "no credits": func(c *l402.Config) { c.Terms.Credits = 0 },
		"no time": func(c *l402.Config) { c.Terms.Validity = 0 }, "rate of one": func(c *l402.Config) { c.Limits.Rate = 1 },
		"none outstanding": func(c *l402.Config) { c.Limits.Outstanding = 0 }, "all proven": func(c *l402.Config) { c.Limits.Proven = 101 },
		"gRPC status": func(c *l402.Config) { c.GRPCStatus = 7 },
	} {
		c := good
		edit(&c)
		if _, err := l402.New(t.Context(), c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDemoWallet(t *testing.T) {
	s := openShop(t)
	invoice := s.search1().problem.Invoice
	post := func(method, body string) *answer {
		t.Helper()
		req, err := http.NewRequest(method, s.server.URL+"/demo/pay", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return s.send(req)
	}
	ok, _ := json.Marshal(map[string]string{"invoice": invoice})
	if a := post("POST", string(ok)); a.StatusCode != 200 || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	foreign := openShop(t).search1().problem.Invoice
	for body, code := range map[string]problem.Code{
		"": problem.BadPayRequest, "{}": problem.BadPayRequest, `{"invoice":1}`: problem.BadPayRequest, `{"invoice":"lnbc1"}`: problem.BadPayRequest,
		string(ok) + "{}": problem.BadPayRequest, `{"invoice":"` + strings.Repeat("l", 10<<10) + `"}`: problem.BadPayRequest,
		`{"invoice":"` + foreign + `"}`: problem.InvoiceForeign,
	} {
		if a := post("POST", body); a.problem.Code != code || a.problem.Detail == "" || a.StatusCode < 400 {
			t.Errorf("%.30q: %d %s, want %s", body, a.StatusCode, a.body, code)
		}
	}
	s.clock.Step(l402.InvoiceExpiry)
	if a := post("POST", string(ok)); a.StatusCode != 410 || a.problem.Code != problem.InvoiceExpired {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := post("GET", ""); a.StatusCode != 405 || a.Header.Get("Allow") == "" {
		t.Errorf("GET: %d", a.StatusCode)
	}
	for addr, ok := range map[string]bool{"localhost:8402": true, "127.0.0.1:1": true, "[::1]:1": true, ":8402": false, "0.0.0.0:1": false, "192.0.2.1:1": false, "example.com:80": false, "x": false} {
		if err := demo.CheckListener(addr); (err == nil) != ok {
			t.Errorf("CheckListener(%q): %v", addr, err)
		}
	}
}

func TestProblemWriter(t *testing.T) {
	s := openShop(t, func(c *l402.Config) { c.Fail = nil })
	a := s.search1()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	if strings.Contains(string(a.body), `\u003c`) {
		t.Errorf("body is escaped for HTML: %s", a.body)
	}
}
