// Package challenge reads what servers write to ask for money, and writes the credentials that answer it.
//
// ReadHTTP and ReadMessage read the offers of every scheme: L402, also under its old name LSAT
// (https://github.com/lightninglabs/L402), Payment (https://github.com/tempoxyz/mpp-specs), x402
// (https://github.com/x402-foundation/x402) and Cashu (NUT-24), over HTTP, MCP and A2A. Parse reads those of
// WWW-Authenticate that Lightning pays: L402, and Payment with the method lightning and the intent charge. The package
// pays nothing and judges no amount.
package challenge

import "strings"

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
// commas, spaces around the equals sign, values without quotes that need them, empty list elements. The single value that
// other schemes have instead of parameters is read as a parameter, or as a scheme without any.
func Split(values []string) (all []Raw) {
	for _, value := range bounded(values) {
		s := splitter{rest: value}
		s.run()
		all = append(all, s.all...)
	}
	return all[:min(len(all), maxOffers)]
}

// A splitter reads one header value.
type splitter struct {
	rest string // not read yet
	all  []Raw
}

func (s *splitter) run() {
	comma := true // a list element may begin
	for {
		if strings.Contains(s.skip(", \t"), ",") {
			comma = true
		}
		if s.rest == "" {
			return
		}
		word := s.until(" \t,=\"")
		s.skip(" \t")
		equals := strings.HasPrefix(s.rest, "=")
		switch {
		case word == "": // a quote or an equals sign where a name belongs
			s.fault("has stray characters")
			s.rest = s.rest[1:]
		case equals && len(s.all) > 0:
			if !comma {
				s.fault("has no comma before the parameter " + word)
			}
			s.param(word)
			comma = false
		case equals: // a parameter of nothing, whose equals sign is stray
		default:
			s.all = append(s.all, Raw{Scheme: word})
			if !comma {
				s.fault("has no comma before it")
			}
			comma = true // parameters follow the scheme after a space only
		}
	}
}

// skip passes over characters of set, and returns them.
func (s *splitter) skip(set string) string {
	before := s.rest
	s.rest = strings.TrimLeft(s.rest, set)
	return before[:len(before)-len(s.rest)]
}

// until reads up to a character of set, or to the end.
func (s *splitter) until(set string) string {
	end := strings.IndexAny(s.rest, set)
	if end < 0 {
		end = len(s.rest)
	}
	text := s.rest[:end]
	s.rest = s.rest[end:]
	return text
}

func (s *splitter) last() *Raw { return &s.all[len(s.all)-1] }

func (s *splitter) fault(what string) {
	if len(s.all) > 0 && len(s.last().Faults) < maxFaults {
		s.last().Faults = append(s.last().Faults, what)
	}
}

// param reads the value after a name. The equals sign is next.
func (s *splitter) param(name string) {
	s.rest = s.rest[1:]
	s.skip(" \t")
	p := Param{Name: strings.ToLower(name)}
	if strings.HasPrefix(s.rest, `"`) {
		p.Value = s.quoted()
	} else if p.Value = s.until(" \t,"); !isToken(p.Value) {
		s.fault("has the value of " + p.Name + " without the quotes that it needs")
	}
	s.last().Params = append(s.last().Params, p)
}

// quoted reads a quoted-string. Its first quote is next.
func (s *splitter) quoted() string {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		if s.rest[i] == '"' {
			s.rest = s.rest[i+1:]
			return b.String()
		}
		if s.rest[i] == '\\' && i+1 < len(s.rest) {
			i++
		}
		b.WriteByte(s.rest[i])
	}
	s.rest = ""
	s.fault("has a quote that is never closed")
	return b.String()
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}
