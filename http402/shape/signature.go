package shape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
)

// A Signature has the parts of an answer that clients look at, with classes for values: each view is a part that decides the
// result of some client; the small ones come first.
type Signature [views]string

const (
	viewNetwork   = iota // that the invoices are not of mainnet, whatever else is in view
	viewLightning        // the offers of x402 over Lightning
	viewBody             // the offers of x402 version 1
	viewRequired         // the offers of x402
	viewCharge           // the last charge over Lightning of a header that begins with Payment
	viewText             // the first macaroon with its invoice, as many clients search for them
	viewLast             // the last token, macaroon and invoice of the header
	viewFirst            // the first scheme, macaroon and invoice of the header
	viewPayments         // the challenges of Payment, as sets of parameters
	viewSets             // all challenges, as sets of parameters
	viewScheme           // the part of the first scheme, else x402
	viewLines            // the first line if it is of L402, else the first of Payment
	views
)

// values matches a parameter with its value, as clients do that know no escapes, and white space behind it.
var values = regexp.MustCompile(`\b([A-Za-z]+)=("[^"]*"|'[^']*'|[^\s,"']+)(\s+,|\s*)`)

var space = regexp.MustCompile(`\s+`)

// adjacent matches the two parameters that many clients of L402 look for as one text.
var adjacent = regexp.MustCompile(`(?i)\b((?:LSAT|L402)\s+macaroon)="([^"]*)"(,\s*invoice)="[^"]*"`)

// HTTP returns the signature of a 402 over HTTP at a time.
func HTTP(h http.Header, body []byte, now time.Time) (s Signature) {
	lines := h.Values("WWW-Authenticate")
	var sets, payments, marks, charges []string
	price := int64(math.MaxInt64) // of the cheapest challenge
	for _, o := range challenge.ReadHTTP(http.Header{"Www-Authenticate": lines}, nil) {
		set := parameters(o.Raw)
		sets = append(sets, set)
		found, msat := traits(&o, now)
		if o.Challenge != nil && o.Network != bolt11.Mainnet {
			s[viewNetwork] = o.Network
		}
		price = min(price, cmp.Or(msat, price))
		if o.Scheme == challenge.OfferL402 {
			marks = append(marks, found...)
		} else {
			payments, charges = append(payments, set), append(charges, found...)
		}
	}
	marks, charges = unique(marks), unique(charges)
	whole := strings.Join(lines, ", ")
	scheme := start(whole)
	first, last := forms(whole)
	s.required(h, body)
	lightning := charge(last)
	if strings.EqualFold(scheme, challenge.Payment) {
		s[viewCharge] = join(lightning, charges)
	}
	s[viewLast] = join(whole == "", last["token"]+last["macaroon"] != "", last["invoice"] != "")
	if last["token"]+last["macaroon"] != "" && last["invoice"] != "" {
		s[viewLast] = join(cmp.Or(last["macaroon"], "token "+last["token"]), last["invoice"], marks)
	}
	if first["macaroon"] != "" && first["invoice"] != "" {
		s[viewFirst] = join(scheme, first["macaroon"], first["invoice"], marks)
	}
	s[viewPayments] = join(unique(payments), charges)
	s[viewSets] = join(unique(sets), marks, charges, price > 100_000)
	switch {
	case strings.EqualFold(scheme, challenge.L402):
		s[viewScheme] = s[viewLast]
	case s[viewCharge] != "" && lightning != "":
		s[viewScheme] = s[viewCharge]
	default:
		s[viewScheme] = s[viewLightning]
	}
	for i, line := range lines {
		_, last := forms(line)
		match, scheme := adjacentForm(line), start(line)
		if s[viewText] == "" && match != "" {
			s[viewText] = join(match, marks)
		}
		switch {
		case i == 0 && strings.EqualFold(scheme, challenge.L402):
			s[viewLines] = join(match, marks)
		case s[viewLines] == "" && strings.EqualFold(scheme, challenge.Payment):
			s[viewLines] = join(last["method"], charge(last), append(payments, "")[0], charges)
		}
	}
	return s
}

// join writes texts, numbers, booleans and lists of texts so that different ones differ.
func join(parts ...any) string {
	b, _ := json.Marshal(parts) // which these always allow
	return string(b)
}

