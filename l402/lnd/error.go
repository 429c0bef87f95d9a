package lnd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"almanac/l402"

	"github.com/btcsuite/btcd/chaincfg"
)

// An Error is the reason why the node created no invoice. It wraps [l402.ErrNodeUnavailable].
type Error struct {
	Reason string // one of the Reason constants; also the label of a metric
	advice string // what is wrong and what the operator can do
	cause  error

	negative bool // lnd objected to nothing but the amount
}

// The reasons of an [Error].
const (
	ReasonUnreachable  = "unreachable"   // nothing listens, or the name has no address
	ReasonTimeout      = "timeout"       // no answer in time
	ReasonBusy         = "busy"          // too many calls were under way
	ReasonCanceled     = "canceled"      // the caller went away; this says nothing about the node
	ReasonTLS          = "tls"           // not the node whose certificate we have
	ReasonNotLND       = "not_lnd"       // what answers is not lnd's REST listener
	ReasonNoWallet     = "no_wallet"     // lnd has no wallet yet
	ReasonLocked       = "locked"        // lnd is waiting for the wallet's password
	ReasonStandby      = "standby"       // lnd has not begun to start, or is waiting to lead its cluster
	ReasonStarting     = "starting"      // lnd is starting, or stopping
	ReasonMacaroon     = "macaroon"      // lnd does not accept our macaroon
	ReasonRefused      = "refused"       // lnd refuses for another reason, which its message names
	ReasonGarbled      = "garbled"       // a 200 that cannot be understood
	ReasonWrongInvoice = "wrong_invoice" // an invoice that is not what was asked for
)

// Error returns what is wrong and what the operator can do. It contains no secret, but it contains addresses: do not show it to
// clients.
func (e *Error) Error() string {
	s := l402.ErrNodeUnavailable.Error() + ": " + e.advice
	if e.cause != nil {
		s += " (" + e.cause.Error() + ")"
	}
	return s
}

// Outcome returns the reason. Metrics use it as a label.
func (e *Error) Outcome() string { return e.Reason }

// Unwrap returns [l402.ErrNodeUnavailable] and the cause.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{l402.ErrNodeUnavailable}
	}
	return []error{l402.ErrNodeUnavailable, e.cause}
}

func canceled(cause error) *Error {
	return &Error{Reason: ReasonCanceled, advice: "the request ended before the node answered", cause: cause}
}

func busy(timeout time.Duration) *Error {
	return &Error{Reason: ReasonBusy, advice: fmt.Sprintf("it was busy with earlier calls for %s; more invoices are needed than it can create", timeout)}
}

func notLND(cause error) *Error {
	return &Error{Reason: ReasonNotLND, cause: cause,
		advice: "what answers at -lnd-url is not lnd's REST listener; use the address of restlisten (port 8080 by default), not that of rpclisten"}
}

func garbled(cause error) *Error {
	return &Error{Reason: ReasonGarbled, advice: "its response cannot be understood; is -lnd-url an lnd of version 0.20?", cause: cause}
}

func wrongInvoice(cause error, net *chaincfg.Params) *Error {
	return &Error{Reason: ReasonWrongInvoice, cause: cause,
		advice: fmt.Sprintf("its invoice is not the one requested; is the node on %s, as -lnd-network says, and is its clock right?", net.Name)}
}

