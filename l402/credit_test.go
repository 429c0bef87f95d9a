package l402_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almanac/l402"
	"almanac/l402/ledger"
	"almanac/problem"
)

// docs/contract.md, "Cases", C33.
func TestHundredAnswersAndNoMore(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	for i := range 100 {
		a := s.search1(b.header())
		s.wantServed(a, 99-i)
		until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
		for name, want := range map[string]string{
			"RateLimit-Policy": `"credits";q=100;w=2592000`,
			"RateLimit":        fmt.Sprintf(`"credits";r=%d;t=%d`, 99-i, int(until.Sub(noon).Seconds())),
			"Cache-Control":    "private, no-store",
			"Vary":             "Authorization",
		} {
			if got := a.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Fatalf("%s: got %q, want %q", name, got, want)
			}
		}
		var body struct {
			Credits struct {
				Remaining int
				ExpiresAt time.Time `json:"expires_at"`
			}
		}
		if err := json.Unmarshal(a.body, &body); err != nil || body.Credits.Remaining != 99-i || !body.Credits.ExpiresAt.Equal(until) {
			t.Fatalf("body: %s, %v", a.body, err)
		}
	}
	s.wantChallenge(s.search1(b.header()), problem.CreditsExhausted)
	s.wantUsed(b, 100)
}

// docs/contract.md, "Cases", C34.
func TestSimultaneousRequests(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	var served, refused atomic.Int64
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			switch a := s.search1(b.header()); a.StatusCode {
			case 200:
				served.Add(1)
			case 402:
				refused.Add(1)
			default:
				t.Errorf("%d: %s", a.StatusCode, a.body)
			}
		})
	}
	wg.Wait()
	if served.Load() != 100 || refused.Load() != 400 || s.served.Load() != 100 {
		t.Fatalf("%d served, %d refused, the handler ran %d times; want 100, 400, 100", served.Load(), refused.Load(), s.served.Load())
	}
	// Over two replicas, over gRPC as well, and across kill -9: package ledger's tests.
}

// docs/contract.md, "Cases", C35.
func TestRepeatedRequest(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	s.wantServed(s.search1(b.header()), 99)
	s.wantServed(s.search1(b.header()), 98) // the same question again is another request
}

// docs/contract.md, "Cases", C36.
func TestRefusedRequestsCostNothing(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	for _, q := range []string{"", "?q=", "?q=" + strings.Repeat("a", 257), "?other=1"} {
		s.wantRefusal(s.do("GET", "/v1/search"+q, b.header()), 400, problem.QueryInvalid)
		s.wantChallenge(s.do("GET", "/v1/search"+q), problem.PaymentRequired)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "QUERY"} {
		a := s.do(method, "/v1/search?q=a", b.header())
		s.wantRefusal(a, 405, problem.MethodNotAllowed)
		if a.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: Allow %q", method, a.Header.Get("Allow"))
		}
	}
	if a := s.do("GET", "/v1/nothing", b.header()); a.StatusCode != 404 {
		t.Errorf("got %d, want 404", a.StatusCode)
	}
	if a := s.do("OPTIONS", "/v1/search?q=a", b.header()); a.StatusCode != 204 || !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", a.StatusCode, a.Header)
	}
	a := s.do("HEAD", "/v1/search?q=a", b.header())
	s.wantServed(a, 100)
	if a := s.do("HEAD", "/v1/search?q=a"); a.StatusCode != 402 || a.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("HEAD: %d %v", a.StatusCode, a.Header)
	}
	if s.served.Load() != 0 {
		t.Error("the handler ran")
	}
	s.wantUsed(b, 0)
	s.wantServed(s.search1(b.narrowed("almanac_credits=1").header()), 0)
	if a := s.do("HEAD", "/v1/search?q=a", b.narrowed("almanac_credits=1").header()); a.StatusCode != 402 {
		t.Errorf("HEAD with nothing left: %d", a.StatusCode)
	}
}

