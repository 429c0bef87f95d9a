package l402_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"
)

// TestPaymentOverGRPC: a call without a credential is answered with both challenges over one invoice, in the order that
// the caller asks for, in both dialects; a credential of the scheme Payment opens the account, and each answer has its
// receipt.
func TestPaymentOverGRPC(t *testing.T) {
	for _, code := range []codes.Code{402, codes.Internal} {
		s := openShop(t, bothSchemes, grpcStatus(code))
		client, _, _ := s.listenGRPC()
		for _, tt := range []struct {
			ctx   context.Context
			first string
		}{
			{with(), "L402"}, {with("accept-payment", "tempo/charge"), "L402"}, {with("accept-payment", "lightning/charge"), "Payment"},
			{with("authorization", "Payment e30"), "Payment"},
		} {
			var trailer metadata.MD
			_, err := client.Check(tt.ctx, question, grpc.Trailer(&trailer))
			values := trailer.Get("www-authenticate")
			if status.Code(err) != code || len(values) != 2 || !strings.HasPrefix(values[0], tt.first+" ") {
				t.Fatalf("%v: %v with %q, want %s first", code, err, values, tt.first)
			}
		}
		var trailer metadata.MD
		client.Check(with(), question, grpc.Trailer(&trailer))
		values := trailer.Get("www-authenticate")
		m := ourShape.FindStringSubmatch(values[0])
		c := paymentOf(t, values[1])
		b := s.pay(m[1], m[2])
		payment := credentialOf(c, b.preimage.String())
		for i, header := range []string{payment, b.header(), payment} {
			var md metadata.MD
			if _, err := client.Check(with("authorization", header), question, grpc.Header(&md)); err != nil {
				t.Fatal(err)
			}
			receipt := ""
			if header == payment {
				receipt = challenge.Encode(mpp.NewReceipt(c.ID, b.hash, s.clock.Now()).Canonical())
			}
			if got := strings.Join(md.Get("payment-receipt"), ","); got != receipt || md.Get("x-credit-balance")[0] != []string{"99", "98", "97"}[i] {
				t.Errorf("receipt %q, want %q; %v", got, receipt, md)
			}
		}
		s.wantUsed(b, 3)
		if _, err := client.Check(with("authorization", payment, "authorization", b.header()), question); reasonOf(err) != problem.AmbiguousCredential {
			t.Errorf("both schemes in one call: %v", err)
		}
	}
}

// reasonOf returns the code in the details of a status.
func reasonOf(err error) problem.Code {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return problem.Code(strings.ToLower(info.Reason))
		}
	}
	return ""
}

// TestCallExplainsItself is TestChallengeExplainsItself for gRPC, and names why a spent credential was refused, in both
// dialects.
func TestCallExplainsItself(t *testing.T) {
	for _, code := range []codes.Code{402, codes.Internal} {
		s := openShop(t, grpcStatus(code), func(c *l402.Config) { c.BalanceURL = "https://api.test/v1/credits" })
		client, _, _ := s.listenGRPC()
		b := s.buy()
		for header, reason := range map[string]problem.Code{"": problem.PaymentRequired, b.narrowed("almanac_credits=0").header(): problem.CreditsExhausted} {
			_, err := client.Check(with("authorization", header), question)
			var info *errdetails.ErrorInfo
			for _, d := range status.Convert(err).Details() {
				if i, ok := d.(*errdetails.ErrorInfo); ok {
					info = i
				}
			}
			if info == nil || info.Reason != problem.ErrorInfo(reason).Reason {
				t.Fatalf("%v: %v, want the reason %s", code, err, reason)
			}
			if diff := cmp.Diff("https://api.test/v1/credits", info.Metadata["balance_url"]); diff != "" || info.Metadata["expires_at"] == "" {
				t.Errorf("%s %v", diff, info.Metadata)
			}
			for _, want := range []string{"BOLT 11", "any Lightning wallet", "preimage", "Authorization: L402 <macaroon>:<preimage>", "one payment buys 100 requests within 30 days", "GET balance_url"} {
				if !strings.Contains(info.Metadata["instructions"], want) {
					t.Errorf("the instructions lack %q: %s", want, info.Metadata["instructions"])
				}
			}
		}
	}
}
