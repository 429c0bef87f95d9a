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

// A Fault says why the node gave no invoice. It wraps [l402.ErrNodeUnavailable].
type Fault struct {
	Reason string // one of the Reason constants, for instance as the label of a metric
	advice string // what is wrong and what to do, for the operator
	cause  error

	negative bool // lnd found nothing wrong but the amount
}

// The reasons of a [Fault].
const (
	ReasonUnreachable  = "unreachable"   // nobody listens, or the name has no address
	ReasonTimeout      = "timeout"       // no answer in time
	ReasonBusy         = "busy"          // all calls allowed at once were taken
	ReasonCanceled     = "canceled"      // the caller went away; nothing is known of the node
	ReasonTLS          = "tls"           // it is not the node whose certificate we have
	ReasonNotLND       = "not_lnd"       // whoever answers does not speak lnd's REST
	ReasonNoWallet     = "no_wallet"     // lnd has no wallet yet
	ReasonLocked       = "locked"        // lnd waits for the wallet's password
	ReasonStandby      = "standby"       // lnd has not begun to start, or waits to lead its cluster
	ReasonStarting     = "starting"      // lnd is starting, or stopping
	ReasonMacaroon     = "macaroon"      // lnd does not accept our macaroon
	ReasonRefused      = "refused"       // lnd refuses for another reason, which the text names
	ReasonGarbled      = "garbled"       // a 200 that makes no sense
	ReasonWrongInvoice = "wrong_invoice" // an invoice that is not what was asked for
)

// Error tells the operator what to do. It holds no secret, but names addresses: it is not for strangers.
func (f *Fault) Error() string {
	s := l402.ErrNodeUnavailable.Error() + ": " + f.advice
	if f.cause != nil {
		s += " (" + f.cause.Error() + ")"
	}
	return s
}

// Outcome is the reason, under the name by which whoever measures calls asks an error for a label.
func (f *Fault) Outcome() string { return f.Reason }

// Unwrap gives [l402.ErrNodeUnavailable] and the cause.
func (f *Fault) Unwrap() []error {
	if f.cause == nil {
		return []error{l402.ErrNodeUnavailable}
	}
	return []error{l402.ErrNodeUnavailable, f.cause}
}

func canceled(cause error) *Fault {
	return &Fault{Reason: ReasonCanceled, advice: "the request ended before the node answered", cause: cause}
}

func busy(timeout time.Duration) *Fault {
	return &Fault{Reason: ReasonBusy, advice: fmt.Sprintf("it was busy with earlier calls for %s; more challenges are asked for than it can make", timeout)}
}

func notLND(cause error) *Fault {
	return &Fault{Reason: ReasonNotLND, cause: cause,
		advice: "what answers at -lnd-url is not lnd's REST listener; give the address of restlisten (port 8080 unless set), not of rpclisten"}
}

func garbled(cause error) *Fault {
	return &Fault{Reason: ReasonGarbled, advice: "its answer makes no sense; is -lnd-url an lnd of version 0.20?", cause: cause}
}

func wrongInvoice(cause error, net *chaincfg.Params) *Fault {
	return &Fault{Reason: ReasonWrongInvoice, cause: cause,
		advice: fmt.Sprintf("its invoice is not what was asked for; is the node on %s, as -lnd-network says, and is its clock right?", net.Name)}
}

// transportFault tells apart why there was no answer.
func transportFault(err error, timeout time.Duration) *Fault {
	var (
		verify *tls.CertificateVerificationError
		host   x509.HostnameError
		cert   x509.CertificateInvalidError
		record tls.RecordHeaderError
		op     *net.OpError
		dns    *net.DNSError
	)
	fault := &Fault{cause: err}
	isTimeout := func() bool { var t interface{ Timeout() bool }; return errors.As(err, &t) && t.Timeout() }
	switch {
	case errors.As(err, &host):
		fault.Reason, fault.advice = ReasonTLS, "its certificate does not name the host of -lnd-url; use a name that it names, or add this one as tlsextradomain or tlsextraip to lnd.conf, delete tls.cert and tls.key, restart lnd and copy tls.cert again"
	case errors.As(err, &cert) && cert.Reason == x509.Expired:
		fault.Reason, fault.advice = ReasonTLS, "its certificate is not valid today; restart lnd with tlsautorefresh, copy tls.cert again, and look at both clocks"
	case errors.As(err, &verify):
		fault.Reason, fault.advice = ReasonTLS, "it shows another certificate than -lnd-cert holds; copy the node's tls.cert again, and if the node made no new one, somebody is in between"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		fault.Reason, fault.advice = ReasonNotLND, "what answers at -lnd-url does not speak TLS; give the address of lnd's restlisten, and do not run lnd with no-rest-tls"
	case errors.Is(err, context.DeadlineExceeded), isTimeout():
		fault.Reason, fault.advice = ReasonTimeout, fmt.Sprintf("it did not answer within %s; it may be starting, syncing or overloaded, see its log", timeout)
	case errors.As(err, &dns):
		fault.Reason, fault.advice = ReasonUnreachable, "the host of -lnd-url has no address; correct it"
	case errors.As(err, &op) && op.Op == "dial":
		fault.Reason, fault.advice = ReasonUnreachable, "nobody answers at -lnd-url; start the node, or correct the address"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return notLND(err)
	default: // package net/http has no type for all the ways in which a connection ends early
		fault.Reason, fault.advice = ReasonUnreachable, "the connection broke before the answer; the node is stopping, or -lnd-url is not its restlisten but its rpclisten"
	}
	return fault
}

