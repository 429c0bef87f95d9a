package probe_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/probe"
)

// A stub answers every request with 402 in good order, until a test breaks one thing.
type stub struct {
	t    *testing.T
	node *clienttest.Node

	status func(r *http.Request) int // 0 is 402
	values func(inv string, hash [32]byte) []string
	terms  clienttest.Terms
	edit   func(h http.Header)
	body   func(inv string, hash [32]byte) string
	same   bool // one invoice for all

	invoice string
	hash    [32]byte
}

func newStub(t *testing.T) *stub {
	return &stub{t: t, node: clienttest.NewNode(), terms: clienttest.Terms{MilliSats: 100_000},
		values: func(inv string, hash [32]byte) []string {
			return []string{clienttest.L402Header(clienttest.Macaroon(t, hash), inv), paymentHeader(100, inv, hash, "")}
		},
		body: func(inv string, hash [32]byte) string {
			return fmt.Sprintf(`{"type":"about:blank","title":"Payment required","status":402,"price_sats":100,"payment_hash":"%x"}`, hash)
		},
	}
}

// paymentHeader is a Payment challenge with an id of full length.
func paymentHeader(sats int64, invoice string, hash [32]byte, more string) string {
	request := fmt.Sprintf(`{"amount":"%d","currency":"sat","methodDetails":{"invoice":%q,"paymentHash":"%x"}}`, sats, invoice, hash)
	return fmt.Sprintf(`Payment id="%x", realm="127.0.0.1", method="lightning", intent="charge", request="%s", expires="%s"%s`,
		hash[:16], base64.RawURLEncoding.EncodeToString([]byte(request)), time.Now().Add(5*time.Minute).UTC().Format(time.RFC3339), more)
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.same || s.invoice == "" {
		s.invoice, s.hash = s.node.Invoice(s.t, s.terms)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate")
	for _, v := range s.values(s.invoice, s.hash) {
		h.Add("WWW-Authenticate", v)
	}
	if s.edit != nil {
		s.edit(h)
	}
	status := 0
	if s.status != nil {
		status = s.status(r)
	}
	if status == 0 {
		status = 402
	}
	w.WriteHeader(status)
	io.WriteString(w, s.body(s.invoice, s.hash))
}

func (s *stub) run() *probe.Report {
	s.t.Helper()
	srv := httptest.NewServer(s)
	defer srv.Close()
	r, err := (&probe.Probe{Now: time.Now}).Run(s.t.Context(), srv.URL+"/paid")
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// checks returns the names of the checks with findings of a level.
func checks(r *probe.Report, levels ...probe.Level) (names []string) {
	for _, f := range r.Findings {
		if slices.Contains(levels, f.Level) && !slices.Contains(names, f.Check) {
			names = append(names, f.Check)
		}
	}
	return names
}

// TestClean: a seller in good order has no finding.
func TestClean(t *testing.T) {
	r := newStub(t).run()
	if got := checks(r, probe.Fault, probe.Warn); len(got) != 0 {
		t.Errorf("findings %v", got)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "faults: 0, warnings: 0") {
		t.Errorf("%v\n%s", err, &text)
	}
	if all, err := json.Marshal(r); err != nil || !json.Valid(all) {
		t.Errorf("%v\n%s", err, all)
	}
}

// unauthorized answers credentials of a scheme with 401.
func unauthorized(scheme string) func(*http.Request) int {
	return func(r *http.Request) int {
		if strings.HasPrefix(r.Header.Get("Authorization"), scheme+" ") {
			return 401
		}
		return 0
	}
}

// TestUnauthorized: 401 for a wrong credential of L402, which its specification and bLIP-26 demand, is a note that cites no specification.
func TestUnauthorized(t *testing.T) {
	s := newStub(t)
	s.status = unauthorized("L402")
	r := s.run()
	if got := checks(r, probe.Fault, probe.Warn); len(got) != 0 {
		t.Errorf("findings %v", got)
	}
	notes := 0
	for _, f := range r.Findings {
		if f.Level == probe.Note && f.Reference == "" && strings.Contains(f.Message, "401, as L402 allows") {
			notes++
		}
	}
	if notes != 3 {
		t.Errorf("%d notes of 401, want 3: %+v", notes, r.Findings)
	}
}

// TestBroken plants one fault at a time, and finds exactly that.
func TestBroken(t *testing.T) {
	l402 := func(edit func(mac, inv string) string) func(*stub) {
		return func(s *stub) {
			s.values = func(inv string, hash [32]byte) []string { return []string{edit(clienttest.Macaroon(s.t, hash), inv)} }
		}
	}
	for _, tt := range []struct {
		name string
		edit func(*stub)
		want []string
	}{
		{"served without payment", func(s *stub) {
			s.status = func(r *http.Request) int {
				if strings.HasSuffix(r.Header.Get("Authorization"), strings.Repeat("0", 64)) {
					return 200
				}
				return 0
			}
		}, []string{"wrong.l402.zero"}},
		{"the hash counts as proof", func(s *stub) {
			s.status = func(r *http.Request) int {
				if a := r.Header.Get("Authorization"); strings.HasPrefix(a, "L402 Ag") && !strings.HasSuffix(a, strings.Repeat("0", 64)) {
					return 200
				}
				return 0
			}
		}, []string{"wrong.l402.hash"}},
		{"403 for a wrong credential", func(s *stub) {
			s.status = func(r *http.Request) int {
				if r.Header.Get("Authorization") == "L402 nonsense" {
					return 403
				}
				return 0
			}
		}, []string{"wrong.malformed"}},
		{"401 for a wrong credential of Payment", func(s *stub) { s.status = unauthorized("Payment") }, []string{"wrong.payment.zero", "wrong.payment.hash"}},
		{"an error for a wrong credential", func(s *stub) {
			s.status = func(r *http.Request) int {
				if strings.HasPrefix(r.Header.Get("Authorization"), "Payment") {
					return 500
				}
				return 0
			}
		}, []string{"wrong.payment.zero", "wrong.payment.hash"}},
		{"cached", func(s *stub) { s.edit = func(h http.Header) { h.Set("Cache-Control", "max-age=60") } }, []string{"cache"}},
		{"another payment's macaroon", func(s *stub) {
			s.values = func(inv string, hash [32]byte) []string {
				return []string{clienttest.L402Header(clienttest.Macaroon(s.t, [32]byte{1}), inv)}
			}
		}, []string{"l402"}},
		{"dearer than told", func(s *stub) { s.terms.MilliSats = 200_000 }, []string{"l402.stated", "payment", "payment.stated"}},
		{"expired", func(s *stub) { s.terms.Age = time.Hour }, []string{"l402.expiry", "payment", "payment.expiry"}},
		{"one invoice for all", func(s *stub) { s.same = true }, []string{"fresh"}},
		{"no comma", l402(func(mac, inv string) string { return `L402 version="0" macaroon="` + mac + `", invoice="` + inv + `"` }), []string{"l402"}},
		{"no invoice", l402(func(mac, _ string) string { return `L402 macaroon="` + mac + `"` }),
			[]string{"l402", "wrong.malformed"}},
		{"an invoice that is none", l402(func(mac, _ string) string { return clienttest.L402Header(mac, "lnbcrt1nothing") }), []string{"l402"}},
		{"no challenge", func(s *stub) {
			s.values = func(string, [32]byte) []string { return []string{`Bearer realm="x"`} }
		}, []string{"scheme", "wrong.malformed"}},
		{"not canonical", func(s *stub) {
			s.values = func(inv string, hash [32]byte) []string {
				request := fmt.Sprintf(`{"currency":"sat","amount":"100","methodDetails":{"invoice":%q}}`, inv)
				return []string{fmt.Sprintf(`Payment id="%x", realm="127.0.0.1", method="lightning", intent="charge", request="%s", expires="%s"`, hash[:16],
					base64.RawURLEncoding.EncodeToString([]byte(request)), time.Now().Add(5*time.Minute).UTC().Format(time.RFC3339))}
			}
		}, []string{"payment"}},
		{"outlives its invoice", func(s *stub) { s.terms.Expiry = 2 * time.Minute }, []string{"payment"}},
		{"x402 that is none", func(s *stub) { s.edit = func(h http.Header) { h.Set("PAYMENT-REQUIRED", "{}") } }, []string{"x402"}},
		{"served to everybody", func(s *stub) { s.status = func(*http.Request) int { return 200 } }, []string{"status"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t)
			tt.edit(s)
			r := s.run()
			if diff := cmp.Diff(tt.want, checks(r, probe.Fault)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if r.Faults == 0 {
				t.Error("the report counts no faults")
			}
		})
	}
}

// TestWarned: what some clients stumble over is a warning.
func TestWarned(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*stub)
		want string
	}{
		"no CORS":     {func(s *stub) { s.edit = func(h http.Header) { h.Del("Access-Control-Expose-Headers") } }, "cors"},
		"short-lived": {func(s *stub) { s.terms.Expiry = 30 * time.Second }, "l402.expiry"},
	} {
		s := newStub(t)
		tt.edit(s)
		if got := checks(s.run(), probe.Warn); !slices.Contains(got, tt.want) {
			t.Errorf("%s: warnings %v, want %s", name, got, tt.want)
		}
	}
}

