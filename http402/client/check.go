package client

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// A Need is a request that was answered with challenges, whatever it travels in.
type Need struct {
	Origin   string // such as https://api.example.com
	Host     string // for the budget
	Method   string
	Resource string // the address requested, without its query

	Challenges []challenge.Challenge
	Unusable   []error // why others cannot be paid

	// Terms that the answer states beside the challenges, if any.
	StatedPrice string // in satoshis, as it is written
	StatedHash  string
}

// choose returns the challenge to pay: the cheapest that passes every check, and of those of one price the first by the
// order of the schemes. When none passes, the error is that of the one preferred.
func (c *Client) choose(need Need) (*Quote, *Refusal) {
	if c.cfg.Budget.PerPayment <= 0 {
		return nil, refuse(NoBudget, "not paid: no payment is allowed; set a limit for one payment (-max-cost)")
	}
	var first *Refusal
	var best *Quote
	for _, scheme := range c.cfg.Schemes {
		for _, ch := range need.Challenges {
			if ch.Scheme != scheme {
				continue
			}
			q, err := c.check(need, ch)
			if err == nil && (best == nil || q.AmountMilliSats < best.AmountMilliSats) {
				best = q
			}
			first = cmp.Or(first, err)
		}
	}
	switch {
	case best != nil:
		return best, nil
	case first != nil:
		return nil, first
	case len(need.Unusable) > 0:
		return nil, refuse(NoChallenge, "not paid: %w", need.Unusable[0])
	}
	return nil, refuse(NoChallenge, "not paid: the answer 402 has no challenge of the schemes %s", strings.Join(c.cfg.Schemes, ", "))
}

// check compares the invoice with everything that was said about it, and with the limit of one payment.
func (c *Client) check(need Need, ch challenge.Challenge) (*Quote, *Refusal) {
	inv, err := bolt11.Decode(ch.Invoice)
	if err != nil {
		return nil, refuse(BadInvoice, "not paid: the invoice %w", err)
	}
	hash := hex.EncodeToString(inv.Hash[:])
	if refusal := c.judge(need, ch, inv, hash); refusal != nil {
		return nil, refusal
	}
	text, err := json.Marshal(ch)
	if err != nil {
		return nil, refuse(JournalFault, "not paid, because the challenge cannot be written down: %w", err)
	}
	return &Quote{journal.Purchase{
		Hash: hash, Origin: need.Origin, Host: need.Host, Method: need.Method, Resource: need.Resource,
		Scheme: ch.Scheme, Invoice: inv.Text, Network: inv.Network, Payee: inv.Payee, Description: inv.Description,
		Challenge: text, AmountMilliSats: inv.MilliSats, InvoiceExpiresAt: inv.ExpiresAt,
	}, c.cfg.Budget.FeeLimit * 1000, ch.Credits, ch.ValidUntil}, nil
}

// judge refuses the first mismatch of an invoice, or the first limit that it breaks.
func (c *Client) judge(need Need, ch challenge.Challenge, inv bolt11.Invoice, hash string) *Refusal {
	charge := cmp.Or(ch.Charge, &challenge.ChargeRequest{})
	switch stated := strings.ToLower(need.StatedHash); {
	case ch.HasHash && ch.Hash != inv.Hash:
		return refuse(HashMismatch, "not paid: the challenge is for payment hash %x, but the invoice for %s", ch.Hash, hash)
	case stated != "" && stated != hash:
		return refuse(HashMismatch, "not paid: the answer names payment hash %.64s, but the invoice is for %s", stated, hash)
	case !slices.Contains(c.cfg.Networks, inv.Network):
		return refuse(WrongNetwork, "not paid: the invoice is of %s, but only invoices of %s are paid (-network)", inv.Network, strings.Join(c.cfg.Networks, ", "))
	case charge.Network != "" && charge.Network != inv.Network:
		return refuse(WrongNetwork, "not paid: the challenge names the network %.20s, but the invoice is of %s", charge.Network, inv.Network)
	}
	now := c.cfg.Now()
	for _, end := range []struct {
		is string
		at time.Time
	}{
		{"the invoice expired at", inv.ExpiresAt}, {"the challenge expired at", charge.ExpiresAt},
		{"what is sold is valid until", ch.ValidUntil},
	} {
		if !end.at.IsZero() && !now.Before(end.at) {
			return refuse(Expired, "not paid: %s %s, and it is %s", end.is, end.at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
		}
	}
	switch limit := c.cfg.Budget.PerPayment; {
	case inv.MilliSats == 0:
		return refuse(BadInvoice, "not paid: the invoice leaves its amount open")
	case ch.Charge != nil && charge.AmountSats*1000 != inv.MilliSats:
		return refuse(AmountMismatch, "not paid: the challenge says %d sat, but the invoice is for %s", charge.AmountSats, Sats(inv.MilliSats))
	case need.StatedPrice != "" && !IsPrice(need.StatedPrice, inv.MilliSats):
		return refuse(AmountMismatch, "not paid: the answer says %.20s sat, but the invoice is for %s", need.StatedPrice, Sats(inv.MilliSats))
	case inv.MilliSats > limit*1000:
		return refuse(OverPayment, "not paid: the invoice is for %s, but one payment may cost %d sat (-max-cost)", Sats(inv.MilliSats), limit)
	case len(c.cfg.Hosts) > 0 && !slices.Contains(c.cfg.Hosts, need.Host):
		return refuse(NotAllowed, "not paid: %s is not one of the hosts that may be paid, %s (-allow-host)", need.Host, strings.Join(c.cfg.Hosts, ", "))
	case len(c.cfg.Payees) > 0 && !slices.Contains(c.cfg.Payees, inv.Payee):
		return refuse(NotAllowed, "not paid: the invoice is payable to node %s, which is not one of those that may be paid (-allow-payee)", inv.Payee)
	}
	return nil
}

var largeExponent = regexp.MustCompile(`(?i)p|e[+-]?[0-9]{2}`)

// IsPrice reports whether a price that somebody states in satoshis is an amount in millisatoshis.
func IsPrice(stated string, milliSats int64) bool {
	const maxLength = 20 // no price needs more, and a large exponent would take any amount of memory
	if len(stated) > maxLength || largeExponent.MatchString(stated) {
		return false
	}
	price, ok := new(big.Rat).SetString(stated)
	return ok && price.Cmp(big.NewRat(milliSats, 1000)) == 0
}
