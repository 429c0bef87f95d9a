// Package challenge reads what servers write to ask for money, and writes the credentials that answer it.
//
// ReadHTTP and ReadMessage read the offers of every scheme: L402, also under its old name LSAT
// (https://github.com/lightninglabs/L402), Payment (https://github.com/tempoxyz/mpp-specs), x402
// (https://github.com/x402-foundation/x402) and Cashu (NUT-24), over HTTP, MCP and A2A. Parse reads those of
// WWW-Authenticate that Lightning pays: L402, and Payment with the method lightning and the intent charge. The package
// pays nothing and judges no amount.
package challenge

import "strings"

// maxHeader bounds the bytes read of all WWW-Authenticate values together. A challenge with its invoice takes about 1
// KiB.
const maxHeader = 64 << 10

// A Raw challenge is one challenge of a WWW-Authenticate header as RFC 9110, section 11.6.1 defines it, whatever its
// scheme.
type Raw struct {
	Scheme  string // as written
	Token68 string // instead of parameters
	Params  []Param

	// Faults name where the text departs from the grammar. The challenge was read all the same.
	Faults []string
}

// A Param is one parameter of a challenge.
type Param struct {
	Name   string // in lower case
	Value  string // without quotes and escapes
	Quoted bool
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
// commas, spaces around the equals sign, values without quotes that need them, empty list elements.
func Split(values []string) []Raw {
	var all []Raw
	size := 0
	for _, value := range values {
		if size += len(value); size > maxHeader {
			break
		}
		s := splitter{text: value}
		all = append(all, s.run()...)
	}
	return all
}

// A splitter reads one header value.
type splitter struct {
	text string
	pos  int
	all  []Raw
}

func (s *splitter) run() []Raw {
	comma := true // a list element may begin
	for {
		if s.skip(", \t") {
			comma = true
		}
		if s.pos >= len(s.text) {
			return s.all
		}
		word := s.word()
		after := s.pos
		s.skip(" \t")
		switch {
		case word == "": // a quote or an equals sign where a name belongs
			s.fault("has stray characters")
			s.pos++
		case s.equals() && len(s.all) > 0 && s.all[len(s.all)-1].Token68 == "":
			if !comma {
				s.fault("has no comma before the parameter " + word)
			}
			s.param(word)
			comma = false
		case s.equals(): // a parameter of nothing, whose equals sign is stray
		default:
			s.pos = after
			s.all = append(s.all, Raw{Scheme: word})
			if !comma {
				s.fault("has no comma before it")
			}
			s.token68()
			comma = true // parameters follow the scheme after a space only
		}
	}
}

// skip passes over characters of set and reports whether there was a comma among them.
func (s *splitter) skip(set string) (comma bool) {
	for s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0 {
		comma = comma || s.text[s.pos] == ','
		s.pos++
	}
	return comma
}

func (s *splitter) word() string {
	from := s.pos
	for s.pos < len(s.text) && strings.IndexByte(" \t,=\"", s.text[s.pos]) < 0 {
		s.pos++
	}
	return s.text[from:s.pos]
}

func (s *splitter) equals() bool { return s.pos < len(s.text) && s.text[s.pos] == '=' }

func (s *splitter) fault(what string) {
	if n := len(s.all); n > 0 {
		s.all[n-1].Faults = append(s.all[n-1].Faults, what)
	}
}

// token68 reads the single value that some schemes have instead of parameters, if one follows the scheme.
func (s *splitter) token68() {
	rest := strings.TrimLeft(s.text[s.pos:], " \t")
	end := strings.IndexAny(rest, " \t,\"")
	if end < 0 {
		end = len(rest)
	}
	token, next := rest[:end], strings.TrimLeft(rest[end:], " \t")
	if token == "" || strings.Contains(strings.TrimRight(token, "="), "=") || next != "" && next[0] != ',' {
		return // nothing, or a parameter, perhaps with spaces around its equals sign
	}
	s.all[len(s.all)-1].Token68 = token
	s.pos = len(s.text) - len(rest) + end
}

// param reads the value after a name. The position is at the equals sign.
func (s *splitter) param(name string) {
	s.pos++
	s.skip(" \t")
	p := Param{Name: strings.ToLower(name)}
	if s.pos < len(s.text) && s.text[s.pos] == '"' {
		p.Quoted = true
		p.Value = s.quoted()
	} else {
		from := s.pos
		for s.pos < len(s.text) && strings.IndexByte(" \t,", s.text[s.pos]) < 0 {
			s.pos++
		}
		p.Value = s.text[from:s.pos]
		if !isToken(p.Value) {
			s.fault("has the value of " + p.Name + " without the quotes that it needs")
		}
	}
	last := &s.all[len(s.all)-1]
	last.Params = append(last.Params, p)
}

// quoted reads a quoted-string. The position is at the first quote.
func (s *splitter) quoted() string {
	s.pos++
	var b strings.Builder
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return b.String()
		case c == '\\' && s.pos+1 < len(s.text):
			s.pos++
			b.WriteByte(s.text[s.pos])
		default:
			b.WriteByte(c)
		}
		s.pos++
	}
	s.fault("has a quote that is never closed")
	return b.String()
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
