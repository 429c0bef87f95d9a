package challenge

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Parse reads the values of WWW-Authenticate. It returns the challenges that can be paid over Lightning, in the order in which they
// stand, and one error for each that cannot or that is not readable. Other schemes are passed over in silence.
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

// Credential returns what to send with the preimage of the challenge's invoice.
func (c *Challenge) Credential(preimage [32]byte) (Credential, error) {
	proof := hex.EncodeToString(preimage[:])
	if c.Charge == nil {
		return Credential{Header: "Authorization", Value: c.Scheme + " " + c.Macaroon + ":" + proof}, nil
	}
	return c.Charge.credential(proof)
}
