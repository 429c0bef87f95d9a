package l402_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// TestBranches delegates parts of an account. Each is counted for itself, and in what it is a part of.
//
// docs/cases.md, C59.
func TestBranches(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	research, writing := b.narrowed("almanac_budget=research:5"), b.narrowed("almanac_budget=writing:2")
	summaries := research.narrowed("almanac_budget=summaries:3")
	s.wantServed(s.search1(research.header()), 4)
	s.wantServed(s.search1(b.header()), 98) // what the parent uses does not take from a branch
	s.wantServed(s.search1(research.header()), 3)
	s.wantServed(s.search1(writing.header()), 1)
	s.wantServed(s.search1(writing.header()), 0)
	s.wantChallenge(s.search1(writing.header()), problem.BudgetExhausted)
	s.wantServed(s.search1(summaries.header()), 2)
	s.wantServed(s.search1(summaries.header()), 1)
	s.wantServed(s.search1(research.header()), 0)
	s.wantChallenge(s.search1(summaries.header()), problem.BudgetExhausted) // one of its three is left, and none of the five
	s.wantUsed(b, 8)
	s.wantServed(s.search1(b.header()), 91)

	// A branch named summaries in another branch is another one, and cannot use up what this one has.
	s.wantServed(s.search1(b.narrowed("almanac_budget=editing:9", "almanac_budget=summaries:2").header()), 1)
	// An absolute limit, an end and unknown caveats bound a branch as they bound any copy.
	s.wantChallenge(s.search1(b.narrowed("almanac_budget=late:9", "almanac_credits=10").header()), problem.CreditsExhausted)
	s.wantChallenge(s.search1(b.narrowed("almanac_budget=late:9", "almanac_valid_until=1").header()), problem.CredentialExpired)
	s.wantServed(s.search1(b.narrowed("almanac_budget=late:9", "purpose=translation").header()), 8)
	// What no answer was found for is given back to the branch, too.
	for range 3 {
		if a := s.do("GET", "/v1/search?q=500", b.narrowed("almanac_budget=failing:1").header()); a.StatusCode != 500 {
			t.Fatalf("%d", a.StatusCode)
		}
	}
	s.wantServed(s.search1(b.narrowed("almanac_budget=failing:1").header()), 0)
	s.wantUsed(b, 12)
}

// TestBudgetsRefused breaks one thing at a time. The refusal says what, over every interface.
func TestBudgetsRefused(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	for _, good := range [][]string{
		{"almanac_budget=a:100"}, {"almanac_budget=a-1:1"}, {"almanac_budget=" + strings.Repeat("a", 32) + ":2"},
		{"almanac_budget=a:3", "almanac_budget=b:3", "almanac_budget=c:3"}, {"almanac_credits=50", "almanac_budget=a:50"},
	} {
		if a := s.search1(b.narrowed(good...).header()); a.StatusCode != 200 {
			t.Errorf("%q: %d %s", good, a.StatusCode, a.body)
		}
	}
	for _, tt := range []struct {
		caveats, detail string
	}{
		{"a:5 a:5", `"a" is named twice`},
		{"a:5 a:4", `"a" is named twice`},
		{"a:5 a:6", `"a" is named twice`},
		{"a:5 b:4 a:3", `"a" is named twice`},
		{"a:101", `"a" asks for 101 credits, but what it is a part of may use 100`},
		{"a:5 b:6", `"b" asks for 6 credits, but what it is a part of may use 5`},
		{"a:5 b:5 c:5 d:5", `"d" would be the fourth`},
		{"a", "cannot be read"}, {"a:", "cannot be read"}, {":5", "cannot be read"}, {"a:0", "cannot be read"}, {"a:-1", "cannot be read"}, {"a:05", "cannot be read"},
		{"a:5:5", "cannot be read"}, {"A:5", "cannot be read"}, {"a/b:5", "cannot be read"}, {"ä:5", "cannot be read"}, {"a:99999999999999999999", "cannot be read"},
		{strings.Repeat("a", 33) + ":5", "cannot be read"}, {strings.Repeat("x", 2000), "cannot be read"}, {"", "cannot be read"},
	} {
		var caveats []string
		for _, c := range strings.Split(tt.caveats, " ") {
			caveats = append(caveats, "almanac_budget="+c)
		}
		header := b.narrowed(caveats...).header()
		answer := s.search1(header)
		s.wantChallenge(answer, problem.BudgetInvalid)
		_, callErr := client.Check(with("authorization", header), question)
		_, spendErr := s.paywall.Spend(t.Context(), l402.Request{Credential: header})
		var spend *problem.Problem
		if !errors.As(spendErr, &spend) || spend.Code != problem.BudgetInvalid {
			t.Fatalf("%s: Spend: %v", tt.caveats, spendErr)
		}
		info := infoOf(t, callErr)
		if info.Reason != problem.ErrorInfo(problem.BudgetInvalid).Reason {
			t.Errorf("%s: gRPC: %v", tt.caveats, info)
		}
		for door, detail := range map[string]string{"HTTP": answer.problem.Detail, "gRPC": info.Metadata["detail"], "MCP": spend.Detail} {
			if !strings.Contains(detail, tt.detail) || len(detail) > 600 {
				t.Errorf("%s over %s: %q, want %q in it", tt.caveats, door, detail, tt.detail)
			}
		}
	}
	s.wantUsed(b, 5)
}

