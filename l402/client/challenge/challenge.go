package challenge

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// The schemes. LSAT is the name of L402 until 2023.
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
	Credits    int64 // requests that the macaroon allows, if a known caveat says so; else 0

	Charge *ChargeRequest // of Payment

	// Hash is the payment hash that the challenge states beside its invoice, and HasHash whether it states one. An L402
	// does in its macaroon.
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

// A ChargeRequest is the request of a Payment challenge of the method lightning and the intent charge
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

// Parse reads the values of WWW-Authenticate. It returns the challenges that can be paid over Lightning, in the order
// in which they stand, and one error for each that cannot or that is not readable. Other schemes are passed over in
// silence.
func Parse(values []string) (found []Challenge, unusable []error) {
	for _, raw := range Split(values) {
		var c Challenge
		var err error
		switch {
		case strings.EqualFold(raw.Scheme, L402):
			c, err = parseL402(L402, raw)
		case strings.EqualFold(raw.Scheme, LSAT):
			c, err = parseL402(LSAT, raw)
		case strings.EqualFold(raw.Scheme, Payment):
			c, err = parsePayment(raw)
		default:
			continue
		}
		if err != nil {
			unusable = append(unusable, fmt.Errorf("the %s challenge %w", raw.Scheme, err))
			continue
		}
		found = append(found, c)
	}
	return found, unusable
}

// Credential returns the credential that the preimage of the challenge's invoice makes.
func (c *Challenge) Credential(preimage [32]byte) (Credential, error) {
	proof := hex.EncodeToString(preimage[:])
	if c.Charge == nil {
		return Credential{Header: "Authorization", Value: c.Scheme + " " + c.Macaroon + ":" + proof}, nil
	}
	return c.Charge.credential(proof)
}