// TestLegalOffers: an offer that this buyer cannot pay is named, and is no fault; a departure in it is one.
func TestLegalOffers(t *testing.T) {
	payment := func(method, intent, request string) func(*stub) {
		return func(s *stub) {
			s.values = func(string, [32]byte) []string {
				return []string{fmt.Sprintf(`Payment id="i123456789012345678901", realm="127.0.0.1", method="%s", intent="%s", request="%s", expires="2030-01-01T00:00:00Z"`,
					method, intent, base64.RawURLEncoding.EncodeToString([]byte(request)))}
			}
		}
	}
	header := func(name, value string) func(*stub) {
		return func(s *stub) {
			s.values = func(string, [32]byte) []string { return nil }
			s.edit = func(h http.Header) { h.Set(name, value) }
		}
	}
	body := func(text string) func(*stub) {
		return func(s *stub) {
			s.values = func(string, [32]byte) []string { return nil }
			s.edit = func(h http.Header) { h.Set("Content-Type", "application/json") }
			s.body = func(string, [32]byte) string { return text }
		}
	}
	const way = `"scheme":"exact","network":"eip155:8453","amount":"1","asset":"0x1","payTo":"0x2","maxTimeoutSeconds":60`
	x402 := func(way string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"x402Version":2,"resource":{"url":"https://x"},"accepts":[{` + way + `}]}`))
	}
	for _, tt := range []struct {
		name  string
		edit  func(*stub)
		offer string // part of the note
		fault string // part of the fault's reference
	}{
		{"tempo charge", payment("tempo", "charge", `{"amount":"1","currency":"0x20c0","recipient":"0x1"}`), "Payment tempo/charge is offered: 1 of 0x20c0 on eip155:42431", ""},
		{"tempo session", payment("tempo", "session", `{"amount":"1","currency":"0x20c0","methodDetails":{"escrowContract":"0x2"},"recipient":"0x1"}`), "Payment tempo/session", ""},
		{"lightning session", payment("lightning", "session", `{"amount":"2","currency":"sat","paymentHash":"`+strings.Repeat("ab", 32)+`"}`), "Payment lightning/session", ""},
		{"x402 version 2", header("PAYMENT-REQUIRED", x402(way)), "x402 exact is offered: 1 of 0x1 on eip155:8453", ""},
		{"x402 version 1", body(`{"x402Version":1,"error":"e","accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"1","asset":"0x1","payTo":"0x2","resource":"https://x","description":"","maxTimeoutSeconds":60}]}`), "x402 exact is offered: 1 of 0x1 on base", ""},
		{"Cashu", header("X-Cashu", "creqA"+base64.RawURLEncoding.EncodeToString([]byte("\xa3aa\x0aau\x63satam\x81\x69https://m"))), "Cashu is offered: 10 of sat", ""},
		{"tempo without a recipient", payment("tempo", "charge", `{"amount":"1","currency":"0x20c0"}`), "", "draft-tempo-charge, Request Schema"},
		{"x402 without an amount", header("PAYMENT-REQUIRED", x402(strings.Replace(way, `"amount":"1",`, "", 1))), "", "x402, x402-specification-v2.md, section 5.1.2"},
	} {
		s := newStub(t)
		tt.edit(s)
		offer, fault := "", ""
		for _, f := range s.run().Findings {
			if strings.HasSuffix(f.Check, ".offer") {
				offer += f.Message
			}
			if f.Level == probe.Fault {
				fault += f.Reference
			}
		}
		if !strings.Contains(offer, tt.offer) || fault != tt.fault || (tt.offer == "") != (offer == "") {
			t.Errorf("%s: offer %q, fault of %q; want %q and %q", tt.name, offer, fault, tt.offer, tt.fault)
		}
	}
}

// TestCrawlers: a demand of Cloudflare's crawlers is an offer, and its address no fault of L402.
func TestCrawlers(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Crawler-Price", "USD 0.01")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusPaymentRequired)
	}))
	defer srv.Close()
	report, err := (&probe.Probe{Now: time.Now}).Run(t.Context(), srv.URL)
	if err != nil || report.Faults > 0 || !strings.Contains(fmt.Sprint(report.Findings), "Cloudflare Pay Per Crawl is offered: 0.01 of USD") {
		t.Errorf("%+v, %v", report, err)
	}
}
