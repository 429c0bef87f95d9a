package l402_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/zpay32"
)

const realm = "almanac.test"

// bothSchemes makes a shop offer the scheme Payment beside L402.
func bothSchemes(c *l402.Config) { c.Realm = realm }

var authParam = regexp.MustCompile(`([a-z]+)="((?:[^"\\]|\\.)*)"`)

// paymentOf parses a challenge of the scheme Payment.
func paymentOf(t *testing.T, header string) mpp.Challenge {
	t.Helper()
	rest, ok := strings.CutPrefix(header, "Payment ")
	if !ok {
		t.Fatalf("%q is not a Payment challenge", header)
	}
	params := make(map[string]string)
	for _, m := range authParam.FindAllStringSubmatch(rest, -1) {
		params[m[1]] = m[2]
	}
	b, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var c mpp.Challenge
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// credentialOf returns the Authorization value for a challenge and a preimage.
func credentialOf(c mpp.Challenge, preimage string) string {
	o := challenge.CanonicalObject{
		"challenge": challenge.CanonicalObject{"id": c.ID, "realm": c.Realm, "method": c.Method, "intent": c.Intent, "request": c.Request, "expires": c.Expires},
		"payload":   challenge.CanonicalObject{"preimage": preimage},
	}
	return "Payment " + challenge.Encode(o.Canonical())
}

// buyBoth buys, and returns the credential in both schemes.
func (s *shop) buyBoth(t *testing.T) (b bought, c mpp.Challenge, payment string) {
	t.Helper()
	a := s.search1()
	values := a.Header.Values("WWW-Authenticate")
	if a.StatusCode != 402 || len(values) != 2 || !strings.HasPrefix(values[0], "L402 macaroon=") {
		t.Fatalf("%d %q, want a challenge in both schemes, L402 first", a.StatusCode, values)
	}
	c = paymentOf(t, values[1])
	b = s.pay(a.problem.Macaroon, a.problem.Invoice)
	return b, c, credentialOf(c, b.preimage.String())
}

// TestPaymentChallenge reads a challenge of the scheme Payment as its clients must: everything that it says is what the
// invoice says.
func TestPaymentChallenge(t *testing.T) {
	s := openShop(t, bothSchemes)
	a := s.search1()
	c := paymentOf(t, a.Header.Values("WWW-Authenticate")[1])
	if c.Realm != realm || c.Method != "lightning" || c.Intent != "charge" || len(c.ID) != 43 || !strings.Contains(c.Description, "100 requests within 30 days") {
		t.Errorf("%+v", c)
	}
	text, err := challenge.Decode(c.Request)
	if err != nil {
		t.Fatal(err)
	}
	want := challenge.CanonicalObject{"amount": "100", "currency": "sat", "description": "almanac: 100 requests", "methodDetails": challenge.CanonicalObject{
		"invoice": a.problem.Invoice, "network": "regtest", "paymentHash": a.problem.PaymentHash,
	}, "externalId": fmt.Sprintf("100:%d:paid:100:%d", noon.Add(l402.InvoiceExpiry+30*24*time.Hour).Unix(), noon.Unix())}.Canonical()
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	invoice, err := zpay32.Decode(a.problem.Invoice, &chaincfg.RegressionNetParams)
	if err != nil {
		t.Fatal(err)
	}
	if end := invoice.Timestamp.Add(invoice.Expiry()).UTC().Format(time.RFC3339); c.Expires != end || fmt.Sprintf("%x", *invoice.PaymentHash) != a.problem.PaymentHash {
		t.Errorf("expires %s, the invoice %s", c.Expires, end)
	}
	if n := len(strings.Join(a.Header.Values("WWW-Authenticate"), ", ")); n > 4<<10 {
		t.Errorf("the challenges have %d bytes; clients need accept no more than 4 KiB", n)
	}
}

// TestPaymentPurchase buys with the scheme Payment: the same credential is good for 100 requests, each with a receipt,
// and it shares them with the L402 credential of the same invoice.
func TestPaymentPurchase(t *testing.T) {
	s := openShop(t, bothSchemes)
	b, c, payment := s.buyBoth(t)
	for i := range 50 {
		a := s.search1(payment)
		s.wantServed(a, 99-2*i)
		receipt, err := challenge.Decode(a.Header.Get("Payment-Receipt"))
		want := challenge.CanonicalObject{"challengeId": c.ID, "method": "lightning", "reference": b.hash.String(), "status": "success", "timestamp": s.clock.Now().UTC().Format(time.RFC3339)}.Canonical()
		if err != nil || receipt != want || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Fatalf("receipt %s, %v, want %s; %v", receipt, err, want, a.Header)
		}
		a = s.search1(b.header())
		s.wantServed(a, 98-2*i)
		if a.Header.Get("Payment-Receipt") != "" {
			t.Fatal("an L402 credential has a receipt of the scheme Payment")
		}
	}
	for _, header := range []string{payment, b.header()} {
		if a := s.search1(header); a.StatusCode != 402 || a.problem.Code != problem.CreditsExhausted || len(a.Header.Values("WWW-Authenticate")) != 2 || a.Header.Get("Payment-Receipt") != "" {
			t.Errorf("%d %v %s", a.StatusCode, a.Header, a.body)
		}
	}
	s.wantUsed(b, 100)
	s.wantServed(s.do("GET", "/v1/credits", payment), 0)
	if a := s.do("GET", "/v1/search", payment); a.StatusCode != 400 || a.Header.Get("Payment-Receipt") != "" {
		t.Errorf("a bad query: %d %v", a.StatusCode, a.Header)
	}
}

