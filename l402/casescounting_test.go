package l402_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"
)

const process = "it needs a process to kill; the ledger, which this is about, does not know the schemes: "

// countingCases are C33 to C44.
func countingCases() []paidCase {
	return []paidCase{
		{name: "a hundred answers and no more, C33", run: func(x *caseRun) {
			b := x.buy()
			for i := range 100 {
				x.paid(x.search(b.header()), 99-i)
			}
			x.refused(x.search(b.header()), problem.CreditsExhausted)
			x.refused(x.search(b.header()), problem.CreditsExhausted)
		}},
		{name: "simultaneous requests are exact, C34", run: func(x *caseRun) {
			b := x.buy()
			var served atomic.Int64
			var wg sync.WaitGroup
			for range 300 {
				wg.Go(func() {
					if x.search(b.header()).StatusCode == 200 {
						served.Add(1)
					}
				})
			}
			wg.Wait()
			if served.Load() != 100 {
				x.Errorf("%d served, want 100", served.Load())
			}
		}},
		{name: "a repeated request costs twice, C35", run: func(x *caseRun) {
			b := x.buy()
			x.paid(x.search(b.header()), 99)
			x.paid(x.search(b.header()), 98)
		}},
		{name: "refused requests cost nothing, C36", run: func(x *caseRun) {
			b := x.buy()
			for _, tt := range []struct {
				method, path string
				status       int
			}{{"GET", "/v1/search", 400}, {"POST", "/v1/search?q=a", 405}, {"HEAD", "/v1/search?q=a", 200}, {"OPTIONS", "/v1/search", 204}} {
				if a := x.ask(tt.method, tt.path, b.header()); a.StatusCode != tt.status || a.Header.Get("Payment-Receipt") != "" {
					x.Errorf("%s: %d %v", tt.method, a.StatusCode, a.Header)
				}
			}
			x.wantUsed(b.bought, 0)
		}},
		{name: "a failing handler costs nothing, C37", run: func(x *caseRun) {
			b := x.buy()
			for _, q := range []string{"500", "404", "204", "panic"} {
				if a := x.ask("GET", "/v1/search?q="+q, b.header()); a.StatusCode == 200 || a.Header.Get("Payment-Receipt") != "" {
					x.Errorf("%s: %d %v", q, a.StatusCode, a.Header)
				}
			}
			x.wantUsed(b.bought, 0)
		}},
		{name: "killed before the answer, C38", not: process + "TestKill9"},
		{name: "killed before the challenge, C39", run: caseOfNoAccounts},
		{name: "expiry to the second, C40", run: func(x *caseRun) {
			b := x.buy()
			end := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
			x.clock.Set(end.Add(-time.Second))
			x.paid(x.search(b.header()), 99)
			for _, at := range []time.Time{end, end.Add(time.Second)} {
				x.clock.Set(at)
				x.refused(x.search(b.header()), problem.CredentialExpired)
			}
			x.clock.Set(noon)
			x.paid(x.search(b.header()), 98)
		}},
		{name: "revoked for every copy, C41", run: func(x *caseRun) {
			b := x.buy()
			if err := x.ledger.Revoke(x.Context(), b.hash, noon); err != nil {
				x.Fatal(err)
			}
			x.refused(x.search(b.header()), problem.CredentialRevoked)
			x.refusedOnly(x.search(b.other()), problem.CredentialRevoked)
			if a := x.ask("GET", "/v1/credits", b.header()); a.StatusCode != 402 || a.problem.Code != problem.CredentialRevoked {
				x.Errorf("the balance: %d %s", a.StatusCode, a.body)
			}
		}},
		{name: "keys come and go, C42", run: func(x *caseRun) {
			caseOfKeys(x)
			foreign := func(c *l402.Config) { c.Keys = x.parseKeys(strings.Repeat("7c", 32)) }
			b := x.buy()
			if _, err := l402.New(x.Context(), func() l402.Config {
				c := l402.Config{Terms: usualTerms, Ledger: x.ledger, Invoicer: x.node, Limits: wideLimits(), Now: x.clock.Now, Log: discard()}
				foreign(&c)
				return c
			}()); !errors.Is(err, l402.ErrForeignKeys) {
				x.Errorf("keys that are foreign to the ledger: %v", err)
			}
			x.paid(x.search(b.header()), 99)
		}},
		{name: "pruned accounts stay expired, C43", run: func(x *caseRun) {
			b, unused := x.buy(), x.buy()
			x.paid(x.search(b.header()), 99)
			until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
			if n, err := x.ledger.Prune(x.Context(), until); err != nil || n != 1 {
				x.Fatalf("pruned %d, %v", n, err)
			}
			for _, at := range []time.Time{until, noon} {
				x.clock.Set(at)
				x.refusedOnly(x.search(b.header()), problem.CredentialExpired)
				x.refusedOnly(x.search(unused.header()), problem.CredentialExpired)
			}
			x.clock.Set(until.Add(time.Second))
			x.paid(x.search(x.buy().header()), 99)
		}},
		{name: "an old backup, C44", not: "nothing can know that a ledger was restored"},
	}
}

