package probe

import (
	"cmp"
	"strings"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
)

// headers judges the headers of a 402 other than its challenges.
func (s *site) headers(a *answer) {
	cache := strings.ToLower(a.header.Get("Cache-Control"))
	s.report.unless(strings.Contains(cache, "no-store"), Fault, "cache", refCaching,
		"the 402 has Cache-Control %q instead of no-store, so that others may get the same invoice", cache)
	allow, expose := a.header.Get("Access-Control-Allow-Origin"), strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
	s.report.unless(allow != "" && (strings.Contains(expose, "www-authenticate") || strings.TrimSpace(expose) == "*"), Warn, "cors", refCORS,
		"a page of another origin cannot read the challenge: Access-Control-Allow-Origin is %q, and Access-Control-Expose-Headers is %q", allow, expose)
}

// challenges judges each offer.
func (s *site) challenges(a *answer) {
	size := len(strings.Join(a.header["Www-Authenticate"], ""))
	s.report.unless(size <= 8<<10, Fault, "size", refPayment,
		"the challenges have %d bytes together; many clients read no more than 8192", size)
	s.offers = challenge.ReadHTTP(a.header, a.body)
	s.report.unless(len(s.offers) > 0, Fault, "scheme", refL402, "no offer of L402, Payment, x402 or Cashu is there")
	for _, o := range s.offers {
		for _, f := range o.Faults {
			s.report.add(Fault, o.Scheme, f.Clause, "%s (%s): %s", o.Title(), o.Place, f.Sentence)
		}
		s.report.unless(o.Resource == "" || o.Resource == s.url.String(), Warn, "x402.resource", refX402,
			"x402 is for %s, not for the address that was asked", o.Resource)
		switch {
		case o.Challenge != nil && o.Raw != nil:
			s.judge(&o, a)
		case len(o.Faults) == 0:
			s.report.add(Note, o.Scheme+".offer", "", "%s is offered: %s of %s on %s; this buyer pays over Lightning only", o.Title(),
				cmp.Or(o.Amount, "an open amount"), cmp.Or(o.Currency, "an unnamed currency"), cmp.Or(o.Network, "an unnamed network"))
		}
	}
}

// minLife is how long an invoice should at least be payable.
const minLife = time.Minute

// judge compares an offer over Lightning with the answer around it, with the address and with the clock.
func (s *site) judge(o *challenge.Offer, a *answer) {
	r, c, name, inv := s.report, o.Challenge, o.Scheme, o.Invoice
	if o.Unpayable {
		return // a fault of the offer
	}
	end := o.End.UTC().Format(time.RFC3339)
	r.add(Note, name+".price", "", "%s: %s on %s, payable until %s", c.Scheme, client.Sats(inv.MilliSats), inv.Network, end)
	r.unless(inv.MilliSats > 0, Warn, name+".amount", refBolt11,
		"%s: the invoice leaves its amount open, so that clients with a budget refuse it", c.Scheme)
	stated, _ := client.StatedTerms(a.body)
	r.unless(stated == "" || client.IsPrice(stated, inv.MilliSats), Fault, name+".stated", refLightning,
		"%s: the body says %.20s sat, the invoice %d msat", c.Scheme, stated, inv.MilliSats)
	switch left := o.End.Sub(s.Now()); {
	case left <= 0:
		r.add(Fault, name+".expiry", refBolt11, "%s: it expired at %s", c.Scheme, end)
	case left < minLife:
		r.add(Warn, name+".expiry", refBolt11, "%s: it is payable for %s only", c.Scheme, left.Round(time.Second))
	}
	r.unless(c.Charge == nil || c.Charge.Expires != "", Warn, "payment.expires", refPayment,
		"Payment: the challenge does not say when it expires, which aperture's clients want")
}