// transportError classifies the error of a call that had no response.
func transportError(err error, timeout time.Duration) *Error {
	var (
		verify *tls.CertificateVerificationError
		host   x509.HostnameError
		cert   x509.CertificateInvalidError
		record tls.RecordHeaderError
		op     *net.OpError
		dns    *net.DNSError
	)
	e := &Error{cause: err}
	isTimeout := func() bool { var t interface{ Timeout() bool }; return errors.As(err, &t) && t.Timeout() }
	switch {
	case errors.As(err, &host):
		e.Reason, e.advice = ReasonTLS, "its certificate does not cover the host of -lnd-url; use a host that it covers, or add this one as tlsextradomain or tlsextraip to lnd.conf, delete tls.cert and tls.key, restart lnd and copy tls.cert again"
	case errors.As(err, &cert) && cert.Reason == x509.Expired:
		e.Reason, e.advice = ReasonTLS, "its certificate is not valid today; restart lnd with tlsautorefresh, copy tls.cert again, and check both clocks"
	case errors.As(err, &verify):
		e.Reason, e.advice = ReasonTLS, "its certificate is not the one in -lnd-cert; copy the node's tls.cert again, and if the node has no new one, somebody is intercepting the connection"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		e.Reason, e.advice = ReasonNotLND, "what answers at -lnd-url does not speak TLS; use the address of lnd's restlisten, and do not run lnd with no-rest-tls"
	case errors.Is(err, context.DeadlineExceeded), isTimeout():
		e.Reason, e.advice = ReasonTimeout, fmt.Sprintf("it did not answer within %s; it may be starting, syncing or overloaded, see its log", timeout)
	case errors.As(err, &dns):
		e.Reason, e.advice = ReasonUnreachable, "the host of -lnd-url has no address; correct it"
	case errors.As(err, &op) && op.Op == "dial":
		e.Reason, e.advice = ReasonUnreachable, "nothing answers at -lnd-url; start the node, or correct the address"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return notLND(err)
	default: // package net/http has no type for all the ways in which a connection ends early
		e.Reason, e.advice = ReasonUnreachable, "the connection broke before the response; the node is stopping, or -lnd-url is not its restlisten but its rpclisten"
	}
	return e
}

// stateError returns the error of a state from GET /v1/state (lnrpc/stateservice.proto), nil for the one in which lnd works. In
// RPC_ACTIVE calls may hang.
func stateError(state string) *Error {
	switch state {
	case "SERVER_ACTIVE":
		return nil
	case "NON_EXISTING":
		return messageError(0, "wallet not created")
	case "LOCKED":
		return messageError(0, "wallet locked")
	case "UNLOCKED", "RPC_ACTIVE":
		return messageError(0, "in the process of starting")
	case "WAITING_TO_START":
		return messageError(0, "waiting to start")
	}
	return garbled(fmt.Errorf("state %.40q", state))
}

type message struct{ part, reason, advice string }

// messages returns parts of lnd's error messages, each with its reason and the advice for the operator; the first that a message
// contains counts. Each was observed, or is in lnd's source: rpcperms/interceptor.go, macaroons, and the code that stops it.
func messages() []message {
	return []message{
		{"wallet not created", ReasonNoWallet, "it has no wallet; run lncli create on it"},
		{"wallet locked", ReasonLocked, "its wallet is locked; run lncli unlock on it, or set wallet-unlock-password-file in lnd.conf"},
		{"in the process of starting", ReasonStarting, "it is starting; wait"},
		{"macaroon store is locked", ReasonStarting, "it is starting or stopping; wait"},
		{"shutting down", ReasonStarting, "it is stopping; start it again"},
		{"database not open", ReasonStarting, "it is stopping; start it again"},
		{"waiting to start", ReasonStandby, "it has not begun to start; if that does not change, it is waiting to lead its cluster: use the address of the leading node"},
		{"permission denied", ReasonMacaroon, "our macaroon may not add invoices; bake one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"verification failed", ReasonMacaroon, "the macaroon belongs to another node; bake one on this node for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"root key", ReasonMacaroon, "it does not know our macaroon's root key; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"caveat", ReasonMacaroon, "a condition of our macaroon is not met; bake one without --timeout, and without --ip_address, which over REST is always the node's own"},
		{"macaroon", ReasonMacaroon, "it does not accept our macaroon; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
	}
}

// messageError classifies an error message of lnd; status is the HTTP status, or 0.
func messageError(status int, message string) *Error {
	var cause error
	if status != 0 {
		cause = fmt.Errorf("status %d: %.200q", status, message)
	}
	for _, m := range messages() {
		if strings.Contains(message, m.part) {
			return &Error{Reason: m.reason, advice: m.advice, cause: cause}
		}
	}
	switch status {
	case 499, http.StatusServiceUnavailable: // canceled and unavailable: lnd's own REST listener lost its RPC server
		return &Error{Reason: ReasonStarting, advice: "its REST listener is up, but its RPC server is not; it is starting or stopping", cause: cause}
	case http.StatusGatewayTimeout:
		return &Error{Reason: ReasonTimeout, advice: "it did not handle the call in time; it may be starting, syncing or overloaded, see its log", cause: cause}
	}
	return &Error{Reason: ReasonRefused, advice: "it refuses the call; see its log", cause: cause,
		negative: strings.Contains(message, "negative")}
}
