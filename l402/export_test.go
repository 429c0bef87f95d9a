package l402

import (
	"net/netip"

	"almanac/problem"

	"gopkg.in/macaroon.v2"
)

// What tests in package l402_test need to break things that no client could.

var (
	ParseAuthorization = func(values []string) (*credential, error) { return readCredential(values, nil) }
	ParseHexMacaroon   = parseHexMacaroon
	ParseGrant         = func(caveats []string) error { _, err := parseGrant(caveats); return err }
)

// Verify runs the whole path of a credential but for the clock.
func Verify(keys Keys, authorization string) error {
	_, err := newVerifier(keys).token([]string{authorization}, nil)
	return err
}

// Admit verifies an Authorization value with what the paywall remembers.
func (p *Paywall) Admit(authorization string) error {
	_, err := p.authenticate([]string{authorization}, nil)
	return err
}

// Forget makes the paywall verify everything anew.
func (p *Paywall) Forget() { p.verifier.cache.Purge() }

// Sign makes a macaroon that is rightly signed, whatever it says.
func Sign(keys Keys, id []byte, caveats ...string) *macaroon.Macaroon {
	var fixed identifier
	copy(fixed[:], id)
	m, err := macaroon.New(keys.minting().rootKey(&fixed), id, "almanac", macaroon.V2)
	if err != nil {
		panic(err)
	}
	for _, c := range caveats {
		m.AddFirstPartyCaveat([]byte(c))
	}
	return m
}

// Codes are the codes of the paywall's own refusals.
func Codes() (codes []problem.Code) {
	for _, r := range reasons {
		codes = append(codes, r.code)
	}
	return codes
}

// Take is the limiter's only step.
func (p *Paywall) Take(addr netip.Addr) bool {
	return p.limiter.Take(addr, p.cfg.Now()) == 0
}

// Sources is how many sources the limiter remembers.
func (p *Paywall) Sources() int { return p.limiter.Networks() }
