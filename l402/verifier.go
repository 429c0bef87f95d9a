package l402

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/internal/problem"
)

var (
	errForeign   = refused(problem.CredentialInvalid, "the macaroon was not made here, was changed, or its key was removed")
	errUnproven  = refused(problem.PaymentUnproven, "the preimage is not that of the macaroon's invoice")
	errThirdPart = refused(problem.CredentialInvalid, "third-party caveats are not accepted")
)

// A token is a verified credential: proof of its payment, with its permission.
type token struct {
	hash lntypes.Hash
	grant
	receiptID string // of a Payment challenge; "" for a macaroon
}

// A verifier verifies credentials. That takes several HMACs, and a credential is used a hundred times, so the most
// recent good ones are cached by the hash of their text. Only the payment and the permission are cached, which never
// change. Whether a credential has expired, is revoked or used up is checked every time.
type verifier struct {
	keys  Keys
	realm string // of Payment credentials; "" if there are none
	cache *lru.Cache[[sha256.Size]byte, token]
}

// maxCached is how many good credentials are cached, with about 200 bytes each.
const maxCached = 16 << 10

func newVerifier(keys Keys, realm string) *verifier {
	cache, _ := lru.New[[sha256.Size]byte, token](maxCached) // an error would be of the size
	return &verifier{keys: keys, realm: realm, cache: cache}
}

// token returns the token of the credential that readCredential finds, if it verifies.
func (v *verifier) token(authorization, macaroons []string) (token, error) {
	if len(authorization) != 1 || len(authorization[0]) > maxAuthorization || len(macaroons) > 0 {
		return v.read(authorization, macaroons)
	}
	var buf [512]byte // longer than a credential of ours, so that nothing is allocated
	sum := sha256.Sum256(append(buf[:0], authorization[0]...))
	if t, cached := v.cache.Get(sum); cached {
		return t, nil
	}
	t, err := v.read(authorization, nil)
	if err == nil {
		v.cache.Add(sum, t)
	}
	return t, err
}

// read is token without the cache.
func (v *verifier) read(authorization, macaroons []string) (token, error) {
	authorization = separate(authorization)
	payment, paid, err := "", false, error(nil)
	if v.realm != "" {
		if payment, paid, err = cutPayment(authorization); err != nil {
			return token{}, err
		}
	}
	c, err := readCredential(authorization, macaroons)
	switch {
	case paid && errors.Is(err, errNoCredential):
		return v.readPayment(payment)
	case paid:
		return token{}, errAmbiguous
	case errors.Is(err, errNoCredential) && strings.Join(authorization, "") != "":
		return token{}, errOtherScheme
	case err != nil:
		return token{}, err
	}
	return v.verify(c)
}

// verify finds the token among the macaroons of a credential. Those that commit to the hash of the preimage are copies
// of it: each must verify, and the token has the permission of all, so their order does not matter. Any other macaroon
// proves nothing and is ignored.
func (v *verifier) verify(c *credential) (token, error) {
	hash := c.preimage.Hash()
	var t token
	found, ours := false, false
	for _, raw := range c.macaroons {
		one, err := v.verifyOne(raw, hash)
		switch {
		case errors.Is(err, errForeignID):
			continue
		case errors.Is(err, errUnproven):
			ours = true
			continue
		case err != nil:
			return token{}, err
		case found:
			if one.grant, err = t.grant.merge(one.grant); err != nil {
				return token{}, err
			}
		}
		t, found = one, true
	}
	switch {
	case found:
		return t, nil
	case ours:
		return token{}, errUnproven
	default:
		return token{}, errForeign
	}
}

// verifyOne verifies one macaroon, given the hash of the preimage that came with it.
func (v *verifier) verifyOne(raw []byte, hash lntypes.Hash) (token, error) {
	m, err := parseMacaroon(raw)
	if err != nil {
		return token{}, malformed(err.Error())
	}
	id, err := parseIdentifier(m.Id())
	if err != nil {
		return token{}, err
	}
	if id.paymentHash() != hash { // before any HMAC, so that junk is cheap to refuse
		return token{}, errUnproven
	}
	g, err := verifyCopy(v.keys, m, &id)
	if err != nil {
		return token{}, err
	}
	return token{hash: hash, grant: g}, nil
}

// verifyCopy checks the signature of one macaroon against every master key, and parses its caveats.
func verifyCopy(keys Keys, m *macaroon.Macaroon, id *identifier) (grant, error) {
	if slices.ContainsFunc(m.Caveats(), func(c macaroon.Caveat) bool { return len(c.VerificationId) > 0 }) {
		return grant{}, errThirdPart
	}
	for _, k := range keys.all {
		caveats, err := m.VerifySignature(k.rootKey(id), nil) // compares with hmac.Equal
		if err == nil {
			return parseGrant(caveats)
		}
	}
	return grant{}, errForeign
}

// A refusalError is an error that clients see as its problem.
type refusalError struct {
	text    string
	problem problem.Problem
}

func refused(code problem.Code, text string) error {
	return &refusalError{text, problem.Problem{Code: code}}
}

// Error returns the reason, for logs.
func (e *refusalError) Error() string { return e.text }

// A provenError refuses a credential that was paid for, and can buy nothing more.
type provenError struct {
	error
	hash lntypes.Hash
}

// Unwrap returns the reason.
func (e *provenError) Unwrap() error { return e.error }

// problemOf returns the problem that err is or leads to, which may be changed.
func problemOf(err error) *problem.Problem {
	p := *problem.FromError(err)
	if known := (*refusalError)(nil); p.Code == problem.Internal && errors.As(err, &known) {
		p = known.problem
	}
	if paid := (*provenError)(nil); errors.As(err, &paid) {
		p.Err = paid
	}
	return &p
}

// warnPayer tells the holder of a credential that can be corrected not to pay again. It changes p.
func warnPayer(p *problem.Problem) *problem.Problem {
	if p.Correctable() {
		p.Detail = p.Sentence() + " " + problem.PaidAlready
	}
	return p
}

// payable reports whether a new invoice helps a request that was refused with p.
func payable(p *problem.Problem) bool { return p.Status() == http.StatusPaymentRequired }

// withReason returns the problem of a request that was refused because of reason, and for which no invoice can be had.
// It keeps the code of failed, and names the reason in its detail and in the member "reason".
func withReason(failed, reason *problem.Problem) *problem.Problem {
	if reason.Code == problem.PaymentRequired {
		return failed
	}
	p := *failed
	p.Detail = fmt.Sprintf("%s. A new invoice cannot be issued at the moment: try again after the time in Retry-After.",
		reason.Title())
	p.Extensions = map[string]any{"reason": reason.Code}
	return &p
}
