package l402_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"almanac/l402"
	"almanac/problem"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestCodesOfRefusals holds that every refusal is in the table, and that none of another status than 402 looks like one to be paid.
func TestCodesOfRefusals(t *testing.T) {
	for _, code := range l402.Codes() {
		d, ok := problem.Lookup(code)
		if !ok || d.Status != http.StatusPaymentRequired && d.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %+v", code, d)
		}
	}
}

// TestReasonSurvives refuses a credential when there can be no new invoice: the client still learns why it was refused, over HTTP, gRPC
// and MCP. Without a credential there is no reason to give.
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
				c.Limits = l402.Limits{Rate: 1e6, Outstanding: 1000, Proven: 0}
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
