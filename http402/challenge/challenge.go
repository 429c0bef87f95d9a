package challenge

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"
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
	Opaque     bool   // Macaroon is a token of another kind, as it was given
	ValidUntil time.Time
	Credits    int64 // requests that the macaroon allows, if a known caveat says so; else 0

	Charge *ChargeRequest // of Payment

	// Hash is the payment hash that the challenge states beside its invoice, and HasHash whether it states one. An L402
	// usually does in its macaroon.
	Hash    [32]byte
	HasHash bool
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
	return Payable(ReadHTTP(http.Header{"Www-Authenticate": values}, nil))
}

// Payable returns the challenges of offers that can be paid over Lightning, and the reasons of those that cannot.
func Payable(offers []Offer) (found []Challenge, unusable []error) {
	for _, o := range offers {
		if o.Err != nil {
			unusable = append(unusable, o.Err)
		} else if o.Challenge != nil {
			found = append(found, *o.Challenge)
		}
	}
	return found, unusable
}

// Header returns the name of the header that carries the credential.
func (c *Challenge) Header() string {
	return cmp.Or(cmp.Or(c.Charge, &ChargeRequest{}).Header, "Authorization")
}

// Credential returns the credential that the preimage of the challenge's invoice makes.
func (c *Challenge) Credential(preimage [32]byte) Credential {
	proof := hex.EncodeToString(preimage[:])
	if c.Charge == nil {
		return Credential{Header: c.Header(), Value: c.Scheme + " " + c.Macaroon + ":" + proof}
	}
	return Credential{Header: c.Header(), Value: Payment + " " + c.Charge.credential(proof)}
}

// maxMacaroon bounds a macaroon, in bytes.
const maxMacaroon = 8 << 10

// FromL402 builds the challenge of an L402 from its two parts, for transports that do not carry them in a header.
func FromL402(macaroonBase64, invoice string) (Challenge, error) {
	return parseL402(rawL402(macaroonBase64, invoice))
}

func rawL402(macaroonBase64, invoice string) Raw {
	return Raw{Scheme: L402, Params: []Param{{"macaroon", macaroonBase64}, {"invoice", invoice}}}
}

var errRepeated = errors.New("repeats a parameter, so that it can be read in two ways")

func parseL402(raw Raw) (Challenge, error) {
	old, olds := raw.Get("macaroon")
	token, tokens := raw.Get("token")
	invoice, invoices := raw.Get("invoice")
	switch {
	case olds > 1 || tokens > 1 || invoices > 1:
		return Challenge{}, errRepeated
	case olds+tokens == 0 || old+token == "":
		return Challenge{}, errors.New("has neither a macaroon nor a token")
	case invoices == 0 || invoice == "":
		return Challenge{}, errors.New("has no invoice")
	case old != "" && token != "" && old != token:
		return Challenge{}, errors.New("has a macaroon and a token that differ")
	}
	old = cmp.Or(token, old)
	if len(old) > base64.StdEncoding.EncodedLen(maxMacaroon) {
		return Challenge{}, fmt.Errorf("has a macaroon of %d characters; at most %d are read", len(old), base64.StdEncoding.EncodedLen(maxMacaroon))
	}
	if v, n := raw.Get("version"); n > 0 && v != "0" {
		return Challenge{}, fmt.Errorf("has version %.20q; only version 0 is known", v)
	}
	if strings.ContainsFunc(old, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`:,"'`, c) }) {
		return Challenge{}, errors.New("has a token with characters that a credential cannot carry")
	}
	c := Challenge{Scheme: raw.Known(), Invoice: invoice, Macaroon: old}
	mac, bin := ReadMacaroon(old)
	if mac == nil {
		if macaroonStart.MatchString(old) {
			return Challenge{}, errors.New("has a macaroon that is cut off or damaged")
		}
		c.Opaque = true
		c.Hash, c.HasHash = tokenHash(old)
		return c, nil
	}
	c.Macaroon = base64.StdEncoding.EncodeToString(bin)
	c.Hash, c.HasHash = MacaroonHash(mac)
	c.readCaveats(mac)
	return c, nil
}

// ReadMacaroon returns the macaroon that a text is in base64, and its bytes; nil if it is none.
func ReadMacaroon(text string) (*macaroon.Macaroon, []byte) {
	mac := new(macaroon.Macaroon)
	b, err := DecodeMacaroon(text)
	if err != nil || mac.UnmarshalBinary(b) != nil {
		return nil, nil
	}
	return mac, b
}

// macaroonStart matches the base64 of what macaroons of both formats begin with.
var macaroonStart = regexp.MustCompile("^(AgE|AgI|MDA)")

// MacaroonHash returns the payment hash to which a macaroon commits: that of a version 0 identifier
// (https://github.com/lightninglabs/L402/blob/master/macaroon-spec.md), or the bare or named hash that some servers write into
// identifier or caveats instead.
func MacaroonHash(mac *macaroon.Macaroon) (hash [32]byte, ok bool) {
	id := mac.Id()
	switch {
	case len(id) == 66 && binary.BigEndian.Uint16(id) == 0:
		return [32]byte(id[2:34]), true
	case len(id) == 32:
		return [32]byte(id), true
	}
	for _, caveat := range mac.Caveats() {
		id = append(append(id, '\n'), caveat.Id...)
	}
	return namedHash(id)
}

// HasIdentifier reports whether the token is a macaroon with the identifier that L402 recommends, which some clients want.
func (c *Challenge) HasIdentifier() bool {
	mac, _ := ReadMacaroon(c.Macaroon)
	return mac != nil && len(mac.Id()) == 66
}

// tokenHash returns the payment hash that a token of another kind names in JSON, as it is, or in the base64 of one of its
// parts, as JSON Web Tokens and Alby's library write it.
func tokenHash(token string) (hash [32]byte, ok bool) {
	for part := range strings.SplitSeq(token, ".") {
		if b, err := DecodeMacaroon(part); err == nil && !ok {
			hash, ok = namedHash(b)
		}
	}
	return hash, ok
}

var hashName = regexp.MustCompile(`(?i)payment_?hash["']?\s*[:=]\s*["']?([0-9a-f]{64})\b`)

// namedHash returns the payment hash that a text gives by its name.
func namedHash(text []byte) (hash [32]byte, ok bool) {
	m := hashName.FindSubmatch(text)
	if m == nil {
		return hash, false
	}
	_, err := hex.Decode(hash[:], m[1])
	return hash, err == nil
}

// readCaveats reads the caveats that many services share: <service>_valid_until and <service>_credits.
func (c *Challenge) readCaveats(mac *macaroon.Macaroon) {
	for _, caveat := range mac.Caveats() {
		name, value, ok := strings.Cut(string(caveat.Id), "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || n < 0 {
			continue
		}
		if until := time.Unix(n, 0).UTC(); strings.HasSuffix(name, "_valid_until") &&
			(c.ValidUntil.IsZero() || until.Before(c.ValidUntil)) {
			c.ValidUntil = until
		}
		if strings.HasSuffix(name, "_credits") && (c.Credits == 0 || n < c.Credits) {
			c.Credits = n
		}
	}
}
