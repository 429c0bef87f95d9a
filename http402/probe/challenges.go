package probe

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
)

// headers judges the headers of a 402 other than its challenges.
func (s *site) headers(a *answer) {
	r := s.report
	cache := strings.ToLower(a.header.Get("Cache-Control"))
	r.expect(strings.Contains(cache, "no-store"), Fault, "cache", refCaching, "the 402 is not stored by caches",
		"the 402 has Cache-Control %q instead of no-store, so that others may get the same invoice", cache)
	expose := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
	r.expect(a.header.Get("Access-Control-Allow-Origin") != "" &&
		(strings.Contains(expose, "www-authenticate") || strings.TrimSpace(expose) == "*"), Warn, "cors", refCORS,
		"a page of another origin can read the challenge",
		"a page of another origin cannot read the challenge: Access-Control-Allow-Origin is %q, and Access-Control-Expose-Headers is %q",
		a.header.Get("Access-Control-Allow-Origin"), expose)
	var problem struct {
		Status int
	}
	isProblem := strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json")
	switch {
	case isProblem && json.Unmarshal(a.body, &problem) != nil:
		r.add(Fault, "body", refProblem, "the body says application/problem+json and is not JSON")
	case isProblem && problem.Status != 0 && problem.Status != a.status:
		r.add(Fault, "body", refProblem, "the body says status %d, the answer %d", problem.Status, a.status)
	default:
		r.expect(isProblem, Warn, "body", refProblem, "the body is a problem document",
			"the body is %q and not application/problem+json", a.header.Get("Content-Type"))
	}
}

// challenges judges each challenge.
func (s *site) challenges(a *answer) {
	r := s.report
	values := a.header["Www-Authenticate"]
	size := len(strings.Join(values, ""))
	r.expect(size <= 8<<10, Fault, "size", refPayment, "the challenges fit into 8 KiB",
		"the challenges have %d bytes together; many clients read no more than 8192", size)
	raws := challenge.Split(values)
	for _, raw := range raws {
		if raw.Known() == "" {
			r.add(Note, "scheme", "", "there is also a challenge of the scheme %s", raw.Scheme)
		}
	}
	s.found, s.hashes = nil, map[[32]byte]bool{}
	s.offers = challenge.ReadHTTP(a.header, a.body)
	r.expect(len(s.offers) > 0, Fault, "scheme", refL402, "the 402 offers a way to pay",
		"no offer of L402, Payment, x402 or Cashu is there")
	for _, o := range s.offers {
		s.judgeOffer(&o, a)
	}
	if len(raws) > 0 && raws[0].Known() == challenge.Payment &&
		slices.ContainsFunc(raws, func(c challenge.Raw) bool { return c.Known() == challenge.L402 }) {
		r.add(Note, "order", "", "Payment stands before L402: clients that read the first challenge only pay by Payment")
	}
}

// judgeOffer names an offer and its faults. Those of a charge over Lightning are judged one by one.
func (s *site) judgeOffer(o *challenge.Offer, a *answer) {
	r := s.report
	if o.Challenge != nil && o.Raw != nil {
		before := r.Faults
		for _, f := range o.Raw.Faults {
			r.add(Fault, "grammar", refAuth, "the %s challenge %s", o.Raw.Scheme, f)
		}
		if _, n := o.Raw.Get("version"); n == 0 && o.Raw.Known() == challenge.L402 {
			r.add(Note, "l402.version", refL402, "the L402 challenge has no version; 0 is assumed")
		}
		s.found = append(s.found, *o.Challenge)
		if s.judge(o.Challenge, a); r.Faults == before { // else these would say the same again
			for _, f := range o.Faults {
				r.add(Fault, strings.ToLower(o.Raw.Scheme), f.Clause, "%s: %s", o.Title(), f.Sentence)
			}
		}
		return
	}
	check := "challenge"
	if o.Scheme == challenge.OfferX402 || o.Scheme == challenge.OfferCashu {
		check = o.Scheme
	}
	for _, f := range o.Faults {
		r.add(Fault, check, f.Clause, "%s (%s): %s", o.Title(), o.Place, f.Sentence)
	}
	if len(o.Faults) == 0 {
		r.add(Note, check+".offer", "", "%s is offered: %s of %s on %s; this buyer pays over Lightning only", o.Title(),
			cmp.Or(o.Amount, "an open amount"), cmp.Or(o.Currency, "an unnamed currency"), cmp.Or(o.Network, "an unnamed network"))
	}
	r.expect(o.Resource == "" || o.Resource == s.url.String(), Warn, "x402.resource", refX402, "x402 is for this address",
		"x402 is for %s, not for the address that was asked", o.Resource)
}

// minLife is how long an invoice should at least be payable.
const minLife = time.Minute

