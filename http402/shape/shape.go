// Package shape predicts which clients pay for an answer 402: those that were measured with an answer of the same
// signature.
package shape

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
)

// The results of a client with a shape.
const (
	Pays        = "pays"
	Refuses     = "refuses" // with a reason
	Stuck       = "stuck"   // without one
	PaysWrongly = "pays wrongly"
	NotMeasured = "not measured" // the client never met the shape
)

// A Signature has what clients look at in an answer, with classes for values: each view is a part that decides the result
// of some client, from a small one to the whole.
type Signature [views]string

const (
	viewX402     = iota // the offers of x402
	viewCharge          // the first scheme and the last charge of the header
	viewText            // the first macaroon with its invoice, as many clients search for them
	viewLast            // the last token, macaroon and invoice of the header
	viewFirst           // the first scheme, macaroon and invoice of the header
	viewPayments        // the challenges of Payment, as sets of parameters
	viewSets            // all challenges, as sets of parameters
	viewScheme          // the part of the first scheme, else x402
	viewLines           // the first line if it is of L402, else the first of Payment
	viewWhole
	views
)

// A Cell is the measured result of a client with a shape.
type Cell struct {
	Client, Version string
	Transport       string // http or mcp
	Signature       Signature
	Result, Reason  string
	Day             string
}

// A Table has the cells of all clients.
type Table []Cell

// A Prediction is the expected result of a client.
type Prediction struct {
	Client  string `json:"client"`
	Version string `json:"version"`
	Result  string `json:"result"`
	Day     string `json:"day,omitempty"`
}

// marks are in the signatures of answers with an offer of a scheme.
var marks = map[string][]string{
	challenge.OfferL402: {"L402 ", "LSAT "}, challenge.OfferPayment: {"Payment "}, challenge.OfferX402: {"accepts"},
}

// Payers returns the clients that paid some answer over HTTP with offers of one scheme alone.
func (t Table) Payers(scheme string) (clients []string) {
	for _, c := range t {
		only := len(marks[scheme]) > 0
		for other, words := range marks {
			has := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(c.Signature[viewWhole], word) })
			only = only && has == (other == scheme)
		}
		client := c.Client + " " + c.Version
		if only && c.Transport == "http" && c.Result == Pays && !slices.Contains(clients, client) {
			clients = append(clients, client)
		}
	}
	return clients
}

// Predict returns a prediction for each client of a transport, in the order of the table.
func (t Table) Predict(transport string, s Signature) (all []Prediction) {
	for _, c := range t {
		if c.Transport == transport && !slices.ContainsFunc(all, func(p Prediction) bool { return p.Client == c.Client }) {
			p := Prediction{Client: c.Client, Version: c.Version, Result: t.result(c.Client, s)}
			if p.Result != NotMeasured {
				p.Day = c.Day
			}
			all = append(all, p)
		}
	}
	return all
}

// A Group has the clients of one result, each with its version.
type Group struct {
	Result  string
	Clients []string
}

// Groups returns predictions by their result.
func Groups(all []Prediction) (groups []Group) {
	for _, result := range []string{Pays, Refuses, Stuck, PaysWrongly, NotMeasured} {
		var clients []string
		for _, p := range all {
			if p.Result == result {
				clients = append(clients, p.Client+" "+p.Version)
			}
		}
		if clients != nil {
			groups = append(groups, Group{result, clients})
		}
	}
	return groups
}

// result predicts from the smallest view that decides every measured result of the client.
func (t Table) result(client string, s Signature) string {
	for view := range views {
		results, pure := map[string]string{}, true
		for _, c := range t {
			if key := c.Signature[view]; c.Client == client {
				pure = pure && cmp.Or(results[key], c.Result) == c.Result
				results[key] = c.Result
			}
		}
		if pure {
			return cmp.Or(results[s[view]], NotMeasured)
		}
	}
	return NotMeasured
}

// values matches a parameter with its value, and what stands between it and the next comma.
var values = regexp.MustCompile(`\b([A-Za-z]+)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s,"']+)([^,]*)`)

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
	s[viewX402] = required(h, body)
	s[viewCharge] = join(strings.ToUpper(scheme), charge(last), charges)
	s[viewLast] = join(whole == "", last["token"], last["macaroon"], last["invoice"], marks)
	s[viewFirst] = join(scheme, first["macaroon"], first["invoice"], marks)
	s[viewPayments] = join(unique(payments), charges)
	s[viewSets] = join(unique(sets), marks, charges, price > 100_000)
	s[viewScheme] = s[viewLast]
	if !strings.EqualFold(scheme, challenge.L402) {
		s[viewScheme] = join(s[viewCharge], s[viewX402])
	}
	var all []string
	for i, line := range lines {
		_, last := forms(line)
		text, scheme := join(adjacentForm(line), marks), start(line)
		all = append(all, scheme+text+charge(last))
		if s[viewText] == "" && adjacentForm(line) != "" {
			s[viewText] = text
		}
		switch {
		case i == 0 && strings.EqualFold(scheme, challenge.L402):
			s[viewLines] = text
		case s[viewLines] == "" && strings.EqualFold(scheme, challenge.Payment):
			s[viewLines] = join(charge(last), charges)
		}
	}
	s[viewWhole] = join(sets, all, h.Get("X-Cashu") != "", s[:viewWhole])
	return s
}

