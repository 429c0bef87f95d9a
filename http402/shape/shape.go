// Package shape predicts which clients pay for an answer 402: those that were measured with an answer of the same
// signature.
package shape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
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

// A Signature has what clients may look at in an answer, from one part to all of it: its offers of x402; its first
// challenge, those of L402, those of Payment and all challenges, each as a set of the parameters that specifications
// define; the first and those of L402 up to macaroon and invoice; the same four as they are written; everything.
type Signature [views]string

const views = 12

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
			has := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(c.Signature[views-1], word) })
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

// result predicts from the smallest view that decides every measured result of the client, if it was measured twice
// with what is in view, or from everything.
func (t Table) result(client string, s Signature) string {
	for view := range views {
		results, pure, count := map[string]string{}, true, 0
		for _, c := range t {
			if c.Client != client {
				continue
			}
			key := c.Signature[view]
			if old, ok := results[key]; ok && old != c.Result {
				pure = false
			}
			results[key] = c.Result
			if key == s[view] {
				count++
			}
		}
		if pure && (count > 1 || view == views-1 && count > 0) {
			return results[s[view]]
		}
	}
	return NotMeasured
}

// values matches a parameter with its value.
var values = regexp.MustCompile(`(?i)\b([a-z]+)=("(?:\\.|[^"\\])*"|'[^']*'|[^\s,"']+)`)

// HTTP returns the signature of a 402 over HTTP at a time: its challenges as they are written, with classes for values,
// and the offers of x402 and the rest.
func HTTP(h http.Header, body []byte, now time.Time) (s Signature) {
	lines := h.Values("WWW-Authenticate")
	var marks []string
	found, unusable := challenge.Parse(lines)
	for _, c := range found {
		marks = append(marks, traits(&c, now)...)
	}
	for _, err := range unusable {
		marks = append(marks, "unusable: "+err.Error())
	}
	const all, ofL402, ofPayment = 0, 1, 2
	var sets, heads, texts [3][]string
	for i, line := range lines {
		text := skeleton(line)
		texts[all] = append(texts[all], text)
		for _, raw := range challenge.Split(lines[i : i+1]) {
			set := parameters(raw, line)
			sets[all], heads[all] = append(sets[all], set), append(heads[all], head(text))
			kind := ofL402
			switch raw.Known() {
			case "":
				continue
			case challenge.Payment:
				kind = ofPayment
			}
			sets[kind], heads[kind], texts[kind] = append(sets[kind], set), append(heads[kind], head(text)), append(texts[kind], text)
		}
	}
	x402 := "body " + document(body)
	if required := h.Get("PAYMENT-REQUIRED"); required != "" {
		b, _ := base64.StdEncoding.DecodeString(required)
		x402 = "PAYMENT-REQUIRED " + document(b) + " | " + x402
	}
	if h.Get("X-Cashu") != "" {
		x402 += " | X-Cashu"
	}
	join := func(parts ...string) string { return strings.Join(append(parts, marks...), " | ") }
	s[0] = x402
	first := func(list []string) string { return join(append(list, "")[0]) }
	s[1], s[2], s[3], s[4] = first(sets[all]), join(sets[ofL402]...), join(sets[ofPayment]...), join(sets[all]...)
	s[5], s[6] = first(heads[all]), join(heads[ofL402]...)
	s[7], s[8], s[9], s[10] = first(texts[all]), join(texts[ofL402]...), join(texts[ofPayment]...), join(texts[all]...)
	s[11] = s[10] + " | " + x402
	return s
}

// head returns a challenge as it is written, up to the macaroon and the invoice: what follows does not matter to clients
// that look for these two.
func head(text string) string {
	end := 0
	for _, at := range values.FindAllStringSubmatchIndex(text, -1) {
		if name := strings.ToLower(text[at[2]:at[3]]); name == "macaroon" || name == "invoice" {
			if end > 0 {
				return text[:at[1]]
			}
			end = at[1]
		}
	}
	return text
}

// parameters returns a challenge as the set of its parameters that a specification defines, with classes for values.
// Clients ignore others.
func parameters(raw challenge.Raw, line string) string {
	known := "method intent digest expires opaque header"
	if raw.Known() != challenge.Payment {
		known = "macaroon invoice"
		if _, n := raw.Get("macaroon"); n == 0 {
			known = "token invoice"
		}
	}
	var set []string
	for _, p := range raw.Params {
		value := strings.TrimSuffix(class(p.Name, p.Value), "=")
		if slices.Contains(strings.Fields(known), p.Name) {
			set = append(set, p.Name+"="+value)
		}
	}
	for _, name := range values.FindAllStringSubmatch(line, -1) {
		if name[1] != strings.ToLower(name[1]) {
			set = append(set, name[1])
		}
	}
	slices.Sort(set)
	return raw.Scheme + " " + strings.Join(append(set, raw.Faults...), ", ")
}

// skeleton is a challenge with classes for its values.
func skeleton(line string) string {
	return values.ReplaceAllStringFunc(line, func(p string) string {
		name, value, _ := strings.Cut(p, "=")
		mark := ""
		if value[0] == '"' || value[0] == '\'' {
			mark = value[:1]
		}
		return name + "=" + mark + class(strings.ToLower(name), strings.Trim(value, `"'`)) + mark
	})
}

// class describes the value of a parameter as far as clients differ over it.
func class(name, value string) string {
	switch name {
	case "method", "intent", "version", "header":
		return value
	case "macaroon", "token", "request":
		switch {
		case strings.ContainsAny(value, "-_"):
			return "base64url"
		case strings.HasSuffix(value, "="):
			return "base64="
		}
		return "base64"
	}
	return "…"
}

// traits are the properties of a challenge that decide whether a careful client pays it.
func traits(c *challenge.Challenge, now time.Time) (all []string) {
	inv, err := bolt11.Decode(c.Invoice)
	if err != nil {
		return []string{"no invoice"}
	}
	for _, t := range []struct {
		is   bool
		text string
	}{
		{inv.Network != bolt11.Mainnet, "of " + inv.Network},
		{!now.Before(inv.ExpiresAt), "expired invoice"},
		{inv.MilliSats == 0, "open amount"},
		{inv.MilliSats > 100_000, "above 100 sat"},
		{c.Opaque, "no macaroon"},
		{c.Charge == nil && !c.Opaque && !c.HasHash, "no payment hash"},
		{c.HasHash && c.Hash != inv.Hash, "another payment"},
		{c.Charge != nil && c.Charge.AmountSats*1000 != inv.MilliSats, "another amount"},
		{c.Charge != nil && !c.Charge.ExpiresAt.IsZero() && !now.Before(c.Charge.ExpiresAt), "expired challenge"},
		{c.Charge != nil && strings.Contains(c.Raw.Scheme, "Payment") && !isCanonical(c.Charge.Request), "not canonical"},
	} {
		if t.is {
			all = append(all, t.text)
		}
	}
	return all
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

// document describes the JSON of a body, or says that it is none.
func document(b []byte) string {
	var v any
	if len(bytes.TrimSpace(b)) == 0 || json.Unmarshal(b, &v) != nil {
		return "text"
	}
	return offers(v)
}

// offers describes the members of a document that ask for a payment. Others are left out.
func offers(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			parts = append(parts, offers(e))
		}
	case map[string]any:
		for _, name := range []string{"code", "isError", "x402Version", "scheme", "network", "paymentMethod", "assetTransferMethod",
			"method", "intent", "currency"} {
			if value := v[name]; value != nil {
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
