package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/shape"
)

// WriteJSON writes the reading for programs.
func (r Reading) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// Text returns the reading for people, in five lines: the thing, its price, its time, its faults, the next step.
func (r Reading) Text() string {
	var what, costs, until, faults, next string
	switch {
	case r.Kind == Challenge:
		what, costs, until, faults, next = r.challengeText()
	case r.Invoice != nil:
		i := r.Invoice
		what = "A Lightning invoice on " + i.Network + described(i.Description)
		costs, until = price(fmt.Sprint(i.AmountMsat), "msat", ""), i.Expiry.text()
		next = "Pay it with a Lightning wallet, and keep the preimage: it proves the payment."
		if i.Expired {
			next = "Ask for a new invoice: this one can no longer be paid."
		}
	case r.Offer != nil:
		o := r.Offer
		what = "A Lightning offer (BOLT 12) on " + strings.Join(o.Networks, ", ") + described(o.Description)
		costs, until = price(fmt.Sprint(o.Amount), o.Currency, ""), o.Expiry.text()
		next = "Give it to a wallet that pays BOLT 12; it asks for an invoice first."
	case r.Macaroon != nil:
		what = "A macaroon" + described(r.Macaroon.Location)
		costs = fmt.Sprintf("nothing by itself; %d caveats limit it: %s", len(r.Macaroon.Caveats),
			cmp.Or(strings.Join(r.Macaroon.Caveats, ", "), "none"))
		next = "Find the invoice that came with it: its preimage makes the macaroon a credential."
		if r.Macaroon.Hash == "" {
			next = "Keep it secret: it is not L402's, and grants access by itself."
		}
	case r.Credential != nil:
		what = fmt.Sprintf("A credential of %s with %s", strings.TrimSpace(r.Credential.Scheme+" "+r.Credential.Method),
			strings.Join(r.Credential.Parts, ", "))
		costs = cmp.Or(map[string]string{"matches": "paid", "differs": "not proved"}[r.Credential.Proof], "paid, if its proof is right")
		faults = map[string]string{"matches": "none: the preimage is that of the macaroon's payment hash",
			"differs": "the preimage is not that of the macaroon's payment hash"}[r.Credential.Proof]
		next = "Send it with the request that it was bought for. Anybody who has it can use it: keep it secret."
	case r.Login != nil:
		what = "A login or consent is asked for, not a payment (MCP 2025-11-25, URL elicitation)" + described(r.Login.Message)
		costs = "nothing"
		next = "Ask the user to open the page at " + cmp.Or(r.Login.Host, "the address of the message") +
			", if they trust that host; then repeat the request."
	case r.Receipt != nil:
		what = "A receipt of " + strings.TrimSpace(r.Receipt.Scheme+" "+r.Receipt.Method)
		costs = "status " + cmp.Or(r.Receipt.Status, "not stated")
		until = cmp.Or(r.Receipt.Timestamp, "not stated")
		next = "Keep it: its reference names the payment at the seller."
	default:
		what, costs = "Nothing known", "unknown"
		faults, next = r.Reason, cmp.Or(r.next, "Give the whole response with its headers, as curl -i prints it.")
		if r.Nearest != "" {
			what += "; the nearest kind is " + r.Nearest
		}
	}
	return fmt.Sprintf("What:   %s\nCosts:  %s\nUntil:  %s\n%sFaults: %s\nNext:   %s\n", what, costs,
		cmp.Or(until, "not stated"), r.offerLines(), cmp.Or(faults, "none"), next)
}

// offerLines returns the lines that challenges alone have: to whom, limits, and who pays.
func (r Reading) offerLines() string {
	var to, limits []string
	for _, o := range r.Offers {
		if o.Recipient != "" && !slices.Contains(to, o.Recipient) {
			to = append(to, o.Recipient)
		}
		limits = append(limits, o.Caveats...)
	}
	var b strings.Builder
	for _, line := range []struct{ name, text string }{
		{"To:    ", strings.Join(to, ", or ")}, {"Limits:", strings.Join(slices.Compact(limits), ", ")}, {"Payers:", r.Payers},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s %s\n", line.name, line.text)
		}
	}
	return b.String()
}

func (r Reading) challengeText() (what, costs, until, faults, next string) {
	var ways, payable, prices, times, found []string
	lightning, fresh, faulty := false, false, false
	for _, o := range r.Offers {
		title := (&challenge.Offer{Scheme: o.Scheme, Method: o.Method, Intent: o.Intent}).Title()
		if o.Scheme == crawlerScheme {
			title = "Cloudflare Pay Per Crawl"
		}
		ways = append(ways, title)
		stated := price(o.Amount, o.Currency, o.Network)
		if o.Price != "" && o.Currency != "msat" && o.Currency != "sat" && o.Price != stated {
			stated = o.Price + " (" + stated + ")"
		}
		prices = append(prices, stated)
		times = append(times, o.Expiry.text())
		fresh = fresh || !o.Expired
		faulty = faulty || len(o.Faults) > 0
		if !o.Expired && (len(o.Faults) == 0 || o.lightning) {
			payable = append(payable, title)
			lightning = lightning || o.lightning
		}
		for _, f := range o.Faults {
			found = append(found, fmt.Sprintf("%s: %s %s (%s)", title, f.Sentence, f.Remedy, f.Clause))
		}
	}
	switch {
	case !fresh:
		next = "Repeat the request: the offers have expired, and the answer has fresh ones."
	case lightning:
		next = "Pay with almanac get and the address, or with another client of Lightning."
		if groups := shape.Groups(r.PayableBy); len(groups) > 0 && groups[0].Result == shape.Pays {
			next = "Pay with a client that was measured with this shape: " + strings.Join(groups[0].Clients, ", ") + "."
		}
	case len(r.Offers) > 0 && r.Offers[0].Scheme == crawlerScheme:
		next = "Repeat the request with crawler-exact-price set to this price, or crawler-max-price, as a crawler that Cloudflare " +
			"verifies by Web Bot Auth and bills; other clients cannot pay this."
	case len(payable) > 0:
		next = "Use a client of " + strings.Join(slices.Compact(payable), " or ") + "; almanac get pays over Lightning only."
	default:
		next = "Tell the seller about the faults: clients differ over them, and many will not pay."
	}
	if lightning && faulty && fresh {
		next += " Tell the seller about the faults: some clients will not pay."
	}
	what = "Payment is asked for: " + strings.Join(slices.Compact(ways), ", or ")
	if r.HeadersNotSeen {
		what += " (headers not seen)"
		next = "Ask again with curl -i: most clients read the headers, which are not here."
	}
	return what,
		strings.Join(slices.Compact(prices), ", or "), strings.Join(slices.Compact(times), ", or "),
		strings.Join(slices.Compact(found), "; "), next
}

func described(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// price returns an amount with its unit. Millisatoshis are written as satoshis.
func price(amount, currency, network string) string {
	if network != "" {
		network = " on " + network
	}
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
		return e.ExpiresAt + ", which is over"
	}
	return cmp.Or(e.ExpiresAt, "not stated")
}
