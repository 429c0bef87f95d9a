package challenge

import "time"

// The schemes. LSAT is what L402 was called until 2023.
const (
	L402    = "L402"
	LSAT    = "LSAT"
	Payment = "Payment"
)

// A Challenge is one way to pay for a request.
type Challenge struct {
	Scheme  string // L402, LSAT or Payment
	Invoice string // BOLT 11, as given

	// Of L402 and LSAT.
	Macaroon   string // in standard base64
	ValidUntil time.Time
	Credits    int64 // what the macaroon is good for, if it says so in a way that is known; else 0

	Charge *ChargeRequest // of Payment

	// Hash is the payment hash that the challenge states beside its invoice, and HasHash whether it states one. An L402 does in its
	// macaroon.
	Hash    [32]byte
	HasHash bool

	Raw Raw
}

// AmountSats returns the price that the challenge states beside its invoice, and whether it states one.
func (c *Challenge) AmountSats() (int64, bool) {
	if c.Charge == nil {
		return 0, false
	}
	return c.Charge.AmountSats, true
}

// A Credential answers a challenge: the value of a request header.
type Credential struct {
	Header string // Authorization, or Payment-Authorization when the challenge asks for that
	Value  string
}

// A ChargeRequest is what a Payment challenge of the method lightning and the intent charge says
// (https://github.com/tempoxyz/mpp-specs, draft-httpauth-payment and draft-lightning-charge).
type ChargeRequest struct {
	ID, Realm, Method, Intent string
	Request                   string // in base64url, exactly as given: it is echoed
	Digest, Opaque, Header    string
	Expires                   string // exactly as given
	ExpiresAt                 time.Time
	AmountSats                int64
	Network                   string // of the request; empty when it does not say
	Description               string
}
