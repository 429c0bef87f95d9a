package l402

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"almanac/peer"
)

// grpcPaymentRequired is the status of a challenge in the gRPC binding. gRPC itself defines no such code.
const grpcPaymentRequired codes.Code = 402

// errorDomain is the domain of the ErrorInfo in our gRPC errors.
const errorDomain = "almanac"

// UnaryInterceptor sells the calls of the methods that paid picks by their full names, "/package.Service/Method". Exactly
// an OK costs a credit. check, if any, reads the message before the credit is taken and after the credential was found good, as
// that of [Paywall.Protect] does; its error is the call's.
func (p *Paywall) UnaryInterceptor(paid func(method string) bool, check func(req any) error) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
		if !paid(info.FullMethod) {
			return next(ctx, req)
		}
		refuse := func(err error) (any, error) {
			return nil, p.refuseCall(ctx, err, func(md metadata.MD) { grpc.SetTrailer(ctx, md) })
		}
		md, t, err := p.admitCall(ctx)
		if err != nil {
			return refuse(err)
		}
		if check != nil {
			if err := check(req); err != nil {
				return nil, err
			}
		}
		paidCtx, receipt, balance, err := p.spendCall(ctx, md, t)
		if err != nil {
			return refuse(err)
		}
		defer func() { err = p.settleCall(ctx, receipt, recover(), err) }()
		if resp, err = next(paidCtx, req); err == nil {
			grpc.SetHeader(ctx, p.balanceMetadata(balance))
		}
		return resp, err
	}
}

// StreamInterceptor is UnaryInterceptor for streams: one credit a stream.
func (p *Paywall) StreamInterceptor(paid func(method string) bool) grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
		if !paid(info.FullMethod) {
			return next(srv, ss)
		}
		ctx := ss.Context()
		md, t, err := p.admitCall(ctx)
		if err != nil {
			return p.refuseCall(ctx, err, ss.SetTrailer)
		}
		paidCtx, receipt, balance, err := p.spendCall(ctx, md, t)
		if err != nil {
			return p.refuseCall(ctx, err, ss.SetTrailer)
		}
		defer func() { err = p.settleCall(ctx, receipt, recover(), err) }()
		return next(srv, &paidStream{ServerStream: ss, ctx: paidCtx, header: p.balanceMetadata(balance)})
	}
}

// A paidStream sends the balance along with the first message. Before it there may still be an error, whose status must
// not trail behind a header that says something was paid.
type paidStream struct {
	grpc.ServerStream
	ctx    context.Context
	header metadata.MD
	sent   atomic.Bool
}

// Context implements grpc.ServerStream.
func (s *paidStream) Context() context.Context { return s.ctx }

// SendMsg implements grpc.ServerStream.
func (s *paidStream) SendMsg(m any) error {
	if s.sent.CompareAndSwap(false, true) {
		if err := s.ServerStream.SetHeader(s.header); err != nil {
			return err
		}
	}
	return s.ServerStream.SendMsg(m)
}

// admitCall verifies the credential of the call that ctx belongs to, and gives its metadata without the credential.
func (p *Paywall) admitCall(ctx context.Context) (metadata.MD, token, error) {
	md, _ := metadata.FromIncomingContext(ctx) // a copy
	t, err := p.authenticate(md[credentialKeys[0]], slices.Concat(md[credentialKeys[1]], md[credentialKeys[2]]))
	for _, key := range credentialKeys {
		delete(md, key)
	}
	return md, t, err
}

// spendCall takes a credit of t. The context it returns is the handler's: with the balance and md.
func (p *Paywall) spendCall(ctx context.Context, md metadata.MD, t token) (context.Context, Receipt, Balance, error) {
	r, b, err := p.spend(ctx, t, [16]byte{})
	if err != nil {
		return nil, Receipt{}, Balance{}, err
	}
	return withBalance(metadata.NewIncomingContext(ctx, md), b), r, b, nil
}