func infoOf(t *testing.T, err error) *errdetails.ErrorInfo {
	t.Helper()
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	t.Fatalf("%v has no ErrorInfo", err)
	return nil
}

// TestBudgetCopies sends two copies of one credential: both must be of one branch.
func TestBudgetCopies(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	a, inner, other := b.narrowed("almanac_budget=a:5"), b.narrowed("almanac_budget=a:3", "almanac_budget=b:3"), b.narrowed("almanac_budget=other:5")
	send := func(copies ...bought) *answer {
		var macs []string
		for _, c := range copies {
			macs = append(macs, std(c.raw))
		}
		return s.search1(bearer(strings.Join(macs, ","), b.preimage.String()))
	}
	s.wantServed(send(b, a), 4)
	s.wantServed(send(a, b), 3)
	s.wantServed(send(inner, a), 0) // three of the account's branch may be used, by what the inner copy says
	s.wantChallenge(send(a, inner), problem.BudgetExhausted)
	s.wantChallenge(send(a, other), problem.BudgetInvalid)
	s.wantChallenge(send(other, a), problem.BudgetInvalid)
	s.wantUsed(b, 3)
}

// TestTooManyBranches: the refusal says that the account is full of branches, and holders of one go on.
func TestTooManyBranches(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	for n := range 32 {
		s.wantServed(s.search1(b.narrowed(fmt.Sprintf("almanac_budget=b%d:9", n)).header()), 8)
	}
	more := b.narrowed("almanac_budget=more:9")
	a := s.search1(more.header())
	s.wantChallenge(a, problem.BudgetInvalid)
	_, err := client.Check(with("authorization", more.header()), question)
	for _, detail := range []string{a.problem.Detail, infoOf(t, err).Metadata["detail"]} {
		if !strings.Contains(detail, "at most 32 branches in use") {
			t.Errorf("%q", detail)
		}
	}
	s.wantServed(s.search1(b.narrowed("almanac_budget=b7:9").header()), 7)
}

// TestBudgetBalance: what is left of the branch and of the account is stated wherever a balance is.
func TestBudgetBalance(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	inner := b.narrowed("almanac_budget=research:5", "almanac_budget=summaries:3")
	for range 10 {
		s.search1(b.header())
	}
	headers := func(h http.Header) []string {
		return []string{h.Get("RateLimit-Policy"), h.Get("RateLimit"), h.Get("X-Credit-Balance")}
	}
	want := func(left int) []string {
		return []string{`"budget";q=3, "credits";q=100;w=2592000`, fmt.Sprintf(`"budget";r=%d;t=2592900, "credits";r=%d;t=2592900`, left, 87+left), fmt.Sprint(left)}
	}
	for _, path := range []string{"/v1/credits", "/v1/search?q=x"} {
		for _, method := range []string{"HEAD", "GET"} {
			left := 3
			if path != "/v1/credits" && method == "GET" {
				left = 2
			}
			if diff := cmp.Diff(want(left), headers(s.do(method, path, inner.header()).Header)); diff != "" {
				t.Errorf("%s %s: %s", method, path, diff)
			}
		}
	}
	var md metadata.MD
	if _, err := client.Check(with("authorization", inner.header()), question, grpc.Header(&md)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want(1), headers(http.Header{"Ratelimit-Policy": md["ratelimit-policy"], "Ratelimit": md["ratelimit"], "X-Credit-Balance": md["x-credit-balance"]})); diff != "" {
		t.Errorf("gRPC: %s", diff)
	}
	document := func(b bought) (d map[string]any) {
		if err := json.Unmarshal(s.do("GET", "/v1/credits", b.header()).body, &d); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"schema_version", "generated_at", "payment_hash", "valid_until"} {
			delete(d, name)
		}
		return d
	}
	if diff := cmp.Diff(map[string]any{"credits": 100., "remaining": 1., "account_remaining": 88., "branches": []any{
		map[string]any{"branch": "research", "credits": 5., "remaining": 3.}, map[string]any{"branch": "research/summaries", "credits": 3., "remaining": 1.},
	}}, document(inner)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"credits": 100., "remaining": 88.}, document(b)); diff != "" {
		t.Error(diff)
	}
	balance, err := s.paywall.Balance(t.Context(), inner.header())
	if err != nil || balance.Remaining != 1 || balance.Account != 88 {
		t.Errorf("%+v, %v", balance, err)
	}
	s.search1(inner.header())
	if a := s.do("HEAD", "/v1/search?q=x", inner.header()); a.StatusCode != 402 {
		t.Errorf("HEAD with a budget that is used up: %d", a.StatusCode)
	}
}