// refusedOnly wants the code of a refusal.
func (x *caseRun) refusedOnly(a *answer, code problem.Code) {
	x.Helper()
	if a.StatusCode != 402 || a.problem.Code != code {
		x.Fatalf("%d %s, want 402 %s", a.StatusCode, a.problem.Code, code)
	}
}

// faultCases are C45 to C58, and those beyond.
func faultCases() []paidCase {
	return []paidCase{
		{name: "a flood gets 429, C45", run: func(x *caseRun) {
			x.shop = openShop(x.T, bothSchemes, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 40, Proven: 50}))
			b := x.buy()
			last := 402
			for range 30 {
				last = x.search().StatusCode
			}
			a := x.search()
			if last != 429 || a.StatusCode != 429 || a.Header.Get("Retry-After") == "" || a.Header.Get("WWW-Authenticate") != "" {
				x.Errorf("%d, then %d %v", last, a.StatusCode, a.Header)
			}
			x.paid(x.search(b.header()), 99)
		}},
		{name: "unpaid invoices close, C46", run: func(x *caseRun) {
			a := x.search()
			k := x.buyAt(a)
			expires, err := time.Parse(time.RFC3339, k.c.Expires)
			if err != nil || k.c.Expires != a.problem.ExpiresAt || expires.Sub(noon) > l402.InvoiceExpiry {
				x.Errorf("expires %s, the body says %s", k.c.Expires, a.problem.ExpiresAt)
			}
		}},
		{name: "the node is away, C47", run: func(x *caseRun) {
			b := x.buy()
			for _, fault := range []error{l402.ErrNodeUnavailable, errors.New("something nobody thought of")} {
				x.node.breakDown(fault)
				for _, v := range []string{"", b.with(b.hash.String())} {
					a := x.search(v)
					if x.wantRefusal(a, 503, problem.NodeUnavailable); a.Header.Get("Retry-After") == "" {
						x.Error("no Retry-After")
					}
				}
			}
			x.paid(x.search(b.header()), 99)
			x.node.recover()
			x.paid(x.search(x.buy().header()), 99)
		}},
		{name: "a subscription breaks, C48", not: "nothing is subscribed to"},
		{name: "the ledger is away, C49", run: func(x *caseRun) {
			b := x.buy()
			broken := errors.New("disk full")
			x.ledger.spend.Store(&broken)
			a := x.search(b.header())
			x.wantRefusal(a, 503, problem.LedgerUnavailable)
			if x.served.Load() != 0 || !strings.Contains(a.problem.Detail, "Do not pay again") {
				x.Errorf("served %d: %s", x.served.Load(), a.body)
			}
			x.ledger.spend.Store(nil)
			x.clock.Step(time.Minute)
			x.paid(x.search(b.header()), 99)
		}},
		{name: "no secret is logged, C50", run: func(x *caseRun) {
			b := x.buy()
			x.search(b.header())
			x.search(b.with(strings.Repeat("0", 64)))
			x.ask("GET", "/v1/search?q=panic", b.header())
			for what, secret := range map[string]string{"preimage": b.preimage.String(), "credential": b.value()[:40], "macaroon": std(b.raw)[:40]} {
				if strings.Contains(x.log.String(), secret) {
					x.Errorf("the log has the %s", what)
				}
			}
		}},
		{name: "no free copies, C51", run: func(x *caseRun) {
			b := x.buy()
			r, err := http.NewRequest("GET", x.server.URL+"/v1/search?q=a", nil)
			if err != nil {
				x.Fatal(err)
			}
			r.Header = http.Header{"Authorization": {b.header()}, "Range": {"bytes=0-9"}, "If-None-Match": {`"x"`}}
			a := x.send(r) // the handler checks that it does not see them
			x.paid(a, 99)
			if a.Header.Get("Cache-Control") != "private, no-store" || a.Header.Get("Vary") != "Authorization" {
				x.Errorf("%v", a.Header)
			}
		}},
		{name: "a page in a browser, C52", run: func(x *caseRun) {
			a := x.ask("OPTIONS", "/v1/search")
			for _, name := range []string{"Authorization", "Accept-Payment", "Idempotency-Key"} {
				if !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), name) {
					x.Errorf("%s is not allowed", name)
				}
			}
			for _, a := range []*answer{x.search(), x.search(x.buy().header()), x.ask("POST", "/v1/search"), x.ask("GET", "/v1/credits", x.buy().header())} {
				for _, name := range []string{"WWW-Authenticate", "Payment-Receipt", "X-Credit-Balance"} {
					if len(a.Header["Access-Control-Allow-Origin"]) != 1 || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), name) {
						x.Errorf("%s is not exposed: %v", name, a.Header)
					}
				}
			}
		}},
		{name: "no header injection, C53", run: func(x *caseRun) {
			a := x.ask("GET", "/v1/search?q=%22%0d%0aX-Injected:%201")
			x.refused(a, problem.PaymentRequired)
			if a.Header.Get("X-Injected") != "" || strings.Contains(strings.Join(a.Header.Values("WWW-Authenticate"), ""), "Injected") {
				x.Errorf("%v", a.Header)
			}
		}},
		{name: "never served unpaid, C54", run: func(x *caseRun) {
			b := x.buy()
			for _, v := range append(b.altered(), "", "Basic x", b.with(strings.Repeat("0", 64))) {
				x.search(v)
			}
			if x.served.Load() != 0 {
				x.Errorf("served %d times", x.served.Load())
			}
		}},
		{name: "slow clients, C55", not: "connections know no schemes: TestSoakSlowClients, TestSoakIdle"},
		{name: "the same over gRPC, C56", run: func(x *caseRun) {
			client, _, _ := x.listenGRPC()
			b := x.buy()
			for range 100 {
				if _, err := client.Check(with("authorization", b.header()), question); err != nil {
					x.Fatal(err)
				}
			}
			if _, err := client.Check(with("authorization", b.header()), question); reasonOf(err) != problem.CreditsExhausted {
				x.Errorf("the 101st: %v", err)
			}
			s := openShop(x.T, bothSchemes, grpcStatus(codes.Internal))
			client, _, _ = s.listenGRPC()
			if _, err := client.Check(with("authorization", b.header()), question); reasonOf(err) != problem.CredentialInvalid {
				x.Errorf("another service's: %v", err)
			}
		}},
		{name: "Payment opens the same account, C57", run: func(x *caseRun) {
			b := x.buy()
			x.paid(x.search(b.header()), 99)
			x.wantServed(x.search(b.other()), 98)
			x.refusedOnly(x.search(b.header(), b.other()), problem.AmbiguousCredential)
			x.refusedOnly(x.search(b.header(), x.buy().other()), problem.AmbiguousCredential)
			x.wantUsed(b.bought, 2)
			unnamed := openShop(x.T) // without a realm it does not know the scheme
			unnamed.wantChallenge(unnamed.search1("Payment eyJjaGFsbGVuZ2UiOnt9fQ"), problem.PaymentRequired)
		}},
		{name: "other terms, C58", run: func(x *caseRun) {
			x.shop = openShop(x.T, bothSchemes, func(c *l402.Config) { c.Terms = l402.Terms{PriceSats: 21, Credits: 2, Validity: 72 * time.Hour} })
			a := x.search()
			k := x.buyAt(a)
			request, err := mpp.ReadObject(k.c.Request)
			if err != nil || request["amount"] != "21" || a.problem.PriceSats != 21 || a.problem.Credits != 2 || !strings.Contains(k.c.Description, "2 requests within 3 days") {
				x.Errorf("%v, %v, %q: %s", request, err, k.c.Description, a.body)
			}
			x.paid(x.search(k.header()), 1)
			x.paid(x.search(k.header()), 0)
			x.refused(x.search(k.header()), problem.CreditsExhausted)
		}},
		{name: "branches count for themselves, C59", notPayment: "it has no caveats: nobody can pass on a part", run: func(x *caseRun) {
			b := x.buy()
			part := b.narrowed("almanac_budget=a:2")
			x.wantServed(x.search(part.narrowed("almanac_budget=b:1").header()), 0)
			x.wantServed(x.search(part.header()), 0)
			x.refused(x.search(part.header()), problem.BudgetExhausted)
			x.refused(x.search(part.narrowed("almanac_budget=b:3").header()), problem.BudgetInvalid)
			x.paid(x.search(b.header()), 97)
			x.wantServed(x.search(b.other()), 96)
		}},
		{name: "a named request is charged once", run: func(x *caseRun) {
			b := x.buy()
			for _, v := range []string{b.header(), b.header(), b.other()} {
				r, err := http.NewRequest("GET", x.server.URL+"/v1/search?q=x", nil)
				if err != nil {
					x.Fatal(err)
				}
				r.Header = http.Header{"Authorization": {v}, "Idempotency-Key": {"one"}}
				x.wantServed(x.send(r), 99)
			}
		}},
		{name: "an answer without hits costs nothing", run: func(x *caseRun) {
			b := x.buy()
			x.paid(x.ask("GET", "/v1/search?q=nothing", b.header()), 100)
		}},
		{name: "the balance costs nothing", run: func(x *caseRun) {
			b := x.buy()
			x.paid(x.search(b.header()), 99)
			for range 2 {
				x.wantServed(x.ask("GET", "/v1/credits", b.header()), 99)
			}
		}},
		{name: "the reason survives without an invoice", run: func(x *caseRun) {
			b := x.buy()
			x.node.breakDown(l402.ErrNodeUnavailable)
			a := x.search(b.with(strings.Repeat("0", 64)))
			x.wantRefusal(a, 503, problem.NodeUnavailable)
			if a.problem.Reason != problem.PaymentUnproven {
				x.Errorf("reason %s: %s", a.problem.Reason, a.body)
			}
		}},
		{name: "the same account without HTTP", run: func(x *caseRun) {
			b := x.buy()
			for i, credential := range []string{b.header(), b.value(), b.other()} {
				if i == 1 && x.payment {
					credential, _ = challenge.Decode(b.value()) // the object, as MCP has it
				}
				c, err := x.paywall.Spend(x.Context(), l402.Request{Credential: credential, Method: "m"})
				if err != nil || c.Balance().Remaining != 99-i || (c.PaymentReceipt() != nil) != (x.payment == (i < 2)) {
					x.Fatalf("%d: %v", i, err)
				}
			}
			x.wantUsed(b.bought, 3)
		}},
	}
}
