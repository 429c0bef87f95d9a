package l402

import (
	"net/netip"
	"time"

	"go.almanac.example/internal/problem"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// What tests in package l402_test need to break things that no client could.

var (
	ParseAuthorization = func(values []string) (*credential, error) { return readCredential(values, nil) }
	ParseHexMacaroon   = parseHexMacaroon
	ParseKeys          = parseKeys
	ParseGrant         = func(caveats []string) error { _, err := parseGrant(caveats); return err }
)

// Verify runs the whole path of a credential but for the clock.
func Verify(keys Keys, authorization string) error {
	_, err := newVerifier(keys, "").token([]string{authorization}, nil)
	return err
}

// Admit verifies an Authorization value with what the paywall remembers.
func (p *Paywall) Admit(authorization string) error {
	_, err := p.authenticate([]string{authorization}, nil)
	return err
}

// Forget makes the paywall verify everything again.
func (p *Paywall) Forget() { p.keyring.Load().cache.Purge() }

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
	for _, err := range []error{errNoCredential, errMalformed, errAmbiguous, errForeign, errThirdPart, errCaveat, errUnproven,
		ErrExpired, ErrRevoked, ErrExhausted, ErrBudgetExhausted, ErrLedgerUnavailable, ErrNodeUnavailable} {
		codes = append(codes, problemOf(err).Code)
	}
	return codes
}

// Take is the limiter's only step.
func (p *Paywall) Take(addr netip.Addr) bool { return p.TakeAt(addr, p.cfg.Now()) }

// TakeAt is Take at another time.
func (p *Paywall) TakeAt(addr netip.Addr, now time.Time) bool {
	_, wait := p.limiter.take(addr, nil, now)
	return wait == 0
}

// TakeProven is TakeAt for a client that proves a payment.
func (p *Paywall) TakeProven(hash lntypes.Hash, now time.Time) bool {
	_, wait := p.limiter.take(netip.Addr{}, &hash, now)
	return wait == 0
}
