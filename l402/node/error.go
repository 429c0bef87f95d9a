package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/l402"
)

// An Error is the reason why a node created no invoice. It wraps [l402.ErrNodeUnavailable].
type Error struct {
	Reason string // one of the Reason constants; also the label of a metric
	Advice string // the fault and its remedy, for the operator
	Cause  error
}

// The reasons of an [Error]. A kind of node may have more.
const (
	ReasonUnreachable  = "unreachable"   // nothing listens, or the name has no address
	ReasonTimeout      = "timeout"       // no answer in time
	ReasonBusy         = "busy"          // too many calls were under way
	ReasonCanceled     = "canceled"      // the caller went away; this says nothing about the node
	ReasonTLS          = "tls"           // not the node whose certificate we have
	ReasonNotNode      = "not_node"      // another server answers
	ReasonStarting     = "starting"      // the node is starting, or stopping
	ReasonCredentials  = "credentials"   // the node does not accept our credentials
	ReasonRefused      = "refused"       // the node refuses for another reason, which its message names
	ReasonGarbled      = "garbled"       // an answer that cannot be understood
	ReasonWrongInvoice = "wrong_invoice" // an invoice that does not match its request
	ReasonNoCapacity   = "no_capacity"   // nobody can pay the price; only checks ask for it
	ReasonReadable     = "readable"      // strangers can read the preimages of unpaid invoices
)

// Error returns the fault and its remedy, for the operator. It contains no secret, but it contains addresses: do not
// show it to clients.
func (e *Error) Error() string {
	s := l402.ErrNodeUnavailable.Error() + ": " + e.Advice
	if e.Cause != nil {
		s += " (" + e.Cause.Error() + ")"
	}
	return s
}

// Outcome returns the reason. Metrics use it as a label.
func (e *Error) Outcome() string { return e.Reason }

// Unwrap returns [l402.ErrNodeUnavailable] and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{l402.ErrNodeUnavailable}
	}
	return []error{l402.ErrNodeUnavailable, e.Cause}
}

// Canceled returns the error of a call whose caller went away.
func Canceled(cause error) *Error {
	return &Error{Reason: ReasonCanceled, Advice: "the request ended before the node answered", Cause: cause}
}

// Timeout returns the error of a call that was not answered in time. [Node] puts the time before the advice.
func Timeout(advice string, cause error) *Error {
	return &Error{Reason: ReasonTimeout, Advice: advice, Cause: cause}
}

// CheckNetwork returns an error unless the network that a node says it is on is the configured one, which flag names. Nodes
// have several names for one.
func CheckNetwork(stated, flag, configured string) *Error {
	names := map[string]string{"bitcoin": bolt11.Mainnet, "testnet3": bolt11.Testnet, "testnet4": bolt11.Testnet}
	if cmp.Or(names[strings.ToLower(stated)], strings.ToLower(stated)) == configured {
		return nil
	}
	return &Error{Reason: ReasonWrongInvoice, Advice: fmt.Sprintf("it is on %.20q, but %s says %s; correct one of them",
		stated, flag, configured)}
}

// ErrReadable means that strangers can read the preimages of unpaid invoices, so that nothing may be sold with this
// node.
var ErrReadable = errors.New("strangers can read the preimages of unpaid invoices")

func readable() *Error {
	return &Error{Reason: ReasonReadable, Cause: ErrReadable,
		Advice: "it tells the preimage of an unpaid invoice to anybody, without credentials, so that everybody could search without paying; " +
			"let it ask for its password, macaroon or rune again, or take away the proxy that adds them, and start almanac again"}
}

// Advice is for the operator of one kind of node when a call has no usable response: a sentence for each way to fail.
type Advice struct {
	Name       string // of the certificate: the host in the address is another
	Expired    string // the certificate is not valid today
	Cert       string // another certificate
	NoTLS      string // the server does not speak TLS
	NotNode    string // the server is not the node
	NoAddress  string // the host has no address
	NoAnswer   string // nothing listens
	Broke      string // the connection ended before the response
	Unreadable string // a response that cannot be understood
}

// slow is the advice about a node that does not answer in time.
const slow = "it may be starting, syncing or overloaded, see its log"

// Garbled returns the error of a response that cannot be understood.
func (a *Advice) Garbled(cause error) *Error {
	return &Error{Reason: ReasonGarbled, Advice: a.Unreadable, Cause: cause}
}

// Invoice returns the invoice in the answer to a call, or the error of a call without one.
func (a *Advice) Invoice(text string, nodeErr *Error) (string, *Error) {
	if nodeErr == nil && text == "" {
		nodeErr = a.Garbled(errors.New("it has no invoice"))
	}
	return text, nodeErr
}

// Page returns the error of a response with something else than the node's own errors.
func (a *Advice) Page(status int) *Error {
	cause := fmt.Errorf("status %d", status)
	if status >= http.StatusBadGateway && status <= http.StatusGatewayTimeout {
		return &Error{ReasonStarting, "what is in front of it says that it is away; start it, or wait", cause}
	}
	return a.Foreign(cause)
}

// Foreign returns the error of a response that the node would not give.
func (a *Advice) Foreign(cause error) *Error {
	return &Error{Reason: ReasonNotNode, Advice: a.NotNode, Cause: cause}
}

// transport classifies the error of a call that had no response.
func (a *Advice) transport(err error) *Error {
	var (
		verify *tls.CertificateVerificationError
		host   x509.HostnameError
		cert   x509.CertificateInvalidError
		record tls.RecordHeaderError
		op     *net.OpError
		dns    *net.DNSError
	)
	isTimeout := func() bool { var t interface{ Timeout() bool }; return errors.As(err, &t) && t.Timeout() }
	switch {
	case errors.As(err, &host):
		return &Error{ReasonTLS, a.Name, err}
	case errors.As(err, &cert) && cert.Reason == x509.Expired:
		return &Error{ReasonTLS, a.Expired, err}
	case errors.As(err, &verify):
		return &Error{ReasonTLS, a.Cert, err}
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return &Error{ReasonNotNode, a.NoTLS, err}
	case errors.Is(err, context.DeadlineExceeded), isTimeout():
		return Timeout(slow, err)
	case errors.As(err, &dns):
		return &Error{ReasonUnreachable, a.NoAddress, err}
	case errors.As(err, &op) && op.Op == "dial":
		return &Error{ReasonUnreachable, a.NoAnswer, err}
	case strings.Contains(err.Error(), "malformed HTTP"):
		return a.Foreign(err)
	}
	// package net/http has no type for all the ways in which a connection ends early
	return &Error{ReasonUnreachable, a.Broke, err}
}
