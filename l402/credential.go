package l402

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"

	"github.com/lightningnetwork/lnd/lntypes"
)

// maxAuthorization bounds one Authorization value, in bytes. Eight fresh macaroons take a third of it.
const maxAuthorization = 8 << 10

// maxAuthorizations bounds how many Authorization values a request may have. Aperture forwards two.
const maxAuthorizations = 4

// A credential is macaroons with the preimage that its payment revealed.
type credential struct {
	macaroons [][]byte // not parsed yet
	preimage  lntypes.Preimage
}

// equal reports whether two credentials are the same, however they are spelt.
func (c *credential) equal(other *credential) bool {
	return c.preimage == other.preimage && slices.EqualFunc(c.macaroons, other.macaroons, bytes.Equal)
}

var (
	errNoCredential = refused(problem.PaymentRequired, "no credential")
	errAmbiguous    = refused(problem.AmbiguousCredential, "the request has two different credentials")
	errMalformed    = refused(problem.CredentialMalformed, "the credential does not have the form L402 <macaroon>:<preimage>")
	errOversize     = fmt.Errorf("%w: it is longer than 8 KiB", errMalformed)
	errOtherScheme  = error(&refusalError{"no credential in Authorization", problem.Problem{
		Code:   problem.PaymentRequired,
		Detail: "Authorization has no credential of the scheme L402, or Payment where it is offered. If you have paid, send Authorization: L402 <macaroon>:<preimage>; otherwise pay the invoice of the challenge first.",
	}})
	errOtherHeader = error(&refusalError{"a payment in a header that is not read", problem.Problem{
		Code:   problem.PaymentRequired,
		Detail: "This service does not read payments of x402 or Cashu, nor Payment-Authorization, and took nothing by what was sent. Pay the Lightning invoice of the challenge, then send Authorization: L402 <macaroon>:<preimage>.",
	}})
)

// otherHeaders are those in which clients pay other services.
var otherHeaders = []string{"Payment-Signature", "X-Payment", "X-Cashu", "Payment-Authorization"}

func malformed(why string) error { return fmt.Errorf("%w: %s", errMalformed, why) }

// readCredential reads the credential of a request from every place where it may be: Authorization values, of which
// those with another scheme are ignored, and macaroons in hexadecimal, which some gRPC clients send.
func readCredential(authorization, macaroons []string) (found *credential, err error) {
	for n, value := range authorization {
		rest, ours := cutScheme(value)
		if !ours {
			continue
		}
		if n >= maxAuthorizations {
			return nil, malformed("too many Authorization values")
		}
		if found, err = found.add(parseCredential(rest)); err != nil {
			return nil, err
		}
	}
	if len(macaroons) > maxAuthorizations {
		return nil, malformed("too many macaroons in the metadata")
	}
	for _, text := range macaroons {
		if found, err = found.add(parseHexMacaroon(text)); err != nil {
			return nil, err
		}
	}
	if found == nil {
		return nil, errNoCredential
	}
	return found, nil
}

// add returns the credential of a request, given an earlier one (nil for none) and the result of parsing the next
// value. The same credential given twice is one; two different ones are ambiguous, because only one of them could be
// charged.
func (c *credential) add(other *credential, err error) (*credential, error) {
	switch {
	case err != nil:
		return nil, err
	case c != nil && !c.equal(other):
		return nil, errAmbiguous
	}
	return other, nil
}

// cutScheme removes the scheme L402, or LSAT as it was called until 2023, and reports whether it was there.
func cutScheme(value string) (rest string, ours bool) {
	scheme, rest := splitScheme(value)
	return rest, strings.EqualFold(scheme, "L402") || strings.EqualFold(scheme, "LSAT")
}

// separate returns values of Authorization of which none has several. Some proxies join those of a request with commas,
// for which the field has no rule, and Aperture's client sends two.
func separate(values []string) (all []string) {
	for _, value := range values {
		all = append(all, strings.Split(joint.ReplaceAllString(value, "\n$1"), "\n")...)
	}
	return all
}

