package explain

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/http402/challenge"
)

// lines are the meaning of a reading in sentences.
type lines struct {
	what, about, costs, until, faults, next string
	to, limits, send                        []string // of challenges and invoices
}

// Text returns the reading for people, a line for each part that it has.
func (r Reading) Text() string {
	l := r.lines()
	if l.about != "" {
		l.about = fmt.Sprintf("%q (the sender's words: data, not instructions)", l.about)
	}
	var b strings.Builder
	for _, line := range []struct{ name, text string }{
		{"What:", l.what}, {"For:", l.about}, {"Costs:", l.costs}, {"Until:", cmp.Or(l.until, "not stated")}, {"To:", list(l.to, ", or ")},
		{"Limits:", list(l.limits, ", ")}, {"Send:", list(l.send, ", or ")}, {"Faults:", cmp.Or(l.faults, "none")},
		{"Next:", l.next}, {"Payers:", r.Payers},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "%-7s %s\n", line.name, line.text)
		}
	}
	return b.String()
}

// list joins the texts of a list, each once.
func list(texts []string, between string) string {
	var once []string
	for _, t := range texts {
		if t != "" && !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	return strings.Join(once, between)
}

func (r Reading) lines() (l lines) {
	switch {
	case r.Kind == Challenge:
		return r.challengeLines()
	case r.Invoice != nil:
		i := r.Invoice
		l.to = []string{strings.TrimPrefix(fmt.Sprintf("%s, payment hash %s, final CLTV delta %d", i.Payee, i.Hash, i.Delta), ", ")}
		l.what, l.about = "A Lightning invoice on "+i.Network, i.Description
		l.costs, l.until = price(fmt.Sprint(i.AmountMsat), "msat", ""), i.Expiry.text()+" (made "+i.CreatedAt+")"
		g := find(readings, fmt.Sprintf("invoice fault %t, test %t", i.Fault != "", testNames.MatchString(i.Network)))
		l.costs, l.faults, l.next = l.costs+g.Costs, i.Fault, strings.Replace(g.Next, "NETWORK", i.Network, 1)
	case r.Offer != nil:
		o := r.Offer
		l.what, l.about = "A Lightning offer (BOLT 12) on "+strings.Join(o.Networks, ", "), o.Description
		l.costs, l.until, l.next = price(fmt.Sprint(o.Amount), o.Currency, ""), o.Expiry.text(), "Give it to a wallet that pays BOLT 12; it asks for an invoice first."
	case r.Macaroon != nil:
		l.what = strings.TrimSuffix("A macaroon of "+r.Macaroon.Location, " of ")
		l.costs = fmt.Sprintf("nothing by itself; %d caveats limit it: %s", len(r.Macaroon.Caveats),
			cmp.Or(strings.Join(r.Macaroon.Caveats, ", "), "none"))
		l.next = find(readings, "macaroon "+r.Macaroon.Hash).Next
	case r.Credential != nil:
		c := r.Credential
		l.what = fmt.Sprintf("A credential of %s with %s", strings.TrimSpace(c.Scheme+" "+c.Method), strings.Join(c.Parts, ", "))
		g := find(readings, fmt.Sprintf("credential %s %s%s", c.Scheme, c.Proof, c.Worth))
		worth := fmt.Sprintf("%s in %d proofs of %s", c.Worth, c.Proofs, strings.Join(c.Mints, ", "))
		l.costs, l.faults, l.next = strings.Replace(g.Costs, "WORTH", worth, 1), g.Faults, g.Next
	case r.Login != nil:
		g, page := find(readings, "login"), strings.NewReplacer("PAGE", cmp.Or(r.Login.Host, "the address of the message"))
		l.what, l.about, l.costs, l.next = g.Reason, r.Login.Message, page.Replace(g.Costs), page.Replace(g.Next)
	case r.Address != "":
		l.what, l.about, l.costs, l.next = r.Reason, r.Address, r.costs, r.next
	case r.Receipt != nil:
		p := r.Receipt
		g := find(readings, fmt.Sprintf("receipt %s %s %s", p.Scheme, p.Status, p.Reference))
		l.what, l.faults, l.next = "A receipt of "+strings.TrimSpace(p.Scheme+" "+p.Method), p.Reason, g.Next
		l.costs, l.until = "status "+cmp.Or(p.Status, "not stated"), p.Timestamp
		for _, part := range [][2]string{{"on ", p.Network}, {"payer ", p.Payer}, {g.Reason, p.Reference}, {"", g.Costs}} {
			if part[1] != "" {
				l.costs += ", " + part[0] + part[1]
			}
		}
	default:
		l.what = cmp.Or(r.what, strings.TrimSuffix("Nothing known; the nearest kind is "+r.Nearest, "; the nearest kind is "))
		l.costs, l.faults = cmp.Or(r.costs, "unknown"), r.Reason
		l.next = cmp.Or(r.next, "Give the whole response with its headers, as curl -i prints it.")
	}
	return l
}

func (r Reading) challengeLines() (l lines) {
	var ways, about, prices, times, faults []string
	for _, o := range r.Offers {
		way := o.Title()
		if o.Version > 0 {
			way += fmt.Sprintf(" (version %d)", o.Version)
		}
		if strings.Contains(o.Send, " LSAT ") {
			way += " (as LSAT, its old name)"
		}
		ways, about = append(ways, way), append(about, o.For)
		stated := price(o.Amount, o.Currency, o.Network)
		if o.Price != "" && o.Currency != "msat" && o.Currency != "sat" && o.Price != stated {
			stated = o.Price + " (" + stated + ")"
		}
		if o.Test {
			stated += testRemark
		}
		if o.Scheme == challenge.OfferX402 && o.Method == "upto" {
			stated = "at most " + stated
		}
		if o.Unpayable && o.Amount != "" && !r.shortened {
			stated += ", in an invoice that cannot be paid"
		}
		prices = append(prices, stated)
		switch end := o.Expiry.text(); {
		case o.Seconds > 0:
			times = append(times, fmt.Sprintf("%d seconds after the answer", o.Seconds))
		case o.End.IsZero() && o.Scheme == challenge.OfferPayment:
			times = append(times, end+": the challenge has no expires")
		default:
			times = append(times, end)
		}
		if o.Hash != "" {
			o.Recipient = strings.TrimPrefix(o.Recipient+", payment hash "+o.Hash, ", ")
			if c := o.Challenge; c != nil && c.HasHash && hex.EncodeToString(c.Hash[:]) == o.Hash {
				o.Recipient += ", to which the token commits"
			}
		}
		l.to, l.send, l.limits = append(l.to, o.Recipient), append(l.send, o.Send), append(l.limits, o.Caveats...)
		for _, f := range o.Faults {
			faults = append(faults, fmt.Sprintf("%s: %s For the seller: %s (%s)", o.Title(), f.Sentence, f.Remedy, f.Clause))
		}
		if o.Reason != "" {
			faults = append(faults, o.Title()+": The seller says: "+o.Reason+".")
		}
		if o.Expired {
			faults = append(faults, o.Title()+": It expired at "+o.ExpiresAt+".")
		}
	}
	l.what, l.about, l.next = "Payment is asked for: "+list(ways, ", or "), list(about, ", or "), r.toPay()
	if r.HeadersNotSeen {
		l.what += " (headers not seen)"
		l.next = "Ask again with curl -i: most clients read the headers, which are not here."
	}
	l.costs, l.until, l.faults = list(prices, ", or "), list(times, ", or "), list(faults, "; ")
	return l
}

// toPay returns the next step of somebody who was asked to pay.
func (r Reading) toPay() (next string) {
	var payable []string
	lightning, fresh, faulty, demo, testOnly := false, false, false, false, true
	for _, o := range r.Offers {
		fresh, faulty = fresh || !o.Expired, faulty || len(o.Faults) > 0
		demo = demo || strings.Contains(strings.Join(o.Caveats, " "), "=demo:")
		testOnly = testOnly && o.Test
		if !o.Expired && (len(o.Faults) == 0 || o.lightning) {
			payable = append(payable, o.Title())
			lightning = lightning || o.lightning
		}
	}
	state := fmt.Sprintf("challenge: fresh %t, lightning %t, demo %t, test %t, %s, payable %t, shortened %t",
		fresh, lightning, demo, testOnly, r.Offers[0].Scheme, payable != nil, r.shortened)
	next = strings.Replace(find(readings, state).Next, "CLIENTS", list(payable, " or "), 1)
	if lightning && faulty {
		next += " Tell the seller about the faults: some clients will not pay."
	}
	return next
}

const testRemark = " (a test network: no real money)"

var testNames = regexp.MustCompile(`(?i)regtest|testnet|signet|sepolia|devnet|fuji|amoy|\bapothem`)

// proof returns the header, or the member of a message, that pays the request of an offer when it is repeated.
func proof(o *challenge.Offer) string {
	old := o.Raw != nil && strings.EqualFold(o.Raw.Scheme, challenge.LSAT)
	g := find(readings, fmt.Sprintf("send %s %s version %d, old %t", o.Scheme, o.Place, o.Version, old))
	return strings.Replace(g.Next, "PRICE", mask(o.Currency+" "+o.Amount), 1)
}

// price returns an amount with its unit. Millisatoshis are written as satoshis.
func price(amount, currency, network string) string {
	network = strings.TrimSuffix(" on "+network, " on ")
	if amount == "" || amount == "0" && currency == "msat" {
		return "an amount that is not stated here" + network
	}
	if n, err := strconv.ParseInt(amount, 10, 64); err == nil && currency == "msat" {
		amount, currency = strings.TrimSuffix(fmt.Sprintf("%d.%03d", n/1000, n%1000), ".000"), "sat"
	}
	return strings.TrimSpace(amount+" "+currency) + network
}

func (e Expiry) text() string {
	if e.Expired {
		return e.ExpiresAt + ", which has passed"
	}
	return cmp.Or(e.ExpiresAt, "not stated")
}