// TestBudgetsAtOnce sends 300 requests at once over HTTP, gRPC and the door of MCP, of two branches, one within one of
// them, and the account.
func TestBudgetsAtOnce(t *testing.T) {
	s := openShop(t)
	client, _, _ := s.listenGRPC()
	b := s.buy()
	copies := []struct {
		header string
		budget int64
	}{{b.narrowed("almanac_budget=a:20").header(), 20}, {b.narrowed("almanac_budget=b:30", "almanac_budget=c:10").header(), 10}, {b.narrowed("almanac_budget=d:7").header(), 7}}
	served := make([]atomic.Int64, len(copies))
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			n := i % len(copies)
			ok := false
			switch i / len(copies) % 3 {
			case 0:
				ok = s.search1(copies[n].header).StatusCode == 200
			case 1:
				_, err := client.Check(with("authorization", copies[n].header), question)
				ok = err == nil
			default:
				_, err := s.paywall.Spend(t.Context(), l402.Request{Credential: copies[n].header})
				ok = err == nil
			}
			if ok {
				served[n].Add(1)
			}
		})
	}
	wg.Wait()
	for n, c := range copies {
		if got := served[n].Load(); got != c.budget {
			t.Errorf("copy %d: %d served, want %d", n, got, c.budget)
		}
	}
	s.wantUsed(b, 37)
}

// TestBudgetNames: a named request costs its branch one credit however often it comes, and another branch its own.
func TestBudgetNames(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	ask := func(b bought, key string) *answer {
		req, err := http.NewRequest("GET", s.server.URL+"/v1/search?q=x", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", b.header())
		req.Header.Set("Idempotency-Key", key)
		return s.send(req)
	}
	a, other := b.narrowed("almanac_budget=a:2"), b.narrowed("almanac_budget=other:2")
	for range 3 {
		s.wantServed(ask(a, "one"), 1)
	}
	s.wantServed(ask(other, "one"), 1)
	s.wantServed(ask(a, "two"), 0)
	s.wantServed(ask(a, "one"), 0) // what was paid for is delivered again
	s.wantChallenge(ask(a, "three"), problem.BudgetExhausted)
	s.wantUsed(b, 3)
}

// TestSaleIsRecorded: the account has price and time of its challenge, whichever scheme opens it, and no holder of a
// credential can say otherwise.
func TestSaleIsRecorded(t *testing.T) {
	paid := l402.Sale{Kind: l402.SalePaid, PriceSats: 100, At: noon}
	demo := func(c *l402.Config) { c.DemoWalletURL = "https://almanac.test/demo/pay" }
	for name, tt := range map[string]struct {
		edit func(*l402.Config)
		open func(s *shop) bought
		want l402.Sale
	}{
		"L402": {open: func(s *shop) bought { b := s.buy(); s.search1(b.header()); return b }, want: paid},
		"later": {open: func(s *shop) bought {
			b := s.buy()
			s.clock.Step(86400e9)
			s.search1(b.header())
			return b
		}, want: paid},
		"demo":   {edit: demo, open: func(s *shop) bought { b := s.buy(); s.search1(b.header()); return b }, want: l402.Sale{Kind: l402.SaleDemo, At: noon}},
		"forged": {open: func(s *shop) bought { b := s.buy().narrowed("almanac_sold=paid:1:1"); s.search1(b.header()); return b }, want: paid},
		"of a macaroon from before": {open: func(s *shop) bought {
			b := s.sign(goodID, append(ours(), "almanac_sold=paid:1:1")...)
			s.wantServed(s.search1(b.header()), 99)
			return b
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var edits []func(*l402.Config)
			if tt.edit != nil {
				edits = append(edits, tt.edit)
			}
			s := openShop(t, edits...)
			b := tt.open(s)
			a, err := s.ledger.Ledger.Account(t.Context(), b.hash)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, a.Sale); diff != "" {
				t.Error(diff)
			}
		})
	}
	s := openShop(t, bothSchemes)
	b, _, payment := s.buyBoth(t)
	s.search1(payment)
	if a, err := s.ledger.Ledger.Account(t.Context(), b.hash); err != nil || cmp.Diff(paid, a.Sale) != "" {
		t.Errorf("Payment: %+v, %v", a.Sale, err)
	}
}

// TestEndsHaveOneName holds that expires_at is when an invoice ends, and valid_until when a credential does.
func TestEndsHaveOneName(t *testing.T) {
	s := openShop(t)
	unpaid := s.search1()
	b := s.pay(unpaid.problem.Macaroon, unpaid.problem.Invoice)
	invoice := noon.Add(l402.InvoiceExpiry).Format(time.RFC3339)
	credential := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour).Format(time.RFC3339)
	for name, tt := range map[string]struct {
		body []byte
		want string
	}{
		"challenge": {unpaid.body, "expires_at " + invoice},
		"credits":   {s.do("GET", "/v1/credits", b.header()).body, "valid_until " + credential},
		"answer":    {s.search1(b.header()).body, "valid_until " + credential},
	} {
		var ends []string
		for _, m := range regexp.MustCompile(`"(\w+)": ?"(20\d\d-[^"]+)"`).FindAllStringSubmatch(string(tt.body), -1) {
			if m[1] != "generated_at" {
				ends = append(ends, m[1]+" "+m[2])
			}
		}
		if diff := cmp.Diff([]string{tt.want}, ends); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
