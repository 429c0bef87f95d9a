package l402

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"almanac/l402/mpp"
)

// paymentKeyUse is what a key for the ids of Payment challenges is derived for.
const paymentKeyUse = "ids of Payment challenges"

// paymentChallenge returns a challenge of the scheme Payment over the same invoice as an L402 challenge, "" if the paywall offers none.
func (p *Paywall) paymentChallenge(inv Invoice, validUntil time.Time) string {
	if p.cfg.Realm == "" {
		return ""
	}
	details := mpp.CanonicalObject{"invoice": inv.PaymentRequest, "paymentHash": inv.PaymentHash.String()}
	if network := networkOf(inv.PaymentRequest); network != "" {
		details["network"] = network
	}
	t := p.cfg.Terms
	days := strconv.Itoa(int(t.Validity / (24 * time.Hour)))
	credits := strconv.Itoa(t.Credits)
	secret := p.keyring.Load().keys.Derive(paymentKeyUse)
	return mpp.NewChallenge(secret[:], p.cfg.Realm,
		credits+" requests within "+days+" days: send the same credential with each",
		mpp.CanonicalObject{
			"amount": strconv.FormatInt(t.PriceSats, 10), "currency": "sat", "description": p.cfg.Memo, "methodDetails": details,
			"externalId": credits + ":" + strconv.FormatInt(validUntil.Unix(), 10),
		},
		inv.ExpiresAt,
	).Header()
}

// networkOf returns the network of an invoice as draft-lightning-charge-00 names it, "" for those that have no name there.
func networkOf(invoice string) string {
	for _, n := range [...]struct{ prefix, name string }{{"lnbcrt", "regtest"}, {"lntbs", "signet"}, {"lnbc", "mainnet"}} {
		if strings.HasPrefix(invoice, n.prefix) {
			return n.name
		}
	}
	return ""
}

// cutPayment finds the credential of the scheme Payment among Authorization values.
func cutPayment(authorization []string) (text string, found bool, err error) {
	const scheme = "payment"
	for _, value := range authorization {
		name, rest, _ := strings.Cut(strings.TrimLeft(value, " \t"), " ")
		if !strings.EqualFold(name, scheme) {
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
		return token{}, malformed(err.Error())
	}
	if c.Challenge.Realm != v.realm || c.Challenge.Method != mpp.Method || c.Challenge.Intent != mpp.Intent || !v.issued(&c.Challenge) {
		return token{}, errForeign
	}
	request, err := mpp.ReadObject(c.Challenge.Request)
	if err != nil {
		return token{}, malformed(err.Error())
	}
	details, _ := request["methodDetails"].(map[string]any)
	paid, _ := details["paymentHash"].(string)
	hash := c.Preimage.Hash()
	if paid != hash.String() {
		return token{}, errUnproven
	}
	g, err := paymentGrant(request)
	if err != nil {
		return token{}, err
	}
	return token{hash: hash, grant: g, receiptID: c.Challenge.ID}, nil
}

// issued reports whether one of the keys made the challenge.
func (v *verifier) issued(c *mpp.Challenge) bool {
	for i := range v.keys.all {
		secret := v.keys.all[i].derive(paymentKeyUse)
		if c.IsFrom(secret[:]) {
			return true
		}
	}
	return false
}

// paymentGrant returns what a challenge that was issued here allows. Its request has that as the merchant's reference, because clients
// send the request back unchanged: the credits, and the Unix time at which they end, as the caveats of the macaroon have them, so that
// both credentials open the same account.
func paymentGrant(request mpp.CanonicalObject) (grant, error) {
	reference, _ := request["externalId"].(string)
	first, second, _ := strings.Cut(reference, ":")
	credits, creditsErr := parseNumber(first)
	until, untilErr := parseNumber(second)
	if errors.Join(creditsErr, untilErr) != nil || credits > maxCredits {
		return grant{}, errCaveat
	}
	return grant{credits: int(credits), limit: int(credits), expires: until, validEnd: until}, nil
}

// paymentReceipt returns the receipt for a request that was paid for with a credential of the scheme Payment, "" for others.
func (p *Paywall) paymentReceipt(t token) string {
	if t.receiptID == "" {
		return ""
	}
	return mpp.Receipt(t.receiptID, lntypes.Hash(t.hash), p.cfg.Now())
}