// TestAcceptPayment holds which challenge comes first: Payment for clients that say that they accept it, L402 for all
// others.
func TestAcceptPayment(t *testing.T) {
	s := openShop(t, bothSchemes)
	for accept, first := range map[string]string{
		"": "L402", "tempo/*": "L402", "lightning/charge;q=0": "L402", "lightning/charge, tempo/*;q=0.5, */*;q=0": "Payment", "lightning/charge": "Payment",
	} {
		r, err := http.NewRequest("GET", s.server.URL+"/v1/search?q=x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if accept != "" {
			r.Header.Set("Accept-Payment", accept)
		}
		values := s.send(r).Header.Values("WWW-Authenticate")
		if len(values) != 2 || !strings.HasPrefix(values[0], first+" ") {
			t.Errorf("%q: %q", accept, values)
		}
	}
	if values := s.search1("Payment dGhpcyBpcyBnYXJiYWdl").Header.Values("WWW-Authenticate"); len(values) != 2 || !strings.HasPrefix(values[0], "Payment ") {
		t.Errorf("after a Payment credential: %q", values)
	}
}

// TestPaymentProblemTypes: clients of the scheme Payment find the types that its drafts define in the bodies of a 402,
// beside the same code and the same members; all others find the address that explains the code.
func TestPaymentProblemTypes(t *testing.T) {
	s := openShop(t, bothSchemes)
	_, _, payment := s.buyBoth(t)
	spent, _, spentPayment := s.buyBoth(t)
	for range 100 {
		s.search1(spent.header())
	}
	const types = "https://paymentauth.org/problems/"
	for _, tt := range []struct{ path, authorization, accept, want string }{
		{"/v1/search?q=x", "", "", problemBase(problem.PaymentRequired)},
		{"/v1/search?q=x", "", "tempo/charge", problemBase(problem.PaymentRequired)},
		{"/v1/search?q=x", spent.header(), "", problemBase(problem.CreditsExhausted)},
		{"/v1/search?q=x", "", "lightning/charge", types + "payment-required"},
		{"/v1/search?q=x", "", "lightning/*", types + "payment-required"},
		{"/v1/search?q=x", "", "*/*", types + "payment-required"},
		{"/v1/search?q=x", "", "lightning/charge;q=", problemBase(problem.PaymentRequired)},
		{"/v1/search?q=x", "", "*/*, lightning/charge;q=-1", problemBase(problem.PaymentRequired)},
		{"/v1/search", "", "lightning/charge", types + "payment-required"},
		{"/v1/search?q=x", "Payment e30", "", types + "lightning/malformed-credential"},
		{"/v1/credits", "Payment e30", "", types + "lightning/malformed-credential"},
		{"/v1/search?q=x", spentPayment, "", types + "lightning/unknown-challenge"},
		{"/v1/search", payment, "", problemBase(problem.QueryInvalid)},
	} {
		r, err := http.NewRequest("GET", s.server.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Payment", tt.accept)
		if tt.authorization != "" {
			r.Header.Set("Authorization", tt.authorization)
		}
		a := s.send(r)
		if a.problem.Type != tt.want || a.problem.Code == "" {
			t.Errorf("%+v: type %s", tt, a.problem.Type)
		}
		first := "Pay invoice"
		if a.problem.Code == problem.CredentialMalformed {
			first = problem.PaidAlready + " Only if nobody has paid: " + first
		}
		if a.StatusCode == 402 && tt.path != "/v1/credits" && (a.problem.Macaroon == "" || a.problem.PriceSats != 100 || !strings.Contains(string(a.body), `"instructions":["`+first)) {
			t.Errorf("%+v: the body lacks members: %s", tt, a.body)
		}
	}
	only := openShop(t) // which does not offer the scheme
	r, err := http.NewRequest("GET", only.server.URL+"/v1/search?q=x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Payment", "lightning/charge")
	only.wantChallenge(only.send(r), problem.PaymentRequired)
}

// TestBothSchemesAtOnce races both credentials of one account, over HTTP and gRPC: exactly 100 answers are served.
func TestBothSchemesAtOnce(t *testing.T) {
	s := openShop(t, bothSchemes)
	client, _, _ := s.listenGRPC()
	b, _, payment := s.buyBoth(t)
	var served atomic.Int64
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			header := []string{payment, b.header()}[i%2]
			if i%3 == 0 {
				if _, err := client.Check(with("authorization", header), question); err == nil {
					served.Add(1)
				}
			} else if s.search1(header).StatusCode == 200 {
				served.Add(1)
			}
		})
	}
	wg.Wait()
	if served.Load() != 100 {
		t.Errorf("%d served, want 100", served.Load())
	}
}