// judge compares an invoice with everything that is said about it.
func (s *site) judge(c *challenge.Challenge, a *answer) {
	r, name := s.report, strings.ToLower(c.Scheme)
	inv, err := bolt11.Decode(c.Invoice)
	if err != nil {
		r.add(Fault, name+".invoice", refBolt11, "the invoice of the %s challenge %v", c.Scheme, err)
		return
	}
	s.hashes[inv.Hash] = true
	s.price = cmp.Or(s.price, inv.MilliSats)
	r.add(Note, name+".price", "", "%s: %s on %s, payable until %s", c.Scheme, client.Sats(inv.MilliSats), inv.Network,
		inv.ExpiresAt.UTC().Format(time.RFC3339))
	r.expect(!c.HasHash || c.Hash == inv.Hash, Fault, name+".hash", refMacaroon,
		c.Scheme+": challenge and invoice are of one payment",
		"%s: the challenge is for payment %x, the invoice for %x", c.Scheme, c.Hash, inv.Hash)
	r.expect(inv.MilliSats > 0, Warn, name+".amount", refBolt11, c.Scheme+": the invoice has an amount",
		"%s: the invoice leaves its amount open, so that clients with a budget refuse it", c.Scheme)
	if p := c.Charge; p != nil {
		r.expect(p.AmountSats*1000 == inv.MilliSats, Fault, "payment.amount", refLightning,
			"Payment: the amount is the invoice's", "Payment: the challenge says %d sat, the invoice %d msat", p.AmountSats,
			inv.MilliSats)
	}
	if stated, _ := client.StatedTerms(a.body); stated != "" {
		r.expect(client.IsPrice(stated, inv.MilliSats), Fault, name+".stated", refLightning,
			c.Scheme+": the body's price is the invoice's",
			"%s: the body says %.20s sat, the invoice %d msat", c.Scheme, stated, inv.MilliSats)
	}
	left := inv.ExpiresAt.Sub(s.clock())
	switch {
	case left <= 0:
		r.add(Fault, name+".expiry", refBolt11, "%s: the invoice expired at %s",
			c.Scheme, inv.ExpiresAt.UTC().Format(time.RFC3339))
	case left < minLife:
		r.add(Warn, name+".expiry", refBolt11, "%s: the invoice is payable for %s only", c.Scheme, left.Round(time.Second))
	default:
		r.add(OK, name+".expiry", "", "%s: the invoice is payable for %s", c.Scheme, left.Round(time.Second))
	}
	if c.Charge != nil {
		s.judgeCharge(c, inv)
	}
}

// judgeCharge judges the members that only Payment has.
func (s *site) judgeCharge(c *challenge.Challenge, inv bolt11.Invoice) {
	r, p := s.report, c.Charge
	r.expect(len(p.ID) >= 22, Warn, "payment.id", refPayment, "Payment: the id has room for 128 bits",
		"Payment: the id %q has %d characters, fewer than 128 bits take", p.ID, len(p.ID))
	r.expect(!strings.Contains(p.Realm, "|"), Warn, "payment.realm", refPayment, "Payment: the realm has no pipe",
		"Payment: the realm %q has a pipe, which makes ids ambiguous", p.Realm)
	host := s.url.Hostname()
	r.expect(p.Realm == host || strings.HasSuffix(host, "."+p.Realm) || p.Realm == s.url.Host, Warn,
		"payment.realm.host", refPayment, "Payment: the realm is the host's", "Payment: the realm is %q, the host %q",
		p.Realm, host)
	body, err := challenge.Decode(p.Request)
	r.expect(err == nil && challenge.IsCanonical(body) && challenge.Encode(body) == p.Request, Fault, "payment.request.canonical", refPayment+"; RFC 8785",
		"Payment: the request is canonical JSON in base64url",
		"Payment: the request is not canonical JSON in base64url without padding")
	r.expect(c.HasHash, Note, "payment.hash", refLightning, "Payment: the request names the payment hash",
		"Payment: the request does not name the payment hash")
	switch {
	case p.ExpiresAt.IsZero():
		r.add(Warn, "payment.expires", refPayment,
			"Payment: the challenge does not say when it expires, which aperture's clients want")
	case !s.clock().Before(p.ExpiresAt):
		r.add(Fault, "payment.expires", refPayment, "Payment: the challenge expired at %s", p.Expires)
	default:
		r.expect(!p.ExpiresAt.After(inv.ExpiresAt.Add(time.Second)), Fault, "payment.expires", refLightning,
			"Payment: the challenge does not outlive its invoice",
			"Payment: the challenge expires at %s, after its invoice at %s", p.Expires, inv.ExpiresAt.UTC().Format(time.RFC3339))
	}
	if p.Network != "" {
		r.expect(p.Network == inv.Network, Fault, "payment.network", refLightning,
			"Payment: the network is the invoice's", "Payment: the challenge names %q, the invoice is of %s", p.Network,
			inv.Network)
	} else if inv.Network != bolt11.Mainnet {
		r.add(Note, "payment.network", refLightning,
			"Payment: no network is named, which means mainnet, and the invoice is of %s", inv.Network)
	}
}