func join(parts ...any) string { return fmt.Sprintf("%q", parts) }

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
// value, and whether more stands before the next comma.
func forms(text string) (first, last map[string]string) {
	first, last = map[string]string{}, map[string]string{}
	for _, m := range values.FindAllStringSubmatch(text, -1) {
		bare := strings.Trim(m[2], `"'`)
		form := strings.Replace(m[2], bare, class(m[1], bare), 1)
		if m[3] != "" {
			form += " and more"
		}
		first[m[1]], last[m[1]] = cmp.Or(first[m[1]], form), form
	}
	return first, last
}

// charge returns the forms of the parameters by which clients tell a charge over Lightning, "" for another method.
func charge(forms map[string]string) string {
	if !strings.Contains(forms["method"], "lightning") {
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
	return raw.Known() + " " + strings.Join(unique(set), ", ")
}

// class describes the value of a parameter as far as clients differ over it.
func class(name, value string) string {
	switch name {
	case "method", "intent":
		if value != "lightning" && value != "charge" {
			return "other"
		}
		return value
	case "header":
		return value
	case "macaroon", "token", "request":
		switch standard := !strings.ContainsAny(value, "-_."); {
		case name == "request" && strings.HasSuffix(value, "="):
			return "padded"
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
	inv, err := bolt11.Decode(c.Invoice)
	if err != nil {
		return []string{"no invoice"}, 0
	}
	for _, t := range []struct {
		is   bool
		text string
	}{
		{inv.Network != bolt11.Mainnet, "of " + inv.Network},
		{!now.Before(inv.ExpiresAt), "expired invoice"},
		{inv.MilliSats == 0, "open amount"},
		{c.Opaque, "no macaroon"},
		{c.Charge == nil && !c.Opaque && !c.HasHash, "no payment hash"},
		{c.HasHash && c.Hash != inv.Hash, "another payment"},
		{c.Charge != nil && c.Charge.AmountSats*1000 != inv.MilliSats, "another amount"},
		{c.Charge != nil && !c.Charge.ExpiresAt.IsZero() && !now.Before(c.Charge.ExpiresAt), "expired challenge"},
		{c.Charge != nil && !isCanonical(c.Charge.Request), "not canonical"},
	} {
		if t.is {
			all = append(all, t.text)
		}
	}
	return all, inv.MilliSats
}

func isCanonical(request string) bool {
	body, err := challenge.Decode(request)
	return err == nil && challenge.IsCanonical(body)
}

// MCP returns the signature of the answer to a call over MCP, a JSON-RPC message.
func MCP(message []byte) (s Signature) {
	var m struct{ Error, Result json.RawMessage }
	json.Unmarshal(message, &m)
	text := "result " + document(m.Result)
	if m.Error != nil {
		text = "error " + document(m.Error)
	}
	for view := range s {
		s[view] = text
	}
	return s
}

// required describes the offers of x402: of the header, and of the body if that is of version 1 or alone.
func required(h http.Header, body []byte) string {
	header := h.Get("PAYMENT-REQUIRED")
	b, _ := base64.StdEncoding.DecodeString(header)
	said, alone := document(b), document(body)
	if !strings.Contains(alone, "x402Version") || header != "" && !strings.Contains(alone, "x402Version=1") {
		alone = ""
	}
	return said + " | " + alone
}

// document describes the JSON of a body, "" if it is none.
func document(b []byte) string {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return ""
	}
	return offers(v)
}

// offers describes the members of a document that ask for a payment. Others are left out.
func offers(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any: // of ways to pay, in any order
		for _, e := range v {
			parts = append(parts, offers(e))
		}
		parts = unique(parts)
	case map[string]any:
		for _, name := range []string{"code", "isError", "x402Version", "scheme", "network", "paymentMethod", "assetTransferMethod",
			"method", "intent", "currency"} {
			if value := v[name]; value != nil && value != "eip3009" { // the usual method
				parts = append(parts, name+"="+network(fmt.Sprint(value)))
			}
		}
		for _, name := range []string{"macaroon", "invoice", "resource"} {
			if v[name] != nil {
				parts = append(parts, name)
			}
		}
		if text, ok := v["text"].(string); ok && strings.Contains(text, "x402Version") {
			parts = append(parts, "text "+document([]byte(text)))
		}
		if s, ok := v["request"].(string); ok {
			parts = append(parts, "request "+class("request", s))
		}
		for _, name := range []string{"accepts", "extra", "request", "challenges", "data", "content", "structuredContent", "_meta",
			"org.paymentauth/payment-required"} {
			switch v[name].(type) {
			case []any, map[string]any:
				if inner := offers(v[name]); inner != "" {
					parts = append(parts, name+"("+inner+")")
				}
			}
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// network shortens the networks of EVM, between which clients do not differ.
func network(name string) string {
	if strings.HasPrefix(name, "eip155:") {
		return "eip155"
	}
	return name
}