func unique(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// start returns the scheme that a text begins with, "other" for one that nobody pays by. LSAT is L402, and letters of
// another case are small.
func start(text string) string {
	scheme, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	known := (&challenge.Raw{Scheme: scheme}).Known()
	name := strings.Replace(known, challenge.LSAT, challenge.L402, 1)
	switch {
	case scheme != "" && known == "":
		return "other"
	case scheme != known:
		return strings.ToLower(name)
	}
	return name
}

// adjacentForm returns how macaroon and invoice stand in the first L402 of a line that begins with them, "" for none.
func adjacentForm(line string) string {
	m := adjacent.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return strings.Replace(m[1], challenge.LSAT, challenge.L402, 1) + "=" + class("macaroon", m[2]) + m[3]
}

// forms returns how the first and the last value of each parameter of a text are written: the quotes, the class of the
// value, and whether white space follows.
func forms(text string) (first, last map[string]string) {
	first, last = map[string]string{}, map[string]string{}
	for _, m := range values.FindAllStringSubmatch(text, -1) {
		bare := strings.Trim(m[2], `"'`)
		form := strings.Replace(m[2], bare, class(m[1], bare), 1) + space.ReplaceAllString(m[3], " ")
		first[m[1]], last[m[1]] = cmp.Or(first[m[1]], form), form
	}
	return first, last
}

// charge returns the forms of the parameters by which clients tell a charge over Lightning, "" for another method or intent.
func charge(forms map[string]string) string {
	if !strings.Contains(forms["method"], "lightning") || !strings.Contains(forms["intent"], "charge") {
		return ""
	}
	return join(forms["method"], forms["intent"], forms["request"], forms["header"])
}

// parameters returns a challenge as the set of its parameters that a specification defines, with classes for values. Others
// are ignored by clients, macaroon is the old name of token, and one who pays over Lightning pays by no other method.
func parameters(raw *challenge.Raw) string {
	set, known := slices.Clone(raw.Faults), []string{"macaroon", "token", "invoice"}
	if raw.Known() == challenge.Payment {
		if method, _ := raw.Get("method"); method != "lightning" {
			return "Payment by another method"
		}
		known = []string{"intent", "request", "expires", "header"}
	}
	for _, p := range raw.Params {
		if slices.Contains(known, p.Name) {
			set = append(set, strings.Replace(p.Name, "macaroon", "token", 1)+" "+class(p.Name, p.Value))
		}
	}
	return start(raw.Known()) + " " + strings.Join(unique(set), ", ")
}

// class describes the value of a parameter as far as clients differ over it.
func class(name, value string) string {
	switch name {
	case "method", "intent":
		if value != "lightning" && value != "charge" {
			return "other"
		}
		return value
	case "macaroon", "token", "request":
		switch standard := !strings.ContainsAny(value, "-_."); {
		case name == "request", standard && len(value)%4 == 0:
			return "base64"
		case standard:
			return "base64 without padding"
		}
		return "base64url"
	}
	return "…"
}

// traits returns the properties of a challenge that decide whether a client pays it, and its price in millisatoshis.
func traits(o *challenge.Offer, now time.Time) (all []string, price int64) {
	c := o.Challenge
	if c == nil {
		if o.Scheme == challenge.OfferPayment && (o.Method != "lightning" || o.Intent != "charge") {
			return nil, 0 // as its parameters say
		}
		return []string{"unusable: " + o.Err.Error()}, 0
	}
	if o.Unpayable {
		return []string{"no invoice"}, 0
	}
	for _, f := range o.Faults {
		all = append(all, f.Clause)
	}
	for trait, is := range map[string]bool{
		"expired": !o.End.IsZero() && !now.Before(o.End), "open amount": o.Invoice.MilliSats == 0,
		"above 1,000 sat": o.Invoice.MilliSats > 1_000_000, // more than clients were allowed
		"no macaroon":     c.Opaque, "no payment hash": c.Charge == nil && !c.Opaque && !c.HasHash,
		"another identifier": c.Charge == nil && c.HasHash && !c.HasIdentifier(),
	} {
		if is {
			all = append(all, trait)
		}
	}
	return all, o.Invoice.MilliSats
}

// MCP returns the signature of the answer to a call over MCP, a JSON-RPC message.
func MCP(message []byte) (s Signature) {
	text := asked(challenge.ReadMessage(message))
	for _, mark := range []string{"-32042", `"isError"`, `"structuredContent"`, `\"x402Version\"`} { // the last is of a text
		text = join(text, bytes.Contains(message, []byte(mark)))
	}
	for view := viewLightning; view < views; view++ {
		s[view] = text
	}
	return s
}

// required describes the offers of x402: those of the header, else of the body.
func (s *Signature) required(h http.Header, body []byte) {
	header, alone := h["Payment-Required"], challenge.ReadHTTP(nil, body)
	if len(alone) > 0 && alone[0].Version == 1 {
		s[viewBody] = asked(alone)
	}
	offers := map[bool][]challenge.Offer{} // by whether they are over Lightning: clients that pay by one kind pass over the other
	for _, o := range challenge.ReadHTTP(http.Header{"Payment-Required": header}, nil) {
		over := strings.Contains(asked([]challenge.Offer{o}), "lightning")
		offers[over] = append(offers[over], o)
	}
	s[viewRequired] = cmp.Or(asked(offers[false]), asked(offers[true]))
	switch {
	case len(header) == 0 && len(alone) > 0 && alone[0].Version > 0:
		s[viewRequired] = "body " + asked(alone)
	case offers[true] != nil:
		s[viewLightning] = asked(offers[true])
	case len(header) > 0:
		s[viewLightning] = join("none", len(offers[false]) > 0 && offers[false][0].Method != "")
	}
}

// asked describes offers of x402 or of a message, in any order.
func asked(offers []challenge.Offer) string {
	var parts []string
	for _, o := range offers {
		transfer, _ := challenge.Member(o.Extra, "assetTransferMethod").(string)
		transfer = strings.TrimPrefix(transfer, "eip3009") // the usual one
		method, named := challenge.Member(o.Extra, "paymentMethod"), challenge.Member(o.Extra, "name") != nil
		dear := o.Scheme == challenge.OfferX402 && len(o.Amount) > 5 && o.Amount != "100000" // some clients pay up to 0.1 USDC unasked
		parts = append(parts, join(o.Scheme, o.Version, o.Method, o.Intent, o.Place, network(o.Network, o.Currency),
			method, transfer, named, dear, len(o.Faults)))
	}
	return strings.Join(unique(parts), " ")
}

// usdc are networks of EVM by the contract that clients pay unasked.
var usdc = map[string]string{
	"eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "eip155:84532": "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
	"base": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "base-sepolia": "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
}

// network shortens networks of EVM, between which clients do not differ, and tells an asset that is not the usual one.
func network(name, asset string) string {
	usual, known := usdc[name]
	if strings.HasPrefix(name, "eip155:") {
		name, known = "eip155", true
	}
	if known && !strings.EqualFold(asset, usual) {
		name += " another asset"
	}
	return name
}
