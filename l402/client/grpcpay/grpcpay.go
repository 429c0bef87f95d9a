// Package grpcpay pays for gRPC calls that are answered with a payment challenge, with a [client.Client] and its store.
//
// It reads both bindings of L402: status 402 with a QuotaFailure in its details, and status 13 "payment required" with WWW-Authenticate in the trailer
// (https://github.com/lightninglabs/L402/blob/master/protocol-specification.md).
package grpcpay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/textproto"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"almanac/l402/client"
	"almanac/l402/client/challenge"
)

// maxRounds is how many credentials are tried for one call.
const maxRounds = 8

// UnaryInterceptor returns an interceptor that pays for unary calls, once per call at the most. A call with an authorization of its own is
// passed on untouched. Its errors that are not the server's are a *client.Refusal.
func UnaryInterceptor(c *client.Client) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return pay(ctx, c, method, cc.Target(), func(ctx context.Context, a *attempt) error {
			return invoke(ctx, method, req, reply, cc, append(opts[:len(opts):len(opts)], grpc.Header(&a.header), grpc.Trailer(&a.trailer), grpc.Peer(&a.peer))...)
		})
	}
}

// An attempt is what is known of a call after it was made.
type attempt struct {
	header, trailer metadata.MD
	peer            peer.Peer
}

// pay makes a call, and makes it again with a credential when it is answered with a challenge.
func pay(ctx context.Context, c *client.Client, method, target string, call func(context.Context, *attempt) error) error {
	if md, ok := metadata.FromOutgoingContext(ctx); ok && (len(md["authorization"]) > 0 || len(md["macaroon"]) > 0) {
		return call(ctx, new(attempt))
	}
	origin := "grpc://" + strings.ToLower(target)
	cred := c.Find(ctx, origin, method)
	var tried []*client.Credential
	paid := false
	for round := 0; ; round++ {
		var a attempt
		challenged, err := once(ctx, c, cred, method, &a, call)
		if !challenged {
			return err
		}
		need := needOf(err, &a, origin, host(target), method)
		switch {
		case !secure(&a.peer):
			return &client.Refusal{Reason: client.Cleartext, Message: "not paid: the connection to " + target + " is not encrypted; use TLS"}
		case paid:
			return &client.Refusal{Reason: client.NotAccepted, Message: target + " took the payment " + cred.ID() + " and asks for another; it is not paid"}
		case round >= maxRounds:
			return &client.Refusal{Reason: client.TooManyRounds, Message: "not paid: " + target + " refuses one credential after another"}
		}
		if cred != nil {
			tried = append(tried, cred)
		}
		if cred, paid, err = c.Buy(ctx, need, tried...); err != nil {
			return err
		}
	}
}

// once makes a call with a credential, if any, and records what the answer says about it.
func once(ctx context.Context, c *client.Client, cred *client.Credential, method string, a *attempt, call func(context.Context, *attempt) error) (challenged bool, err error) {
	if cred == nil {
		err := call(ctx, a)
		return isChallenge(err), err
	}
	first, err := c.Present(ctx, cred)
	if err != nil {
		c.Abandon(cred)
		return false, err
	}
	ctx = metadata.AppendToOutgoingContext(ctx, strings.ToLower(cred.Header()), cred.Value())
	if md, _ := metadata.FromOutgoingContext(ctx); len(md["idempotency-key"]) == 0 {
		ctx = metadata.AppendToOutgoingContext(ctx, "idempotency-key", callName())
	}
	err = call(ctx, a)
	switch {
	case isChallenge(err):
		c.Rejected(cred, method, first)
		return true, err
	case status.Code(err) == codes.Unavailable || status.Code(err) == codes.Canceled || status.Code(err) == codes.DeadlineExceeded:
		c.Abandon(cred) // nobody knows whether it arrived
	default:
		c.Accepted(ctx, cred, method, err == nil, client.LeftOf(headerOf(a.header)))
	}
	return false, err
}

func callName() string {
	var b [16]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// isChallenge reports whether a call was answered with a challenge, by either binding.
func isChallenge(err error) bool {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return false
	}
	return s.Code() == 402 || (s.Code() == codes.Internal || s.Code() == codes.Unknown) && strings.Contains(s.Message(), "payment required")
}

func needOf(err error, a *attempt, origin, host, method string) client.Need {
	n := client.Need{Origin: origin, Host: host, Method: "gRPC", Resource: method}
	n.Challenges, n.Unusable = challenge.Parse(append(a.trailer["www-authenticate"], a.header["www-authenticate"]...))
	if len(n.Challenges) > 0 {
		return n
	}
	var mac, invoice string
	for _, detail := range status.Convert(err).Details() {
		quota, ok := detail.(*errdetails.QuotaFailure)
		if !ok {
			continue
		}
		for _, v := range quota.GetViolations() {
			for _, text := range []string{v.GetDescription(), v.GetSubject()} {
				if rest, ok := strings.CutPrefix(text, "macaroon:"); ok && mac == "" {
					mac = strings.TrimSpace(rest)
				}
				if rest, ok := strings.CutPrefix(text, "invoice:"); ok && invoice == "" {
					invoice = strings.TrimSpace(rest)
				}
			}
		}
	}
	if mac == "" || invoice == "" {
		n.Unusable = append(n.Unusable, errors.New("the call's status has no macaroon and invoice"))
		return n
	}
	ch, err := challenge.FromL402(mac, invoice)
	if err != nil {
		n.Unusable = append(n.Unusable, err)
		return n
	}
	n.Challenges = append(n.Challenges, ch)
	return n
}

// headerOf converts metadata to what client.LeftOf reads.
func headerOf(md metadata.MD) http.Header {
	h := make(http.Header, len(md))
	for name, values := range md {
		h[textproto.CanonicalMIMEHeaderKey(name)] = values
	}
	return h
}

// secure reports whether nobody between here and the peer can read along.
func secure(p *peer.Peer) bool {
	if p.AuthInfo != nil && p.AuthInfo.AuthType() != "insecure" {
		return true
	}
	if p.Addr == nil || p.Addr.Network() == "unix" || p.Addr.Network() == "bufconn" {
		return p.Addr != nil
	}
	addr, ok := p.Addr.(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// host is the target's host, for the budget.
func host(target string) string {
	if i := strings.LastIndex(target, "/"); i >= 0 {
		target = target[i+1:]
	}
	if h, _, err := net.SplitHostPort(target); err == nil {
		return strings.ToLower(h)
	}
	return strings.ToLower(target)
}
