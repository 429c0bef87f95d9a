package challenge

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"
)

// maxMacaroon bounds a macaroon, in bytes.
const maxMacaroon = 8 << 10

// FromL402 builds the challenge of an L402 from its two parts, for transports that do not carry them in a header.
func FromL402(macaroonBase64, invoice string) (Challenge, error) {
	return parseL402(L402, Raw{Scheme: L402, Params: []Param{
		{Name: "macaroon", Value: macaroonBase64, Quoted: true}, {Name: "invoice", Value: invoice, Quoted: true}}})
}

func parseL402(scheme string, raw Raw) (Challenge, error) {
	old, olds := raw.Get("macaroon")
	token, tokens := raw.Get("token")
	invoice, invoices := raw.Get("invoice")
	switch {
	case olds > 1 || tokens > 1 || invoices > 1:
		return Challenge{}, errors.New("repeats a parameter, so that it can be read in two ways")
	case olds+tokens == 0:
		return Challenge{}, errors.New("has neither a macaroon nor a token")
	case invoices == 0 || invoice == "":
		return Challenge{}, errors.New("has no invoice")
	case olds == 1 && tokens == 1 && old != token:
		return Challenge{}, errors.New("has a macaroon and a token that differ")
	}
	if tokens == 1 {
		old = token
	}
	if len(old) > base64.StdEncoding.EncodedLen(maxMacaroon) {
		return Challenge{}, fmt.Errorf("has a macaroon of %d characters; at most %d are read", len(old), base64.StdEncoding.EncodedLen(maxMacaroon))
	}
	if v, n := raw.Get("version"); n > 0 && v != "0" {
		return Challenge{}, fmt.Errorf("has version %.20q; only version 0 is known", v)
	}
	bin, err := decodeBase64(old)
	if err != nil {
		return Challenge{}, errors.New("has a macaroon that is not base64")
	}
	var mac macaroon.Macaroon
	if err := mac.UnmarshalBinary(bin); err != nil {
		return Challenge{}, errors.New("has a token that is not a macaroon")
	}
	c := Challenge{Scheme: scheme, Invoice: invoice, Macaroon: base64.StdEncoding.EncodeToString(bin), Raw: raw}
	c.Hash, c.HasHash = identifierHash(mac.Id())
	if !c.HasHash {
		return Challenge{}, errors.New("has a macaroon whose identifier does not commit to a payment hash")
	}
	c.readCaveats(&mac)
	return c, nil
}

// identifierHash returns the payment hash of a macaroon's identifier: a version 0 identifier
// (https://github.com/lightninglabs/L402/blob/master/macaroon-spec.md), or the bare hash that some servers use instead.
func identifierHash(id []byte) (hash [32]byte, ok bool) {
	switch {
	case len(id) == 66 && binary.BigEndian.Uint16(id) == 0:
		copy(hash[:], id[2:34])
	case len(id) == 32:
		copy(hash[:], id)
	default:
		return hash, false
	}
	return hash, true
}

// readCaveats reads the caveats that many services share: <service>_valid_until and <service>_credits.
func (c *Challenge) readCaveats(mac *macaroon.Macaroon) {
	for _, caveat := range mac.Caveats() {
		name, value, ok := strings.Cut(string(caveat.Id), "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil || n < 0 {
			continue
		}
		if until := time.Unix(n, 0).UTC(); strings.HasSuffix(name, "_valid_until") && (c.ValidUntil.IsZero() || until.Before(c.ValidUntil)) {
			c.ValidUntil = until
		}
		if strings.HasSuffix(name, "_credits") && (c.Credits == 0 || n < c.Credits) {
			c.Credits = n
		}
	}
}

// decodeBase64 reads the standard or the URL alphabet, padded or not, and nothing left over.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, base64.CorruptInputError(0) // which Go's decoders skip
	}
	enc := base64.StdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.URLEncoding
	}
	if !strings.HasSuffix(s, "=") {
		enc = enc.WithPadding(base64.NoPadding)
	}
	return enc.Strict().DecodeString(s)
}