// stateFault tells apart the states that GET /v1/state gives (lnrpc/stateservice.proto). In RPC_ACTIVE calls may hang.
func stateFault(state string) *Fault {
	switch state {
	case "SERVER_ACTIVE":
		return nil
	case "NON_EXISTING":
		return messageFault(0, "wallet not created")
	case "LOCKED":
		return messageFault(0, "wallet locked")
	case "UNLOCKED", "RPC_ACTIVE":
		return messageFault(0, "in the process of starting")
	case "WAITING_TO_START":
		return messageFault(0, "waiting to start")
	}
	return garbled(fmt.Errorf("state %.40q", state))
}

type message struct{ part, reason, advice string }

// messages are the texts by which lnd's refusals are known, each with what to tell the operator; the first that is part of an
// answer counts. Each was seen, or stands in lnd's source: in rpcperms/interceptor.go, macaroons, or what it says while it stops.
func messages() []message {
	return []message{
		{"wallet not created", ReasonNoWallet, "it has no wallet; run lncli create on it"},
		{"wallet locked", ReasonLocked, "its wallet is locked; run lncli unlock on it, or set wallet-unlock-password-file in lnd.conf"},
		{"in the process of starting", ReasonStarting, "it is starting; nothing to do but to wait"},
		{"macaroon store is locked", ReasonStarting, "it is starting or stopping; nothing to do but to wait"},
		{"shutting down", ReasonStarting, "it is stopping; start it again"},
		{"database not open", ReasonStarting, "it is stopping; start it again"},
		{"waiting to start", ReasonStandby, "it has not begun to start; if it stays so, it waits to lead its cluster: give the address of the node that leads"},
		{"permission denied", ReasonMacaroon, "it does not let our macaroon add invoices; bake one for uri:/lnrpc.Lightning/AddInvoice and give it as -lnd-macaroon"},
		{"verification failed", ReasonMacaroon, "the macaroon is not of this node; bake one on it for uri:/lnrpc.Lightning/AddInvoice and give it as -lnd-macaroon"},
		{"root key", ReasonMacaroon, "it does not know our macaroon's root key; bake a new one for uri:/lnrpc.Lightning/AddInvoice and give it as -lnd-macaroon"},
		{"caveat", ReasonMacaroon, "a condition of our macaroon is not met; bake one without --timeout, and without --ip_address, which over REST is always the node's own"},
		{"macaroon", ReasonMacaroon, "it does not accept our macaroon; bake a new one for uri:/lnrpc.Lightning/AddInvoice and give it as -lnd-macaroon"},
	}
}

// messageFault tells apart lnd's refusals by their text; status is the HTTP status, or 0.
func messageFault(status int, message string) *Fault {
	var cause error
	if status != 0 {
		cause = fmt.Errorf("status %d: %.200q", status, message)
	}
	for _, m := range messages() {
		if strings.Contains(message, m.part) {
			return &Fault{Reason: m.reason, advice: m.advice, cause: cause}
		}
	}
	switch status {
	case 499, http.StatusServiceUnavailable: // canceled and unavailable: lnd's own REST listener lost its RPC server
		return &Fault{Reason: ReasonStarting, advice: "its REST listener is up, but its RPC server is not; it is starting or stopping", cause: cause}
	case http.StatusGatewayTimeout:
		return &Fault{Reason: ReasonTimeout, advice: "it did not get to it in time; it may be starting, syncing or overloaded, see its log", cause: cause}
	}
	return &Fault{Reason: ReasonRefused, advice: "it refuses; see its log", cause: cause,
		negative: strings.Contains(message, "negative")}
}