// TestBothSchemesForClients lets clients from npm buy and reuse: those that know L402 as before, and those that know
// the scheme Payment.
func TestBothSchemesForClients(t *testing.T) {
	dir := modules(t)
	s := openShop(t, bothSchemes)
	for _, tt := range []struct{ client, accept, scheme string }{
		{"fetchWithL402", "", "L402"}, {"fetch402", "", "L402"}, {"lsat-js", "", "LSAT"},
		{"fetch402", "lightning/charge", "Payment"}, {"fetchWithMpp", "lightning/charge", "Payment"},
	} {
		t.Run(tt.client+" "+tt.accept, func(t *testing.T) {
			t.Parallel()
			var got struct {
				Statuses      []int
				Payments      int
				Authorization string
				Error         string
			}
			runNode(t, &got, "http.mjs", tt.client, dir, s.server.URL+"/v1/search?q=x402", s.server.URL+"/demo/pay", tt.accept)
			if !slices.Equal(got.Statuses, []int{200, 200}) || got.Payments != 1 || !strings.HasPrefix(got.Authorization, tt.scheme+" ") {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("fetchWithMpp without Accept-Payment", func(t *testing.T) { // which looks at the first challenge only
		var got struct {
			Statuses []int
			Payments int
		}
		runNode(t, &got, "http.mjs", "fetchWithMpp", dir, s.server.URL+"/v1/search?q=x402", s.server.URL+"/demo/pay")
		if !slices.Equal(got.Statuses, []int{402}) || got.Payments != 0 {
			t.Errorf("%+v; if it buys now, docs/use.md and the order of challenges can be simpler", got)
		}
	})
}

// TestCurl buys with curl and reuses what it bought, in both schemes.
func TestCurl(t *testing.T) {
	parttest.Everyday(t, "curl")
	s := openShop(t, bothSchemes)
	curl := func(args ...string) *http.Response {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "curl", append([]string{"--silent", "--include", s.server.URL + "/v1/search?q=x402"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(out)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for _, scheme := range []string{"L402", "Payment"} {
		values := curl("-H", map[string]string{"L402": "Accept: */*", "Payment": "Accept-Payment: lightning/charge"}[scheme]).Header.Values("WWW-Authenticate")
		if len(values) != 2 || !strings.HasPrefix(values[0], scheme+" ") {
			t.Fatalf("%s: %q", scheme, values)
		}
		slices.Sort(values) // L402 first
		m := ourShape.FindStringSubmatch(values[0])
		b := s.pay(m[1], m[2])
		header := map[string]string{"L402": b.header(), "Payment": credentialOf(paymentOf(t, values[1]), b.preimage.String())}[scheme]
		for _, left := range []string{"99", "98"} {
			if resp := curl("-H", "Authorization: "+header); resp.StatusCode != 200 || resp.Header.Get("X-Credit-Balance") != left || (resp.Header.Get("Payment-Receipt") != "") != (scheme == "Payment") {
				t.Errorf("%s: %d %v", scheme, resp.StatusCode, resp.Header)
			}
		}
	}
}
