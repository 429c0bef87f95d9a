// Package challenge reads what servers write to ask for money, and writes the credentials that answer it.
//
// ReadHTTP and ReadMessage read the offers of every scheme: L402, also under its old name LSAT
// (https://github.com/lightninglabs/L402), Payment (https://github.com/tempoxyz/mpp-specs), x402
// (https://github.com/x402-foundation/x402) and Cashu (NUT-24), over HTTP, MCP and A2A. Parse reads those of
// WWW-Authenticate that Lightning pays: L402, and Payment with the method lightning and the intent charge. The package
// pays nothing and judges no amount.
package challenge

import (
	"regexp"
	"strings"
)

// The bounds of what is read: the bytes of all WWW-Authenticate values together, of which a challenge with its invoice takes about
// 1 KiB; the challenges of a header or a list; and the departures from the grammar that are told of one.
const (
	maxHeader = 64 << 10
	maxOffers = 64
	maxFaults = 8
)

// A Raw challenge is one challenge of a WWW-Authenticate header as RFC 9110, section 11.6.1 defines it, whatever its
// scheme.
type Raw struct {
	Scheme string // as written
	Params []Param

	// Faults name where the text departs from the grammar. The challenge was read all the same.
	Faults []string
}

// A Param is one parameter of a challenge.
type Param struct {
	Name  string // in lower case
	Value string // without quotes and escapes
}

// Get returns the value of the parameter with a name in lower case, and how often the parameter occurs.
func (r *Raw) Get(name string) (value string, count int) {
	for _, p := range r.Params {
		if p.Name == name {
			if count == 0 {
				value = p.Value
			}
			count++
		}
	}
	return value, count
}

// value returns the value of a parameter, "" if there is none.
func (r *Raw) value(name string) string {
	value, _ := r.Get(name)
	return value
}

// Known returns the scheme by its own name if it is L402, LSAT or Payment, and "" for any other.
func (r *Raw) Known() string {
	for _, known := range []string{L402, LSAT, Payment} {
		if strings.EqualFold(r.Scheme, known) {
			return known
		}
	}
	return ""
}

// Split reads every challenge of the values of WWW-Authenticate. It forgives common mistakes of servers: missing
// commas, semicolons in their place, spaces around the equals sign, values without quotes that need them, empty list elements. The single value that
// other schemes have instead of parameters is read as a parameter, or as a scheme without any.
func Split(values []string) (all []Raw) {
	for _, value := range bounded(values) {
		all = append(all, split(value)...)
	}
	return all[:min(len(all), maxOffers)]
}

// item matches, behind what separates it, a name with or without a value, in quotes or bare, or a character that begins no name.
var item = regexp.MustCompile(`(?s)^([,; \t]*)(?:([^ \t,="]+)[ \t]*(=[ \t]*(?:(")((?:[^"\\]|\\.)*\\?)("?)|([^ \t,;]*)))?|[="])`)

// escaped matches a character behind its backslash in quotes.
var escaped = regexp.MustCompile(`(?s)\\(.)`)

// split reads one value.
func split(rest string) (all []Raw) {
	fault := func(text string) {
		if last := len(all) - 1; last >= 0 && len(all[last].Faults) < maxFaults {
			all[last].Faults = append(all[last].Faults, text)
		}
	}
	comma, stray := true, false // a list element may begin; the text is behind a stray quote
	for m := item.FindStringSubmatch(rest); m != nil; m = item.FindStringSubmatch(rest) {
		rest, comma, stray = rest[len(m[0]):], comma || strings.Contains(m[1], ","), stray && !strings.Contains(m[1], ",")
		name, value, quoted := m[2], escaped.ReplaceAllString(m[5], "$1")+m[7], m[4] != ""
		switch {
		case name == "", m[3] == "" && !comma && (stray || m[1] == ""): // a quote or an equals sign, or words behind quotes in quotes
			fault("has stray characters")
			stray = true
			continue
		case m[3] == "":
			all = append(all, Raw{Scheme: name})
			if !comma {
				fault("has no comma before it")
			}
			comma = true // parameters follow the scheme after a space only
			continue
		case len(all) == 0:
			rest = m[3] + rest // a parameter of nothing, whose equals sign is stray
			continue
		case !comma:
			fault("has no comma before the parameter " + name)
		}
		p := Param{strings.ToLower(name), value}
		if quoted && m[6] == "" {
			fault("has a quote that is never closed")
		} else if !quoted && !isToken(value) {
			fault("has the value of " + p.Name + " without the quotes that it needs")
		}
		all[len(all)-1].Params = append(all[len(all)-1].Params, p)
		comma = false
	}
	return all
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}