// docs/contract.md, "Cases", C37.
func TestOnlyA200Costs(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	for _, status := range []int{201, 204, 206, 301, 304, 400, 404, 429, 500, 502, 503} {
		a := s.do("GET", fmt.Sprintf("/v1/search?q=%d", status), b.header())
		if a.StatusCode != status || a.Header.Get("X-Credit-Balance") != "" {
			t.Errorf("got %d with balance %q, want %d without", a.StatusCode, a.Header.Get("X-Credit-Balance"), status)
		}
		s.wantUsed(b, 0)
	}
	s.wantRefusal(s.do("GET", "/v1/search?q=panic", b.header()), 500, problem.Internal)
	s.wantUsed(b, 0)
	for _, q := range []string{"abort", "panic+late", "twice"} {
		resp, err := s.get("/v1/search?q="+q, b)
		if err == nil && resp.StatusCode == 200 {
			t.Errorf("%s: a whole 200", q)
		}
		s.wantUsed(b, 0)
	}
	if refunds, failures := s.ledger.refunds.Load(), s.served.Load(); refunds != failures { // the client repeats some by itself
		t.Errorf("%d refunds for %d failures", refunds, failures)
	}
	s.wantServed(s.search1(b.header()), 99)
	s.wantServed(s.do("GET", "/v1/search?q=silent", b.header()), 98) // writing nothing is a 200 like any other
}

