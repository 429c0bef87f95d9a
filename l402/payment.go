package l402

import (
	"strconv"
	"strings"
	"time"

	"almanac/l402/mpp"
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
	receipt := c.paywall.receiptOf(c.token)
	if receipt == nil {
		return nil
	}
	return []byte(receipt.Canonical())
}

// encodedReceipt returns the value of Payment-Receipt for a request that was paid for with a credential of the scheme
// Payment, "" for others.
func (p *Paywall) encodedReceipt(t token) string {
	receipt := p.receiptOf(t)
	if receipt == nil {
		return ""
	}
	return mpp.Encode(receipt.Canonical())
}

func (p *Paywall) receiptOf(t token) mpp.CanonicalObject {
	if t.receiptID == "" {
		return nil
	}
	return mpp.NewReceipt(t.receiptID, t.hash, p.cfg.Now())
}
