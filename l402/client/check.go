package client

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"almanac/l402/client/bolt11"
	"almanac/l402/client/challenge"
	"almanac/l402/client/journal"
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

// A purchase is a challenge with its invoice.
type purchase struct {
	need      Need
	challenge challenge.Challenge
	invoice   bolt11.Invoice
	hash      string
	fee       int64 // limit, in millisatoshis
}

// choose returns the challenge to pay: the cheapest that passes every check, and of those of one price the first by the
// order of the schemes. When none passes, the error is that of the one preferred.
func (c *Client) choose(need Need) (*Quote, *Refusal) {
	if c.cfg.Budget.PerPayment <= 0 {
		return nil, refuse(NoBudget, "not paid: no payment is allowed; set a limit for one payment")
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
			if first == nil {
				first = err
			}
		}
	}
	if best != nil {
		return best, nil
	}
	if first != nil {
		return nil, first
	}
	if len(need.Unusable) > 0 {
		return nil, refuse(NoChallenge, "not paid: %w", need.Unusable[0])
	}
	return nil, refuse(NoChallenge, "not paid: the answer 402 has no challenge of the schemes %s",
		strings.Join(c.cfg.Schemes, ", "))
}

// check compares the invoice with everything that was said about it, and with the limit of one payment.
func (c *Client) check(need Need, ch challenge.Challenge) (*Quote, *Refusal) {
	inv, err := bolt11.Decode(ch.Invoice)
	if err != nil {
		return nil, refuse(BadInvoice, "not paid: the invoice %w", err)
	}
	p := &purchase{need: need, challenge: ch, invoice: inv, hash: hex.EncodeToString(inv.Hash[:]),
		fee: c.cfg.Budget.FeeLimit * 1000}
	refusal := cmp.Or(checkHash(p), c.checkNetwork(p), c.checkTime(p), c.checkAmount(p), c.checkPayee(p))
	if refusal != nil {
		return nil, refusal
	}
	return p.quote()
}

func checkHash(p *purchase) *Refusal {
	if stated := hex.EncodeToString(p.challenge.Hash[:]); p.challenge.HasHash && p.challenge.Hash != p.invoice.Hash {
		return refuse(HashMismatch, "not paid: the challenge is for payment hash %s, but the invoice for %s", stated, p.hash)
	}
	if stated := strings.ToLower(p.need.StatedHash); stated != "" && stated != p.hash {
		return refuse(HashMismatch, "not paid: the answer names payment hash %.64s, but the invoice is for %s",
			stated, p.hash)
	}
	return nil
}

func (c *Client) checkNetwork(p *purchase) *Refusal {
	if !slices.Contains(c.cfg.Networks, p.invoice.Network) {
		return refuse(WrongNetwork, "not paid: the invoice is of %s, but only invoices of %s are paid",
			p.invoice.Network, strings.Join(c.cfg.Networks, ", "))
	}
	if charge := p.challenge.Charge; charge != nil && charge.Network != "" && charge.Network != p.invoice.Network {
		return refuse(WrongNetwork, "not paid: the challenge names the network %.20s, but the invoice is of %s",
			charge.Network, p.invoice.Network)
	}
	return nil
}

func (c *Client) checkTime(p *purchase) *Refusal {
	now := c.cfg.Now()
	if end := p.invoice.ExpiresAt; !now.Before(end) {
		return refuse(Expired, "not paid: the invoice expired at %s, and it is %s",
			end.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if charge := p.challenge.Charge; charge != nil && !charge.ExpiresAt.IsZero() && !now.Before(charge.ExpiresAt) {
		return refuse(Expired, "not paid: the challenge expired at %s, and it is %s",
			charge.ExpiresAt.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if until := p.challenge.ValidUntil; !until.IsZero() && !now.Before(until) {
		return refuse(Expired, "not paid: what is sold is valid until %s, and it is %s",
			until.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

func (c *Client) checkAmount(p *purchase) *Refusal {
	if p.invoice.MilliSats == 0 {
		return refuse(BadInvoice, "not paid: the invoice leaves its amount open")
	}
	if charge := p.challenge.Charge; charge != nil && charge.AmountSats*1000 != p.invoice.MilliSats {
		return refuse(AmountMismatch, "not paid: the challenge says %d sat, but the invoice is for %s",
			charge.AmountSats, Sats(p.invoice.MilliSats))
	}
	if stated := p.need.StatedPrice; stated != "" && !IsPrice(stated, p.invoice.MilliSats) {
		return refuse(AmountMismatch, "not paid: the answer says %.20s sat, but the invoice is for %s",
			stated, Sats(p.invoice.MilliSats))
	}
	if limit := c.cfg.Budget.PerPayment; p.invoice.MilliSats > limit*1000 {
		return refuse(OverPayment, "not paid: the invoice is for %s, but one payment may cost %d sat",
			Sats(p.invoice.MilliSats), limit)
	}
	return nil
}

// IsPrice reports whether a price that somebody states in satoshis is an amount in millisatoshis.
func IsPrice(stated string, milliSats int64) bool {
	const maxLength = 20 // no price needs more, and an exponent would take any amount of memory
	price, ok := new(big.Rat).SetString(stated)
	return len(stated) <= maxLength && !strings.ContainsAny(stated, "eEpP") && ok &&
		price.Cmp(big.NewRat(milliSats, 1000)) == 0
}

func (c *Client) checkPayee(p *purchase) *Refusal {
	if len(c.cfg.Hosts) > 0 && !slices.Contains(c.cfg.Hosts, p.need.Host) {
		return refuse(NotAllowed, "not paid: %s is not one of the hosts that may be paid (%s)",
			p.need.Host, strings.Join(c.cfg.Hosts, ", "))
	}
	if len(c.cfg.Payees) > 0 && !slices.Contains(c.cfg.Payees, p.invoice.Payee) {
		return refuse(NotAllowed, "not paid: the invoice is payable to node %s, which is not one of those that may be paid", p.invoice.Payee)
	}
	return nil
}

// quote returns the purchase as it is approved and written down.
func (p *purchase) quote() (*Quote, *Refusal) {
	ch, err := json.Marshal(p.challenge)
	if err != nil {
		return nil, refuse(JournalFault, "not paid, because the challenge cannot be written down: %w", err)
	}
	return &Quote{journal.Purchase{
		Hash: p.hash, Origin: p.need.Origin, Host: p.need.Host, Method: p.need.Method, Resource: p.need.Resource,
		Scheme: p.challenge.Scheme, Invoice: p.invoice.Text, Network: p.invoice.Network, Payee: p.invoice.Payee,
		Description: p.invoice.Description, Challenge: ch, AmountMilliSats: p.invoice.MilliSats,
		InvoiceExpiresAt: p.invoice.ExpiresAt,
	}, p.fee, p.challenge.Credits, p.challenge.ValidUntil}, nil
}