// joint matches a comma and the scheme that follows. After a comma between macaroons there is no blank.
var joint = regexp.MustCompile(`,[ \t]*([A-Za-z0-9-]+ )`)

// splitScheme splits a value of Authorization after its scheme, whose case does not matter (RFC 9110, 11.1).
func splitScheme(value string) (scheme, rest string) {
	value = strings.TrimLeft(value, " \t")
	end := strings.IndexAny(value+" ", " \t")
	return value[:end], strings.TrimLeft(value[end:], " \t")
}

// parseCredential parses `<macaroon>[,<macaroon>…]:<preimage>`. It checks every bound before it decodes anything.
func parseCredential(s string) (*credential, error) {
	if len(s) > maxAuthorization {
		return nil, errOversize
	}
	tokens, proof, ok := strings.Cut(s, ":")
	if !ok {
		return nil, malformed("the colon is missing")
	}
	if strings.Count(tokens, ",") >= maxMacaroons {
		return nil, malformed("it has more than 8 macaroons")
	}
	preimage, err := parsePreimage(proof)
	if err != nil {
		return nil, err
	}
	c := &credential{preimage: preimage}
	for text := range strings.SplitSeq(tokens, ",") {
		b, err := challenge.DecodeMacaroon(text)
		if err != nil {
			return nil, malformed("a macaroon is not base64")
		}
		c.macaroons = append(c.macaroons, b)
	}
	return c, nil
}

// parsePreimage parses exactly 64 hexadecimal digits of either case.
func parsePreimage(s string) (lntypes.Preimage, error) {
	p, err := lntypes.MakePreimageFromStr(s)
	if err != nil {
		return p, malformed("the preimage is not 64 hexadecimal digits")
	}
	return p, nil
}

// parseHexMacaroon parses the credential of gRPC clients that send the macaroon alone, in hexadecimal, with the
// preimage in a caveat, as aperture's ClientInterceptor does. Caveats with different preimages are ambiguous.
func parseHexMacaroon(s string) (*credential, error) {
	if len(s) > hex.EncodedLen(maxMacaroonBytes) {
		return nil, malformed("the macaroon is longer than 4 KiB")
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, malformed("the macaroon is not hexadecimal")
	}
	m, err := parseMacaroon(b)
	if err != nil {
		return nil, malformed(err.Error())
	}
	c := &credential{macaroons: [][]byte{b}}
	found := false
	for _, caveat := range m.Caveats() {
		value, ok := strings.CutPrefix(string(caveat.Id), condPreimage+"=")
		if !ok || len(caveat.VerificationId) > 0 {
			continue
		}
		preimage, err := parsePreimage(value)
		if err != nil {
			return nil, err
		}
		if found && preimage != c.preimage {
			return nil, errAmbiguous
		}
		c.preimage, found = preimage, true
	}
	if !found {
		return nil, malformed("the macaroon has no preimage caveat")
	}
	return c, nil
}

// NewGrant returns a credential for which nobody has paid, as the value of Authorization, and its account, which
// [Ledger.Grant] must create.
func NewGrant(keys Keys, credits int, now, validUntil time.Time) (authorization string, account Account, err error) {
	if credits < 1 || credits > maxCredits || !validUntil.After(now) {
		return "", Account{}, fmt.Errorf("%d credits until %s: grant 1 to %d, until a time to come",
			credits, validUntil.Format(time.RFC3339), maxCredits)
	}
	var preimage lntypes.Preimage
	rand.Read(preimage[:]) // never fails since Go 1.24
	account = Account{
		Hash: preimage.Hash(), Credits: credits, ExpiresAt: validUntil.UTC().Truncate(time.Second),
		Sale: Sale{Kind: SaleGranted, At: now.UTC().Truncate(time.Second)},
	}
	raw, err := mint(keys, newIdentifier(account.Hash), caveatsFor(credits, account.ExpiresAt, account.Sale))
	if err != nil {
		return "", Account{}, err
	}
	return "L402 " + base64.StdEncoding.EncodeToString(raw) + ":" + preimage.String(), account, nil
}
