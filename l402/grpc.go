package l402

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// UnaryInterceptor sells the calls of the methods for which paid returns true; it is given full names,
// "/package.Service/Method". An OK costs a credit, unless the handler waives it. check examines the message
// as that of [Paywall.Protect] examines the request; its error is returned to the caller.
func (p *Paywall) UnaryInterceptor(
	paid func(method string) bool, check func(req any) error,
) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if !paid(info.FullMethod) {
			return next(ctx, req)
		}
		md, t, err := p.authenticateCall(ctx)
		if err != nil {
			return nil, p.refuseCall(ctx, err)
		}
		if err := check(req); err != nil {
			return nil, err
		}
		charge, err := p.charge(ctx, t, nameOfCall(ctx, md, info.FullMethod, req))
		if err != nil {
			return nil, p.refuseCall(ctx, err)
		}
		answered := false
		defer func() { // after a panic too
			if !answered {
				charge.Refund(ctx)
			}
		}()
		resp, err := next(withCharge(metadata.NewIncomingContext(ctx, md), charge), req)
		if answered = err == nil; answered {
			grpc.SetHeader(ctx, p.balanceMetadata(charge))
		}
		return resp, err
	}
}

// credentialKeys are the metadata that may hold a credential: as over HTTP, as aperture's client sends it, as the L402
// text has it.
var credentialKeys = [...]string{"authorization", "macaroon", "token"}

// authenticateCall verifies the credential of a call, and returns the call's metadata without the credential.
func (p *Paywall) authenticateCall(ctx context.Context) (metadata.MD, token, error) {
	md, _ := metadata.FromIncomingContext(ctx) // a copy
	t, err := p.authenticate(md[credentialKeys[0]], slices.Concat(md[credentialKeys[1]], md[credentialKeys[2]]))
	for _, key := range credentialKeys {
		delete(md, key)
	}
	return md, t, err
}

// nameOfCall returns the name of a call, as nameOf does that of a request. Equal messages have equal deterministic
// encodings, at least within one build of this program, and a key is used again only for a minute.
func nameOfCall(ctx context.Context, md metadata.MD, method string, req any) requestName {
	key := cmp.Or(cmp.Or(md.Get(idempotencyKey)...), peer.NameFrom(ctx))
	message, ok := req.(proto.Message)
	if key == "" || !ok {
		return requestName{}
	}
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return requestName{}
	}
	return nameRequest(key, method, content)
}

// refuseCall returns the status of a refused call. It is sent as Trailers-Only, one block of headers, because that is
// where clients look for www-authenticate: nothing may have set a response header before.
func (p *Paywall) refuseCall(ctx context.Context, err error) error {
	refusal := warnPayer(problemOf(err))
	if payable(refusal) {
		c, failed := p.Challenge(ctx, peer.FromContext(ctx), err)
		if failed == nil {
			p.cfg.Log.Debug("refused call", slog.String("code", string(refusal.Code)))
			grpc.SetTrailer(ctx, metadata.MD{"www-authenticate": c.headers(speaksPayment(
				metadata.ValueFromIncomingContext(ctx, "authorization"),
				metadata.ValueFromIncomingContext(ctx, "accept-payment")))})
			return p.challengeStatus(c, refusal)
		}
		refusal = problemOf(failed)
	}
	p.cfg.Log.Debug("refused call", slog.String("code", string(refusal.Code)))
	if wait := problem.Seconds(refusal.Wait()); wait > 0 {
		grpc.SetTrailer(ctx, metadata.Pairs("retry-after", strconv.FormatInt(wait, 10)))
	}
	failed := problem.GRPCStatus(refusal)
	if reason, ok := refusal.Extensions["reason"].(problem.Code); ok {
		failed = withDetails(status.Convert(failed), problem.ErrorInfo(reason))
	}
	return failed
}

// challengeStatus returns a challenge as the binding has it: macaroon and invoice are violations of a QuotaFailure. The
// reason follows, with instructions for programs that do not know L402.
func (p *Paywall) challengeStatus(c *Challenge, refusal *problem.Problem) error {
	message := "payment required" // by which aperture's client knows a challenge
	switch {
	case p.cfg.GRPCStatus != grpcPaymentRequired:
	case refusal.Code == problem.PaymentRequired:
		message = "missing L402"
	default:
		message = refusal.Title()
	}
	reason := problem.ErrorInfo(refusal.Code)
	reason.Metadata = map[string]string{"instructions": strings.Join(c.Instructions(), " "),
		"expires_at": c.ExpiresAt.UTC().Format(time.RFC3339),
		"detail":     refusal.Detail, "balance_url": c.balanceURL, "demo_wallet_url": c.demoWalletURL}
	maps.DeleteFunc(reason.Metadata, func(_, value string) bool { return value == "" })
	return withDetails(status.New(p.cfg.GRPCStatus, message),
		&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{
			{Subject: "macaroon", Description: "macaroon:" + c.Macaroon},
			{Subject: "invoice", Description: "invoice:" + c.Invoice},
		}},
		reason,
	)
}

func withDetails(s *status.Status, details ...protoadapt.MessageV1) error {
	if with, err := s.WithDetails(details...); err == nil {
		s = with
	}
	return s.Err()
}

// balanceMetadata returns the balance, and the receipt if there is one, as the HTTP headers of a paid answer state
// them.
func (p *Paywall) balanceMetadata(c *Charge) metadata.MD {
	md := make(metadata.MD, len(balanceHeaders))
	for i, value := range p.balanceValues(c.Balance()) {
		md.Set(balanceHeaders[i], value)
	}
	if receipt := c.encodedReceipt(); receipt != "" {
		md.Set(paymentReceipt, receipt)
	}
	return md
}
