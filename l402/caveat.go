package l402

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"almanac/problem"
)

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

var errCaveat = errors.New("the macaroon's caveats do not allow this service")

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
					"The caveat %q is unknown: write %s, %s or %s, then = without blanks, and a value.",
					clip(caveat), condCredits, condValidUntil, condBudget)
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
	if s == "" || len(s) > 16 || len(s) > 1 && s[0] == '0' {
		return 0, strconv.ErrSyntax
	}
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, strconv.ErrSyntax
		}
		n = n*10 + int64(c-'0')
	}
	if n > 1<<53 {
		return 0, strconv.ErrRange
	}
	return n, nil
}
