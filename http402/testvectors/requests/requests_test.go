package requests_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/testvectors/requests"
	"go.almanac.example/http402/wallet"
)

// A stub is a seller that issues well-formed challenges and gives every credential the same answer.
type stub struct {
	t      *testing.T
	node   *clienttest.Node
	answer func(w http.ResponseWriter, challenge func())
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	challenge := func() {
		text, hash := s.node.Invoice(s.t, clienttest.Terms{MilliSats: 7000, Expiry: time.Hour})
		id := append(append([]byte{0, 0}, hash[:]...), hash[:]...)
		m, err := macaroon.New(hash[:], id, "here", macaroon.V2)
		for _, c := range []string{"services=shop:0", "shop_valid_until=4000000000", "shop_capabilities=a"} {
			if err == nil {
				err = m.AddFirstPartyCaveat([]byte(c))
			}
		}
		raw, failed := m.MarshalBinary()
		if err != nil || failed != nil {
			s.t.Error(err, failed)
		}
		request := fmt.Sprintf(`{"amount":"7","currency":"sat","methodDetails":{"invoice":%q,"network":"regtest","paymentHash":"%x"}}`, text, hash)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "application/problem+json")
		token := base64.StdEncoding.EncodeToString(raw)
		w.Header().Add("WWW-Authenticate", fmt.Sprintf(`L402 version="0", token=%q, macaroon=%[1]q, invoice=%q`, token, text))
		w.Header().Add("WWW-Authenticate", fmt.Sprintf(`Payment id="%x", realm="here", method="lightning", intent="charge", request=%q, expires=%q, description="d", opaque="e30", digest="sha-256=:X48E9q:"`,
			hash, base64.RawURLEncoding.EncodeToString([]byte(request)), time.Now().Add(time.Minute).UTC().Format(time.RFC3339)))
		w.WriteHeader(http.StatusPaymentRequired)
		fmt.Fprint(w, `{"type":"https://paymentauth.org/problems/payment-required"}`)
	}
	if r.Header.Get("Authorization") == "" {
		challenge()
		return
	}
	s.answer(w, challenge)
}

func (s *stub) pay(ctx context.Context, text string) (string, error) {
	inv, err := bolt11.Decode(text)
	if err != nil {
		return "", err
	}
	out, err := s.node.Pay(ctx, wallet.Payment{Invoice: text, Hash: inv.Hash, AmountMilliSats: inv.MilliSats, FeeLimitMilliSats: 1000})
	return hex.EncodeToString(out.Preimage[:]), err
}

// TestRequestsAreJudged: a seller that gives every credential one answer passes exactly those requests whose steps all
// allow that answer, and every placeholder can be filled.
func TestRequestsAreJudged(t *testing.T) {
	all, err := requests.All()
	if err != nil || len(all) < 40 {
		t.Fatalf("%d requests (%v), want 40 at least", len(all), err)
	}
	seen := map[string]bool{}
	for _, r := range all {
		for _, s := range r.Steps {
			for _, o := range s.Expect {
				if !slices.Contains([]string{"served", "challenged", "unchallenged", "unauthorized", "rejected", "closed"}, o) {
					t.Errorf("%s expects %q, which is no outcome", r.ID, o)
				}
			}
		}
		if seen[r.ID] || len(r.Clauses) == 0 || r.Title == "" || !strings.HasPrefix(r.ID, r.Scheme+"-") || r.Level != "must" && r.Level != "should" {
			t.Errorf("%s stands twice, or lacks a title, a clause, its scheme or level", r.ID)
		}
		seen[r.ID] = true
	}
	for outcome, answer := range map[string]func(http.ResponseWriter, func()){
		"served":       func(w http.ResponseWriter, _ func()) { w.WriteHeader(http.StatusOK) },
		"challenged":   func(_ http.ResponseWriter, challenge func()) { challenge() },
		"unchallenged": func(w http.ResponseWriter, _ func()) { w.WriteHeader(http.StatusPaymentRequired) },
		"unauthorized": func(w http.ResponseWriter, _ func()) { w.WriteHeader(http.StatusUnauthorized) },
		"rejected":     func(w http.ResponseWriter, _ func()) { w.WriteHeader(http.StatusBadRequest) },
		"failing":      func(w http.ResponseWriter, _ func()) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		t.Run(outcome, func(t *testing.T) {
			s := &stub{t: t, node: clienttest.NewNode(), answer: answer}
			server := httptest.NewUnstartedServer(s)
			server.Config.MaxHeaderBytes = 4 << 20
			server.Start()
			defer server.Close()
			runner := requests.Runner{URL: server.URL, Client: server.Client(), Pay: s.pay, Wait: func(time.Time) {}}
			for _, r := range all {
				want := requests.Passes
				for _, step := range r.Steps {
					shows := slices.ContainsFunc(step.Headers, func(h [2]string) bool { return h[0] == "Authorization" })
					got := outcome
					if !shows {
						got = "challenged"
					}
					receipt := slices.ContainsFunc(step.Properties, func(p string) bool { return p == "receipt" || p == "private" })
					if !slices.Contains(step.Expect, got) || receipt || step.Parallel > 0 {
						want = requests.Deviates
					}
				}
				if got := runner.Run(t.Context(), r); got.Verdict != want {
					t.Errorf("%s: %s (%s), want %s", r.ID, got.Verdict, got.Reason, want)
				}
			}
		})
	}
}

// TestChallengeFaults: each fault of a challenge is found by the requests for that property, and by no other.
func TestChallengeFaults(t *testing.T) {
	all, err := requests.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`version="0", `, ``, "l402-challenge-version"},
		{`version="0"`, `version="1"`, "l402-challenge-version"},
		{`token=`, `tokens=`, "l402-challenge-token"},
		{`, expires=`, `, ends=`, "payment-challenge-expires-given"},
		{`, expires="2`, `, expires="3`, "payment-challenge-expires"},
		{`id="`, `id="", x="`, "payment-challenge-id payment-challenge-new"},
		{`realm="here"`, `realm=""`, "payment-challenge-id"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			s := &stub{t: t, node: clienttest.NewNode(), answer: func(_ http.ResponseWriter, challenge func()) { challenge() }}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				s.ServeHTTP(rec, r)
				for name, values := range rec.Header() {
					for _, v := range values {
						w.Header().Add(name, strings.Replace(v, tt.old, tt.new, 1))
					}
				}
				w.WriteHeader(rec.Code)
				w.Write(rec.Body.Bytes())
			}))
			defer server.Close()
			runner := requests.Runner{URL: server.URL, Client: server.Client(), Pay: s.pay}
			var found []string
			for _, r := range all {
				if strings.Contains(r.ID, "-challenge-") && !strings.HasSuffix(r.ID, "no-receipt") && runner.Run(t.Context(), r).Verdict != requests.Passes {
					found = append(found, r.ID)
				}
			}
			if got := strings.Join(found, " "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}