// credentialKeys are the metadata that may hold a credential: as over HTTP, as aperture's client sends it, as the L402 text says.
var credentialKeys = [...]string{"authorization", "macaroon", "token"}

// settleCall gives the credit back unless the call went well. A panic ends the call and not the process.
func (p *Paywall) settleCall(ctx context.Context, receipt Receipt, panicked any, err error) error {
	if panicked != nil {
		p.log.Error("paid call panicked", slog.Any("panic", panicked), slog.String("stack", string(debug.Stack())))
		r := refuse(CodeInternal)
		err = status.Error(codes.Internal, r.Error())
	}
	if err != nil {
		p.giveBack(ctx, receipt)
	}
	return err
}

// refuseCall is the status of a refused call. It is sent as Trailers-Only, one block of headers, because that is where
// clients look for www-authenticate: nothing may have set a response header before.
func (p *Paywall) refuseCall(ctx context.Context, err error, setTrailer func(metadata.MD)) error {
	refusal := refusalFor(err)
	var c *Challenge
	if refusal.Status == http.StatusPaymentRequired {
		var challengeErr error
		if c, challengeErr = p.Challenge(ctx, callerAddr(ctx, p.cfg.TrustedProxies)); challengeErr != nil {
			refusal = refusalFor(challengeErr)
		}
	}
	p.log.Debug("refused call", slog.String("code", refusal.Code))
	if c != nil {
		setTrailer(metadata.Pairs("www-authenticate", c.Header()))
		return p.challengeStatus(c, refusal)
	}
	if refusal.RetryAfter > 0 {
		setTrailer(metadata.Pairs("retry-after", retryAfterSeconds(refusal.RetryAfter)))
	}
	return faultStatus(refusal)
}

// challengeStatus carries macaroon and invoice as the binding says: the violations of a QuotaFailure.
func (p *Paywall) challengeStatus(c *Challenge, refusal *Refusal) error {
	if p.cfg.GRPCStatus != grpcPaymentRequired {
		return status.Error(p.cfg.GRPCStatus, "payment required")
	}
	return withDetails(status.New(grpcPaymentRequired, "missing L402"),
		&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{
			{Subject: "macaroon", Description: "macaroon:" + c.Macaroon},
			{Subject: "invoice", Description: "invoice:" + c.Invoice},
		}},
		&errdetails.ErrorInfo{Reason: strings.ToUpper(refusal.Code), Domain: errorDomain},
	)
}

// faultStatus is the status of a refusal that paying would not help.
func faultStatus(r *Refusal) error {
	code := codes.Internal
	switch r.Status {
	case http.StatusTooManyRequests:
		code = codes.ResourceExhausted
	case http.StatusServiceUnavailable:
		code = codes.Unavailable
	}
	details := []protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: strings.ToUpper(r.Code), Domain: errorDomain}}
	if r.RetryAfter > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(r.RetryAfter)})
	}
	return withDetails(status.New(code, r.Error()), details...)
}

func withDetails(s *status.Status, details ...protoadapt.MessageV1) error {
	if with, err := s.WithDetails(details...); err == nil {
		s = with
	}
	return s.Err()
}

// balanceMetadata is what the HTTP headers of a paid answer say.
func (p *Paywall) balanceMetadata(b Balance) metadata.MD {
	md := make(metadata.MD, len(balanceHeaders))
	for i, value := range p.balanceValues(b) {
		md.Set(balanceHeaders[i], value)
	}
	return md
}

// callerAddr returns the address that a call comes from.
func callerAddr(ctx context.Context, trusted []netip.Prefix) netip.Addr {
	pr, ok := grpcpeer.FromContext(ctx)
	if !ok {
		return netip.Addr{}
	}
	return peer.Addr(pr.Addr.String(), metadata.ValueFromIncomingContext(ctx, "x-forwarded-for"), trusted)
}
