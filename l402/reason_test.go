package l402_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// TestCodesOfRefusals holds that every refusal is in the table, and that none of another status than 402 looks like one
// to be paid.
func TestCodesOfRefusals(t *testing.T) {
	for _, code := range l402.Codes() {
		d, ok := problem.Lookup(code)
		if !ok || d.Status != http.StatusPaymentRequired && d.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %+v", code, d)
		}
	}
}

// TestReasonSurvives refuses a credential when there can be no new invoice: the client still learns why it was refused,
// over HTTP, gRPC and MCP. Without a credential there is no reason to give.
func TestReasonSurvives(t *testing.T) {
	noInvoice := map[problem.Code]func(s *shop, b bought){
		problem.NodeUnavailable: func(s *shop, b bought) { s.node.breakDown(l402.ErrNodeUnavailable) },
		problem.RateLimited: func(s *shop, b bought) {
			for s.paywall.Take(addr("127.0.0.1")) {
			}
			for s.paywall.TakeProven(b.hash, noon) {
			}
		},
	}
	grpcCodes := map[problem.Code]codes.Code{problem.NodeUnavailable: codes.Unavailable, problem.RateLimited: codes.ResourceExhausted}
	for code, cause := range noInvoice {
		t.Run(string(code), func(t *testing.T) {
			s := openShop(t, func(c *l402.Config) {
				c.Limits = l402.ChallengeLimits{Rate: 1e6, Outstanding: 1000, Proven: 0}
			})
			client, _, _ := s.listenGRPC()
			b := s.buy()
			cause(s, b)
			d, _ := problem.Lookup(code)
			for header, reason := range map[string]problem.Code{
				"":                                       "",
				"L402 x":                                 problem.CredentialMalformed,
				b.narrowed("almanac_credits=0").header(): problem.CreditsExhausted,
				b.narrowed("almanac_valid_until=1").header(): problem.CredentialExpired,
				bearer(std(b.raw), b.hash.String()):          problem.PaymentUnproven,
			} {
				a := s.search1(header)
				s.wantRefusal(a, d.Status, code)
				if a.problem.Reason != reason || a.Header.Get("Retry-After") == "" {
					t.Errorf("HTTP: reason %q, want %q: %v %s", a.problem.Reason, reason, a.Header, a.body)
				}
				_, err := client.Check(with("authorization", header), question)
				var reasons []string
				for _, detail := range status.Convert(err).Details() {
					if info, ok := detail.(*errdetails.ErrorInfo); ok {
						reasons = append(reasons, info.Reason)
					}
				}
				want := fmt.Sprint([]string{problem.ErrorInfo(code).Reason, problem.ErrorInfo(reason).Reason})
				if reason == "" {
					want = fmt.Sprint([]string{problem.ErrorInfo(code).Reason})
				}
				if got := fmt.Sprint(reasons); got != want || status.Code(err) != grpcCodes[code] {
					t.Errorf("gRPC: %v with %s, want %s", err, got, want)
				}
				_, refused := s.paywall.Spend(t.Context(), l402.Request{Credential: header})
				_, failed := s.paywall.Challenge(t.Context(), addr("127.0.0.1"), refused)
				var p *problem.Problem
				if !errors.As(failed, &p) || p.Code != code || reason != "" && p.Extensions["reason"] != reason {
					t.Errorf("MCP: %v, want %s because of %s", failed, code, reason)
				}
			}
		})
	}
}

// TestCorrectableCredentials holds that a client that sends a credential otherwise than it was bought is told not to pay
// again, over HTTP and gRPC, in the detail and before the instructions to pay. Where paying helps, nobody is told so.
func TestCorrectableCredentials(t *testing.T) {
	s := openShop(t, func(c *l402.Config) { c.SaleURL = "https://api.test/v1/search" })
	client, _, _ := s.listenGRPC()
	b, c := s.buy(), s.buy()
	for _, tt := range []struct {
		code          problem.Code
		correct       bool
		authorization []string
	}{
		{problem.CredentialMalformed, true, []string{"L402 junk"}},
		{problem.PaymentUnproven, true, []string{bearer(std(b.raw), c.preimage.String())}},
		{problem.CredentialInvalid, true, []string{b.narrowed("almanac_credits=101").header()}},
		{problem.AmbiguousCredential, true, []string{b.header(), c.header()}},
		{problem.BudgetInvalid, true, []string{b.narrowed("almanac_budget=x").header()}},
		{problem.CreditsExhausted, false, []string{b.narrowed("almanac_credits=0").header()}},
		{problem.CredentialExpired, false, []string{b.narrowed("almanac_valid_until=1").header()}},
		{problem.PaymentRequired, false, nil},
	} {
		a := s.search1(tt.authorization...)
		s.wantChallenge(a, tt.code)
		balance := s.do("GET", "/v1/credits", tt.authorization...)
		ctx := t.Context()
		for _, v := range tt.authorization {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", v)
		}
		_, err := client.Check(ctx, question)
		info := infoOf(t, err)
		if info.Reason != problem.ErrorInfo(tt.code).Reason {
			t.Errorf("gRPC: %v, want %s", err, tt.code)
		}
		for door, text := range map[string]string{
			"detail": a.problem.Detail, "instructions": a.problem.Instructions[0], "balance": balance.problem.Detail,
			"gRPC detail": info.Metadata["detail"], "gRPC instructions": info.Metadata["instructions"],
		} {
			if n := strings.Count(text, problem.PaidAlready); n > 1 || (n == 1) != tt.correct {
				t.Errorf("%s: %s says %q", tt.code, door, text)
			}
		}
		if pay := a.problem.Instructions[0]; !strings.Contains(pay, "Pay invoice") || strings.HasPrefix(pay, "Pay") == tt.correct {
			t.Errorf("%s: the first step is %q", tt.code, pay)
		}
	}
}

// TestChallengeExplainsItself reads the body of a challenge as a program that has never heard of L402: what to pay and
// with what, where the proof comes from, what to send, how long it lasts, and where the balance is; and, in a
// demonstration, that it is one.
func TestChallengeExplainsItself(t *testing.T) {
	const balance, wallet = "https://api.test/v1/credits", "https://api.test/demo/pay"
	s := openShop(t, func(c *l402.Config) { c.BalanceURL = balance })
	for _, path := range []string{"/v1/search?q=x", "/v1/search"} {
		body := string(s.do("GET", path).body)
		for _, want := range []string{
			`"network":"lightning"`, "BOLT 11", "any Lightning wallet", "preimage", "Authorization: L402 <macaroon>:<preimage>",
			"one payment buys 100 requests within 30 days", `"balance_url":"` + balance + `"`, "GET balance_url",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the challenge lacks %q: %s", path, want, body)
			}
		}
		if strings.Contains(body, "demo") {
			t.Errorf("%s: real payments look like a demonstration: %s", path, body)
		}
	}
	s = openShop(t, func(c *l402.Config) { c.DemoWalletURL = wallet })
	if body := string(s.search1().body); !strings.Contains(body, `"demo":true`) || !strings.Contains(body, wallet) || !strings.Contains(body, "no money moves") || strings.Contains(body, "balance_url") {
		t.Errorf("demonstration: %s", body)
	}
}
