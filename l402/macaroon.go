package l402

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/internal/problem"
)

// Bounds on parsing and hashing for strangers. A fresh macaroon has three caveats and about 220 bytes.
const (
	maxMacaroons     = 8
	maxMacaroonBytes = 4 << 10
	maxCaveats       = 32
)

// macaroonLocation is a hint for people who inspect a macaroon. It is not signed, and nothing here reads it.
const macaroonLocation = "almanac"

// mint returns a new macaroon with that identifier, signed with a key derived from the master key and the identifier.
func mint(keys Keys, id identifier, caveats []string) ([]byte, error) {
	m, err := macaroon.New(keys.minting().rootKey(&id), id[:], macaroonLocation, macaroon.V2)
	if err != nil {
		return nil, fmt.Errorf("create macaroon: %w", err)
	}
	for _, c := range caveats {
		if err := m.AddFirstPartyCaveat([]byte(c)); err != nil {
			return nil, fmt.Errorf("add caveat to macaroon: %w", err)
		}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode macaroon: %w", err)
	}
	return b, nil
}

var errMacaroon = errors.New("not a macaroon in the binary format, version 2")

// parseMacaroon parses one macaroon to its last byte. The library ignores bytes after a macaroon, and accepts encodings
// of a length that nobody writes; whatever does not encode to the same bytes again is refused.
func parseMacaroon(b []byte) (*macaroon.Macaroon, error) {
	if len(b) == 0 || len(b) > maxMacaroonBytes || b[0] != byte(macaroon.V2) {
		return nil, errMacaroon
	}
	m := new(macaroon.Macaroon)
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, errMacaroon
	}
	if len(m.Caveats()) > maxCaveats {
		return nil, fmt.Errorf("the macaroon has more than %d caveats", maxCaveats)
	}
	again, err := m.MarshalBinary()
	if err != nil || !bytes.Equal(b, again) {
		return nil, errMacaroon
	}
	return m, nil
}

// identifierSize is the length of a version 0 identifier:
// a big-endian uint16 version, the payment hash, a random token id
// (https://github.com/lightninglabs/L402/blob/master/macaroon-spec.md).
const identifierSize = 2 + lntypes.HashSize + tokenIDSize

const (
	identifierVersion = 0
	tokenIDSize       = 32
)

// An identifier identifies a macaroon and commits to its payment hash.
type identifier [identifierSize]byte

// newIdentifier returns the identifier of a new token for the payment.
func newIdentifier(hash lntypes.Hash) identifier {
	var id identifier
	binary.BigEndian.PutUint16(id[:2], identifierVersion)
	copy(id[2:], hash[:])
	rand.Read(id[2+lntypes.HashSize:]) // never fails since Go 1.24
	return id
}

var errForeignID = errors.New("the macaroon's identifier is not an L402 identifier of version 0")

// parseIdentifier parses the identifier of a macaroon, which has exactly 66 bytes.
func parseIdentifier(b []byte) (identifier, error) {
	var id identifier
	if len(b) != identifierSize || binary.BigEndian.Uint16(b) != identifierVersion {
		return id, errForeignID
	}
	copy(id[:], b)
	return id, nil
}

// paymentHash returns the payment hash that the identifier commits to.
func (id *identifier) paymentHash() lntypes.Hash {
	return lntypes.Hash(id[2 : 2+lntypes.HashSize])
}

// The conditions of every macaroon, as `condition=value`
// (https://github.com/lightninglabs/L402/blob/master/macaroons.md). The service's own begin with its name.
const (
	condServices   = "services"            // always servicesValue
	condValidUntil = "almanac_valid_until" // Unix time in seconds; the token is valid before it
	condCredits    = "almanac_credits"     // valid while fewer of the token's credits are used
	condBudget     = "almanac_budget"      // <branch>:<credits>; valid while the branch has used fewer
	condSold       = "almanac_sold"        // how the account was sold; ours only as the first caveat
	condPreimage   = "preimage"            // added by gRPC clients that send the macaroon alone
)

