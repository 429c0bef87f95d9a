package l402

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/mpp"
)

// paymentReceipt is the header, and the gRPC metadata, of a receipt.
const paymentReceipt = "Payment-Receipt"

// OffersPayment reports whether challenges come in the scheme Payment too.
func (p *Paywall) OffersPayment() bool { return p.cfg.Realm != "" }

// paymentChallenge returns a challenge of the scheme Payment over the same invoice as an L402 challenge, nil if the
// paywall offers none.
func (p *Paywall) paymentChallenge(inv Invoice, validUntil time.Time, sale Sale) *mpp.Challenge {
	if !p.OffersPayment() {
		return nil
	}
	details := challenge.CanonicalObject{"invoice": inv.PaymentRequest, "paymentHash": inv.PaymentHash.String()}
	if network := networkOf(inv.PaymentRequest); network != "" {
		details["network"] = network
	}
	t := p.cfg.Terms
	days := strconv.Itoa(int(t.Validity / (24 * time.Hour)))
	credits := strconv.Itoa(t.Credits)
	secret := p.keyring.Load().keys.Derive(paymentKeyUse)
	return mpp.NewChallenge(secret[:], p.cfg.Realm,
		credits+" requests within "+days+" days: send the same credential with each",
		challenge.CanonicalObject{
			"amount": strconv.FormatInt(t.PriceSats, 10), "currency": "sat", "description": p.cfg.Memo, "methodDetails": details,
			"externalId": credits + ":" + strconv.FormatInt(validUntil.Unix(), 10) + ":" + sale.text(),
		},
		inv.ExpiresAt,
	)
}

// networkOf returns the network of an invoice as draft-lightning-charge-00 names it, "" for those that have no name
// there.
func networkOf(invoice string) string {
	for _, n := range [...]struct{ prefix, name string }{{"lnbcrt", "regtest"}, {"lntbs", "signet"}, {"lnbc", "mainnet"}} {
		if strings.HasPrefix(invoice, n.prefix) {
			return n.name
		}
	}
	return ""
}

// PaymentReceipt returns the receipt for a request that was paid for with a credential of the scheme Payment, as a JSON
// object; nil for others.
func (c *Charge) PaymentReceipt() []byte {
	if c.token.receiptID == "" {
		return nil
	}
	return []byte(mpp.NewReceipt(c.token.receiptID, c.token.hash, c.paywall.cfg.Now()).Canonical())
}

// encodedReceipt returns the value of Payment-Receipt, "" if there is no receipt.
func (c *Charge) encodedReceipt() string { return challenge.Encode(string(c.PaymentReceipt())) }

// paymentKeyUse is the use of the key for the ids of Payment challenges.
const paymentKeyUse = "ids of Payment challenges"

// speaksPayment reports whether a client uses the scheme Payment: it says so in Accept-Payment, or tried it in
// Authorization.
func speaksPayment(authorization, accepted []string) bool {
	_, tried, _ := cutPayment(authorization)
	return tried || accept.Weight(accepted, mpp.Method+"/"+mpp.Intent) > 0
}

// cutPayment finds the credential of the scheme Payment among Authorization values.
func cutPayment(authorization []string) (text string, found bool, err error) {
	for _, value := range authorization {
		scheme, rest := splitScheme(value)
		if !strings.EqualFold(scheme, "payment") {
			continue
		}
		rest = strings.TrimSpace(rest)
		if found && rest != text {
			return "", true, errAmbiguous
		}
		text, found = rest, true
	}
	return text, found, nil
}

// readPayment verifies a credential of the scheme Payment.
func (v *verifier) readPayment(text string) (token, error) {
	if len(text) > maxAuthorization {
		return token{}, errOversize
	}
	c, err := mpp.ParseCredential(text)
	if err != nil {
		return token{}, malformedPayment(err)
	}
	if c.Challenge.Realm != v.realm || c.Challenge.Method != mpp.Method || c.Challenge.Intent != mpp.Intent ||
		!v.issued(&c.Challenge) {
		return token{}, problem.Errorf(problem.CredentialInvalid,
			"This service did not issue the challenge, its key is no longer in use, or it was altered. Send each of its members as it was issued, or pay the new invoice.")
	}
	request, err := mpp.ReadObject(c.Challenge.Request)
	if err != nil {
		return token{}, malformedPayment(err)
	}
	details, _ := request["methodDetails"].(map[string]any)
	paid, _ := details["paymentHash"].(string)
	hash := c.Preimage.Hash()
	if paid != hash.String() {
		return token{}, problem.Errorf(problem.PaymentUnproven,
			"The preimage does not belong to the challenge. Send the preimage that paying the challenge's own invoice revealed.")
	}
	g, err := paymentGrant(request)
	if err != nil {
		return token{}, err
	}
	return token{hash: hash, grant: g, receiptID: c.Challenge.ID}, nil
}

// authorizationOf returns the value of Authorization for a credential that came neither over HTTP nor gRPC: the value
// itself, with or without the scheme L402, or the object that MCP has of the scheme Payment. "" means that there is
// none.
func authorizationOf(credential string) (string, error) {
	text := strings.TrimSpace(credential)
	if strings.HasPrefix(text, "{") {
		if len(text) > maxAuthorization {
			return "", errOversize
		}
		encoded, err := mpp.CredentialText([]byte(text))
		if err != nil {
			return "", malformedPayment(err)
		}
		return "Payment " + encoded, nil
	}
	if _, payment, _ := cutPayment([]string{text}); payment {
		return text, nil
	}
	if rest, ours := cutScheme(text); ours {
		text = rest
	}
	if text == "" {
		return "", errNoCredential
	}
	return "L402 " + text, nil
}

// malformedPayment refuses a credential of the scheme Payment that cannot be parsed.
func malformedPayment(err error) error {
	return problem.Errorf(problem.CredentialMalformed,
		"The credential of the scheme Payment cannot be read: %v. Send the challenge as it was issued and the preimage as 64 lower-case hexadecimal digits: {\"challenge\":{…},\"payload\":{\"preimage\":\"…\"}}, over HTTP and gRPC in base64url.", err)
}

// issued reports whether one of the keys made the challenge.
func (v *verifier) issued(c *mpp.Challenge) bool {
	return slices.ContainsFunc(v.keys.all, func(k masterKey) bool {
		secret := k.derive(paymentKeyUse)
		return c.IsFrom(secret[:])
	})
}

// paymentGrant returns the permission in a challenge of ours. Its request has that as the merchant's reference, because
// clients send the request back unchanged: the credits, the Unix time at which they end, and the sale, as the caveats
// of the macaroon have them, so that both credentials open the same account.
func paymentGrant(request challenge.CanonicalObject) (grant, error) {
	reference, _ := request["externalId"].(string)
	first, rest, _ := strings.Cut(reference, ":")
	second, sale, _ := strings.Cut(rest, ":")
	credits, creditsErr := parseNumber(first)
	until, untilErr := parseNumber(second)
	if errors.Join(creditsErr, untilErr) != nil || credits > maxCredits {
		return grant{}, errCaveat
	}
	return grant{credits: int(credits), limit: int(credits), expires: until, validEnd: until, sale: parseSale(sale)}, nil
}
