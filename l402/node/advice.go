package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

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

	NotNodeReason     string // "" means ReasonNotNode
	CredentialsReason string // of errors after which the credentials are read again; "" means ReasonCredentials
}

// slow is the advice about a node that does not answer in time.
const slow = "it may be starting, syncing or overloaded, see its log"

func (a *Advice) credentials() string { return cmp.Or(a.CredentialsReason, ReasonCredentials) }

// Garbled returns the error of a response that cannot be understood.
func (a *Advice) Garbled(cause error) *Error {
	return &Error{Reason: ReasonGarbled, Advice: a.Unreadable, Cause: cause}
}

// Foreign returns the error of a response that the node would not give.
func (a *Advice) Foreign(cause error) *Error {
	return &Error{Reason: cmp.Or(a.NotNodeReason, ReasonNotNode), Advice: a.NotNode, Cause: cause}
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
		return &Error{cmp.Or(a.NotNodeReason, ReasonNotNode), a.NoTLS, err}
	case errors.Is(err, context.DeadlineExceeded), isTimeout():
		return Timeout(slow, err)
	case errors.As(err, &dns):
		return &Error{ReasonUnreachable, a.NoAddress, err}
	case errors.As(err, &op) && op.Op == "dial":
		return &Error{ReasonUnreachable, a.NoAnswer, err}
	case strings.Contains(err.Error(), "malformed HTTP"):
		return a.Foreign(err)
	}
	return &Error{ReasonUnreachable, a.Broke, err} // package net/http has no type for all the ways in which a connection ends early
}