// ownPrefix begins the service's own conditions, and those that only misspell one.
const ownPrefix = "almanac_"

// servicesValue names this service and its only tier.
const servicesValue = "almanac:0"

// caveatsFor returns the caveats of a new token.
func caveatsFor(credits int, validUntil time.Time, sale Sale) []string {
	return []string{
		condSold + "=" + sale.text(),
		condServices + "=" + servicesValue,
		condValidUntil + "=" + strconv.FormatInt(validUntil.Unix(), 10),
		condCredits + "=" + strconv.Itoa(credits),
	}
}

// A grant is the permission in the caveats of a token.
type grant struct {
	credits  int   // the first almanac_credits: those that were bought
	limit    int   // the last almanac_credits: how much of it this copy may use
	expires  int64 // the first almanac_valid_until, Unix seconds: when the account ends
	validEnd int64 // the last almanac_valid_until: when this copy ends
	sale     Sale
	delegation
}

// validUntil returns when this copy of the token ends.
func (g grant) validUntil() time.Time { return time.Unix(g.validEnd, 0).UTC() }

var errCaveat = refused(problem.CredentialInvalid, "the macaroon's caveats do not allow this service")

// parseGrant parses the caveats of a macaroon whose signature was verified, oldest first. Ours must all be present, and
// a repeated one may only narrow, because any holder can append to a macaroon. Unknown conditions are skipped, as the
// specification says, except under our own name: a misspelt limit must not be no limit.
func parseGrant(caveats []string) (grant, error) {
	var g grant
	var services, ends, credits bool
	for i, caveat := range caveats {
		cond, value, ok := strings.Cut(caveat, "=")
		if !ok {
			cond = ""
		}
		switch cond {
		case condServices:
			if value != servicesValue { // ours is the first, so any other value is wider
				return grant{}, fmt.Errorf("%w: services", errCaveat)
			}
			services = true
		case condValidUntil:
			n, err := parseNumber(value)
			if err != nil || ends && n > g.validEnd {
				return grant{}, fmt.Errorf("%w: valid until", errCaveat)
			}
			if !ends {
				g.expires = n
			}
			g.validEnd, ends = n, true
		case condCredits:
			n, err := parseNumber(value)
			if err != nil || n > maxCredits || credits && int(n) > g.limit {
				return grant{}, fmt.Errorf("%w: credits", errCaveat)
			}
			if !credits {
				g.credits = int(n)
			}
			g.limit, credits = int(n), true
		case condBudget:
			var err error
			if g.delegation, err = g.delegation.add(value, g.limit); err != nil {
				return grant{}, err
			}
		case condSold:
			if i == 0 { // where no holder can put one
				g.sale = parseSale(value)
			}
		default:
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(caveat)), ownPrefix) {
				return grant{}, problem.Errorf(problem.CredentialInvalid,
					"The caveat %.64q is unknown: write %s, %s or %s, then = without blanks, and a value.",
					caveat, condCredits, condValidUntil, condBudget)
			}
		}
	}
	if !services || !ends || !credits {
		return grant{}, fmt.Errorf("%w: a required one is missing", errCaveat)
	}
	return g, nil
}

// merge returns the permission that both copies of one token have.
func (g grant) merge(other grant) (merged grant, err error) {
	g.limit = min(g.limit, other.limit)
	g.validEnd = min(g.validEnd, other.validEnd)
	g.delegation, err = g.delegation.merge(other.delegation)
	return g, err
}

// maxCredits bounds the number in a caveat, so that it fits every store.
const maxCredits = 1 << 30

// parseNumber parses a decimal number as caveatsFor writes it: digits only, no leading zero, at most 2^53.
func parseNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<53 || strconv.FormatInt(n, 10) != s {
		return 0, strconv.ErrSyntax
	}
	return n, nil
}