// get is do for answers that break off.
func (s *shop) get(path string, b bought) (*http.Response, error) {
	req, err := http.NewRequest("GET", s.server.URL+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", b.header())
	resp, err := s.server.Client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	buf := make([]byte, 1<<10)
	for {
		if _, err := resp.Body.Read(buf); err != nil {
			if err.Error() == "EOF" {
				err = nil
			}
			return resp, err
		}
	}
}

// docs/contract.md, "Cases", C37.
func TestRefundWaitsForTheLedger(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	down := error(fmt.Errorf("%w: off", l402.ErrLedgerUnavailable))
	s.ledger.refund.Store(&down)
	s.do("GET", "/v1/search?q=500", b.header())
	s.wantUsed(b, 1)
	s.ledger.refund.Store(nil)
	deadline := time.Now().Add(2 * time.Minute)
	for {
		if a, err := s.ledger.Ledger.Account(t.Context(), b.hash); err == nil && a.Used == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the credit did not come back when the ledger did")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// C38 is held by TestKill9 in package ledger. C39 cannot occur: see C31.

// docs/contract.md, "Cases", C40.
func TestExpiryToTheSecond(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
	s.clock.Set(until.Add(-time.Second))
	s.wantServed(s.search1(b.header()), 99)
	s.clock.Set(until)
	s.wantChallenge(s.search1(b.header()), problem.CredentialExpired)
	s.clock.Set(until.Add(time.Second))
	s.wantChallenge(s.search1(b.header()), problem.CredentialExpired)
	s.clock.Set(noon.Add(-24 * time.Hour))
	s.wantServed(s.search1(b.header()), 98) // a clock that steps back finds the same account
	s.wantUsed(b, 2)
	// 30 days count from the end of the invoice, which no buyer can pay later than: TestPaidAtTheLastMoment.
}

// docs/contract.md, "Cases", C41.
func TestRevokedCredential(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	s.wantServed(s.search1(b.header()), 99)
	if err := s.ledger.Revoke(t.Context(), b.hash, noon); err != nil {
		t.Fatal(err)
	}
	s.wantChallenge(s.search1(b.header()), problem.CredentialRevoked)
	s.wantChallenge(s.search1(b.narrowed("x=1").header()), problem.CredentialRevoked)
	s.wantRefusal(s.do("GET", "/v1/credits", b.header()), 402, problem.CredentialRevoked)
	if a := s.do("HEAD", "/v1/search?q=a", b.header()); a.StatusCode != 402 {
		t.Errorf("HEAD: %d", a.StatusCode)
	}
}

// docs/contract.md, "Cases", C42.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "keys")
	open := func() l402.Keys {
		t.Helper()
		keys, err := l402.OpenKeys(path)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	first := open()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; want 0600", info.Mode(), err)
	}
	url := "sqlite:" + filepath.Join(dir, "ledger.db")
	l, err := ledger.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	with := func(k l402.Keys) func(*l402.Config) { return func(c *l402.Config) { c.Keys = k } }
	s := openShopOn(t, l, with(first))
	old := s.buy()
	s.wantServed(s.search1(old.header()), 99)

	// Rotation: a new key goes first. Both sign what is accepted.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := strings.Repeat("5a", 32)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fresh + "\n" + string(text))
	s = openShopOn(t, l, with(open()))
	young := s.buy()
	s.wantServed(s.search1(old.header()), 98)
	s.wantServed(s.search1(young.header()), 99)

	// Without the old key its tokens are revoked.
	write(fresh + "\n")
	s = openShopOn(t, l, with(open()))
	s.wantChallenge(s.search1(old.header()), problem.CredentialInvalid)
	s.wantServed(s.search1(young.header()), 98)

	// The same without a restart.
	write(string(text))
	if err := s.paywall.SetKeys(t.Context(), open()); err != nil {
		t.Fatal(err)
	}
	s.wantServed(s.search1(old.header()), 97)
	s.wantChallenge(s.search1(young.header()), problem.CredentialInvalid)
	write(fresh + "\n" + string(text))
	if err := s.paywall.SetKeys(t.Context(), open()); err != nil {
		t.Fatal(err)
	}
	s.wantServed(s.search1(old.header()), 96)
	s.wantServed(s.search1(young.header()), 97)
	write(strings.Repeat("11", 32) + "\n")
	if err := s.paywall.SetKeys(t.Context(), open()); !errors.Is(err, l402.ErrForeignKeys) {
		t.Errorf("SetKeys with other keys: %v, want ErrForeignKeys", err)
	}
	s.wantServed(s.search1(young.header()), 96) // and everything stays as it was

	// A key file that this ledger never met, as after a restore of the wrong backup, is found out at the start.
	write(strings.Repeat("11", 32) + "\n")
	_, err = l402.New(t.Context(), l402.Config{Terms: l402.DefaultTerms(), Invoicer: s.node, Ledger: l, Keys: open(), Limits: wideLimits(), Now: time.Now, Log: discard()})
	if !errors.Is(err, l402.ErrForeignKeys) {
		t.Fatalf("New with other keys: got %v, want ErrForeignKeys", err)
	}

	for name, text := range map[string]string{
		"empty": "", "comment only": "# nothing\n", "short": fresh[:62], "long": fresh + "00", "not hex": "zz" + fresh[2:],
		"twice": fresh + "\n" + fresh, "zero": strings.Repeat("0", 64), "spaces": " " + fresh, "cut": fresh + "\n" + fresh[:10],
		"many": manyKeys(9), "a long line": strings.Repeat("a", 1<<17),
	} {
		write(text)
		_, err := l402.OpenKeys(path)
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), fresh[:16]) || strings.Contains(err.Error(), "zz") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
	write(fresh)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := l402.OpenKeys(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
	for _, bad := range []string{filepath.Join(dir, "no", "such"), dir} {
		if _, err := l402.OpenKeys(bad); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v", first, first, first); strings.Count(got, "1 master keys") != 3 {
		t.Errorf("keys print as %s", got)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%064x\n", i+1)
	}
	return b.String()
}

func TestOpenKeysAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	var wg sync.WaitGroup
	ids := make([]l402.KeyID, 20)
	for i := range ids {
		wg.Go(func() {
			keys, err := l402.OpenKeys(path)
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = keys.IDs()[0]
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatal("two processes that start at once have different keys")
		}
	}
}

// docs/contract.md, "Cases", C43.
func TestPrunedAccountsStayExpired(t *testing.T) {
	s := openShop(t)
	b, unused := s.buy(), s.buy()
	for i := range 100 {
		s.wantServed(s.search1(b.header()), 99-i)
	}
	until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
	if n, err := s.ledger.Prune(t.Context(), until); err != nil || n != 1 {
		t.Fatalf("Prune: %d, %v", n, err)
	}
	for _, now := range []time.Time{until, until.Add(-time.Second), noon} {
		s.clock.Set(now)
		s.wantChallenge(s.search1(b.header()), problem.CredentialExpired)
		s.wantChallenge(s.search1(unused.header()), problem.CredentialExpired)
	}
	s.clock.Step(time.Second)
	s.wantServed(s.search1(s.buy().header()), 99) // trade goes on
}

// C44: a ledger restored from a backup gives back the credits spent since. Nothing here can know; the README says it.

func TestCreditsHandler(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	calls := s.node.calls.Load()
	check := func(header string, credits, remaining int) {
		t.Helper()
		a := s.do("GET", "/v1/credits", header)
		s.wantServed(a, remaining)
		var doc struct {
			SchemaVersion string `json:"schema_version"`
			PaymentHash   string `json:"payment_hash"`
			Credits       int
			Remaining     int
			ExpiresAt     string `json:"expires_at"`
		}
		if err := json.Unmarshal(a.body, &doc); err != nil || doc.SchemaVersion != "1" || doc.PaymentHash != b.hash.String() ||
			doc.Credits != credits || doc.Remaining != remaining || doc.ExpiresAt == "" {
			t.Fatalf("%s, %v", a.body, err)
		}
	}
	check(b.header(), 100, 100) // and no account is born
	s.wantUsed(b, 0)
	s.wantServed(s.search1(b.header()), 99)
	check(b.header(), 100, 99)
	check(b.narrowed("almanac_credits=3").header(), 100, 2)
	check(b.narrowed("almanac_credits=1").header(), 100, 0)
	check(b.narrowed("almanac_credits=0").header(), 100, 0)
	for header, code := range map[string]problem.Code{
		"":                                  problem.PaymentRequired,
		"L402 x":                            problem.CredentialMalformed,
		bearer(std(b.raw), b.hash.String()): problem.PaymentUnproven,
		b.narrowed("almanac_valid_until=1").header(): problem.CredentialExpired,
		b.narrowed("services=other:0").header():      problem.CredentialInvalid,
	} {
		s.wantRefusal(s.do("GET", "/v1/credits", header), 402, code)
	}
	s.wantRefusal(s.do("POST", "/v1/credits", b.header()), 405, problem.MethodNotAllowed)
	if a := s.do("HEAD", "/v1/credits", b.header()); a.StatusCode != 200 || a.Header.Get("X-Credit-Balance") != "99" {
		t.Errorf("HEAD: %d %v", a.StatusCode, a.Header)
	}
	down := error(fmt.Errorf("%w: off", l402.ErrLedgerUnavailable))
	s.ledger.look.Store(&down)
	s.wantRefusal(s.do("GET", "/v1/credits", b.header()), 503, problem.LedgerUnavailable)
	s.wantUsed(b, 1)
	if s.node.calls.Load() != calls {
		t.Error("asking for the balance asked the node for an invoice")
	}
}

func TestSpendWithoutHTTP(t *testing.T) {
	s := openShop(t)
	c, err := s.paywall.Challenge(t.Context(), addr("192.0.2.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := s.pay(c.Macaroon, c.Invoice)
	for i, text := range []string{b.header(), strings.TrimPrefix(b.header(), "L402 "), "LSAT " + strings.TrimPrefix(b.header(), "L402 ")} {
		charge, err := s.paywall.Spend(t.Context(), l402.Request{Credential: text})
		if err != nil || charge.Balance().Remaining != 99-i || charge.Balance().Credits != 100 {
			t.Fatalf("Spend: %+v, %v", charge, err)
		}
		if i == 2 {
			charge.Refund(t.Context())
			charge.Refund(t.Context())
		}
	}
	s.wantUsed(b, 2)
	for text, code := range map[string]problem.Code{
		"": problem.PaymentRequired, "L402 ": problem.PaymentRequired, "x": problem.CredentialMalformed, b.hash.String(): problem.CredentialMalformed,
		b.narrowed("almanac_credits=2").header(): problem.CreditsExhausted,
	} {
		_, err := s.paywall.Spend(t.Context(), l402.Request{Credential: text})
		var p *problem.Problem
		if !errors.As(err, &p) || p.Code != code || p.Status() != 402 {
			t.Errorf("Spend(%.20q): got %v, want %s", text, err, code)
		}
	}
}
