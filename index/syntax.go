package index

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/problem"
)

// The bounds of the text of a query.
const (
	MaxText    = 256 // characters
	MaxTerms   = 16  // words that are looked up; of more, the rarest
	MaxPhrases = 4   // phrases in quotes
)

// A parsed query has been checked and taken apart.
type parsed struct {
	text     string // as the answer repeats it: trimmed, with single spaces
	rest     string // the text without filters and quotes
	phrases  []span // in rest
	filters  [facetCount][]string
	from, to catalog.Date
	limit    int
	offset   int
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// readText checks the text and normalises its spaces.
func (p *parsed) readText(text string) error {
	if !utf8.ValidString(text) {
		return problem.Errorf(problem.QueryInvalid, "The query is not valid UTF-8. Encode it as UTF-8, then percent-encode it.")
	}
	if n := utf8.RuneCountInString(text); n > MaxText {
		return problem.Errorf(problem.QueryInvalid, "The query has %d characters. Send at most %d.", n, MaxText)
	}
	p.text = text
	if !isNormal(text) {
		p.text = strings.Join(strings.FieldsFunc(text, isSpace), " ")
	}
	if p.text == "" {
		return problem.Errorf(problem.QueryMissing, "The query is empty. Send what to look for in q, for example %s?q=macaroon.", catalog.SearchPath)
	}
	return nil
}

// appendKey appends a key that differs between queries with different answers.
func (p *parsed) appendKey(b []byte) []byte {
	b = append(b, p.text...)
	for _, values := range p.filters {
		b = append(b, 0)
		for _, v := range values {
			b = append(append(b, v...), 1)
		}
	}
	b = append(append(b, 0), p.from...)
	return append(append(b, 0), p.to...)
}

func shorten(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// isSpace reports whether a rune separates the words of a query: spaces and control characters.
// Joiners and direction marks are left to the analyzer, which has no words with them.
func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// isNormal reports whether a text has plain characters and single spaces only, as most have.
func isNormal(text string) bool {
	last := byte(' ')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' '
}

// filterNames are the names of the filters in a text.
var filterNames = map[string]int{"category": facetCategory, "tag": facetTag, "type": facetType, "kind": facetKind}

// quotes are the quotation marks that open a phrase, with those that close it.
var quotes = map[rune]string{'"': `"`, '“': `”“"`, '”': `”`, '„': `“”`, '«': `»`, '»': `«`, '「': `」`, '＂': `＂`}

// cutText takes filters and quotation marks out of the text.
func (p *parsed) cutText(v vocabulary) error {
	if isNormal(p.text) && strings.IndexByte(p.text, '"') < 0 && strings.IndexByte(p.text, ':') < 0 {
		p.rest = p.text
		return nil
	}
	var rest strings.Builder
	for s := p.text; s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		if closing, ok := quotes[r]; ok {
			if end := strings.IndexAny(s[n:], closing); end >= 0 {
				p.addPhrase(&rest, s[n:n+end])
				_, m := utf8.DecodeRuneInString(s[n+end:])
				s = s[n+end+m:]
				continue
			}
			rest.WriteByte(' ') // a mark that is not closed is ignored
			s = s[n:]
			continue
		}
		if r == ' ' {
			rest.WriteByte(' ')
			s = s[n:]
			continue
		}
		token := s[:tokenEnd(s)]
		isFilter, err := p.readFilter(v, token)
		if err != nil {
			return err
		}
		if !isFilter {
			rest.WriteString(token)
		}
		s = s[len(token):]
	}
	p.rest = rest.String()
	if len(p.phrases) > MaxPhrases {
		return problem.Errorf(problem.QueryInvalid, "The query has %d phrases in quotes. Send at most %d.", len(p.phrases), MaxPhrases)
	}
	return nil
}

// tokenEnd returns the end of the token at the start of s, before a space or a quotation mark.
func tokenEnd(s string) int {
	for i, r := range s {
		if _, ok := quotes[r]; i > 0 && (r == ' ' || ok) {
			return i
		}
	}
	return len(s)
}

func (p *parsed) addPhrase(rest *strings.Builder, phrase string) {
	rest.WriteByte(' ')
	if start := rest.Len(); strings.TrimSpace(phrase) != "" {
		rest.WriteString(phrase)
		p.phrases = append(p.phrases, span{start, rest.Len()})
	}
	rest.WriteByte(' ')
}

// readFilter reads a token such as tag:lightning and reports whether it is a filter. A name
// without a value is a word.
func (p *parsed) readFilter(v vocabulary, token string) (bool, error) {
	name, value, ok := strings.Cut(token, ":")
	if !ok || value == "" {
		return false, nil
	}
	name, value = strings.ToLower(name), strings.ToLower(value)
	if name == "from" || name == "to" {
		d, err := catalog.ParseDate(value)
		if err != nil && '0' <= value[0] && value[0] <= '9' {
			return false, problem.Errorf(problem.QueryInvalid, "%s is not a calendar date. Write %s:YYYY-MM-DD, for example %s:2026-11-21.",
				strconv.Quote(shorten(value)), name, name)
		}
		if err != nil {
			return false, nil // "from:" is a word of English too
		}
		if name == "from" {
			p.from = max(p.from, d)
		} else if p.to == "" || d < p.to {
			p.to = d
		}
		return true, nil
	}
	facet, ok := filterNames[name]
	if !ok {
		return false, nil
	}
	if err := v.check(facet, value, problem.QueryInvalid); err != nil {
		return false, err
	}
	p.filters[facet] = append(p.filters[facet], value)
	return true, nil
}
