package index

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
	"go.almanac.example/internal/problem"
)

// The bounds of the text of a query.
const (
	MaxText    = 256 // characters
	MaxTerms   = 32  // words and names that are looked up, which are all of most texts
	MaxPhrases = 4   // phrases in quotes; further ones are words
	MaxWithout = 8   // words and phrases that are excluded
)

// A parsed query has been checked and taken apart.
type parsed struct {
	text          string               // as the answer repeats it: trimmed, with single spaces
	rest          string               // the text without filters, quotation marks and exclusions
	phrases       []span               // in rest
	excluded      []string             // words and phrases
	filters       [facetCount][]string // a document must have one value of each facet that has any
	without       [facetCount][]string // a document must have none of these values
	from, to      catalog.Date
	verifiedSince catalog.Date
	sort          string
	limit         int
	offset        int
	explain       bool
	everyTag      bool
	among         docSet // a document must be one of these; nil: it may be any
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// readText checks the text and sets that of the answer.
func (p *parsed) readText(text string) error {
	if !utf8.ValidString(text) {
		return problem.Errorf(problem.QueryInvalid, "The query is not valid UTF-8. Encode it as UTF-8, then percent-encode it.")
	}
	p.text, _ = CutText(text)
	return nil
}

// CutText returns the text that is searched for: with single spaces, and of a long one, such as a pasted error, the words
// that fit.
func CutText(text string) (searched string, wasCut bool) {
	text = strings.Join(strings.FieldsFunc(text, isSpace), " ")
	if utf8.RuneCountInString(text) <= MaxText {
		return text, false
	}
	return strings.TrimSuffix(find.Cut(text, MaxText), "…"), true
}

const maxEchoed = 40 // bytes of the client's input that a message repeats

// isSpace reports whether a rune separates the words of a query: spaces and control characters.
// Joiners and direction marks are left to the analyzer, which has no words with them.
func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// quotes are the quotation marks. Any closes a phrase that another opens: people and programs mix them.
const quotes = `"“”„«»「」＂`

// cutText takes filters, quotation marks and exclusions out of the text.
func (p *parsed) cutText(v *vocabulary) error {
	var rest strings.Builder
	for s := p.text; s != ""; {
		if s[0] == ' ' {
			rest.WriteByte(' ')
			s = s[1:]
			continue
		}
		without := false
		if s, without = cutNot(s, rest.String()); without && s == "" {
			break
		}
		phrase, after, isPhrase := cutPhrase(s)
		if isPhrase {
			s = after
			isCode := strings.HasPrefix(s, ":") || strings.HasSuffix(rest.String(), "=") || strings.HasSuffix(rest.String(), ":")
			if isCode || len(p.phrases) == MaxPhrases { // realm="api", {"isValid":false}, or a header of many
				rest.WriteString(phrase + " ")
			} else {
				p.addPhrase(&rest, phrase, without)
			}
			continue
		}
		token := s[:tokenEnd(s)]
		s = s[len(token):]
		if name, ok := strings.CutSuffix(strings.ToLower(token), ":"); ok && slices.Contains(filterNames, name) {
			var value string
			value, s, _ = cutPhrase(s)                          // tag:"mcp"
			if token += strings.TrimSpace(value); value == "" { // tag: mcp
				next := strings.TrimLeft(s, " ")
				value = next[:tokenEnd(next)]
				if ok, err := new(parsed).readFilter(v, token+value, without); ok && err == nil {
					token, s = token+value, next[len(value):]
				}
			}
		}
		isFilter, err := p.readFilter(v, token, without)
		switch {
		case err != nil:
			return err
		case isFilter:
		case without:
			p.excluded = append(p.excluded, token)
		default:
			rest.WriteString(token)
		}
	}
	if p.rest = rest.String(); strings.ContainsAny(p.rest, ":=.") { // as few texts have
		p.rest = blank(placeholder, blank(credential, p.rest))
	}
	if len(p.excluded) > MaxWithout {
		return problem.Errorf(problem.QueryInvalid, "The query excludes %d words and phrases. Exclude at most %d.",
			len(p.excluded), MaxWithout)
	}
	return nil
}

// blank replaces what a pattern matches, or its group, by spaces.
func blank(pattern *regexp.Regexp, s string) string {
	b := []byte(s)
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		at := m[len(m)-2:]
		copy(b[at[0]:at[1]], strings.Repeat(" ", at[1]-at[0]))
	}
	return string(b)
}

// credential matches what a pasted header carries and no text has: a macaroon, an invoice, a body in base64.
var credential = regexp.MustCompile(`(?i)\b(?:macaroon|token|invoice|request|credential|authorization|payment-required|payment-signature|x-payment)` +
	`\s*[:=]\s*(?:(?:l402|lsat|payment|bearer)\s+)?([\w+/=-]{3,}\.{2,}|[\w+/=-]*\d[\w+/=.:-]{5,})`)

// placeholder matches an address that stands for any: alice@example.com. Its words find nothing that is meant.
var placeholder = regexp.MustCompile(`(?i)\b(?:[\w.]+@)?(?:\w+\.)*example\.(?:com|org|net)\b`)

// cutNot cuts the minus sign or the NOT off a part of the text that is to be excluded. before is the
// text in front of it: a minus sign inside a word is a hyphen.
func cutNot(s, before string) (rest string, without bool) {
	if before != "" && !strings.HasSuffix(before, " ") {
		return s, false
	}
	if rest, ok := strings.CutPrefix(s, "NOT "); ok {
		return strings.TrimLeft(rest, " "), true
	}
	if len(s) > 1 && s[0] == '-' {
		r, _ := utf8.DecodeRuneInString(s[1:])
		if strings.ContainsRune(quotes, r) || unicode.IsLetter(r) { // before a digit it is a sign: -32042
			return s[1:], true
		}
	}
	return s, false
}

// cutPhrase cuts a phrase in quotation marks off the text. A mark that is not closed is cut off as an
// empty phrase.
func cutPhrase(s string) (phrase, after string, ok bool) {
	r, n := utf8.DecodeRuneInString(s)
	if s == "" || !strings.ContainsRune(quotes, r) {
		return "", s, false
	}
	end := strings.IndexAny(s[n:], quotes)
	if end < 0 {
		return "", s[n:], true
	}
	_, m := utf8.DecodeRuneInString(s[n+end:])
	return s[n : n+end], s[n+end+m:], true
}

// tokenEnd returns the end of the token at the start of s, before a space or a quotation mark.
func tokenEnd(s string) int {
	for i, r := range s {
		if i > 0 && (r == ' ' || strings.ContainsRune(quotes, r)) {
			return i
		}
	}
	return len(s)
}

func (p *parsed) addPhrase(rest *strings.Builder, phrase string, without bool) {
	rest.WriteByte(' ')
	switch start := rest.Len(); {
	case strings.TrimSpace(phrase) == "":
	case without:
		p.excluded = append(p.excluded, phrase)
	default:
		rest.WriteString(phrase)
		p.phrases = append(p.phrases, span{start, rest.Len()})
	}
	rest.WriteByte(' ')
}

// The names of filters: of a facet, and of a date.
var (
	dateNames   = []string{"from", "to", "verified_since"}
	toolNames   = map[string]string{"since": "from", "until": "to"} // as the tools have them
	filterNames = slices.Concat(facetNames, dateNames, []string{"since", "until"})
)

// readFilter reads a token such as tag:lightning and reports whether it is a filter. A name
// without a value is a word.
func (p *parsed) readFilter(v *vocabulary, token string, without bool) (bool, error) {
	name, value, ok := strings.Cut(token, ":")
	if !ok || value == "" {
		return false, nil
	}
	name, value = strings.ToLower(name), strings.ToLower(value)
	if other := toolNames[name]; other != "" {
		name = other
	}
	if !without && slices.Contains(dateNames, name) {
		return p.readDate(name, value)
	}
	facet := slices.Index(facetNames, name)
	if facet < 0 {
		return false, nil
	}
	if err := v.check(facet, value, problem.QueryInvalid); err != nil {
		return false, err
	}
	if without {
		p.without[facet] = append(p.without[facet], value)
	} else {
		p.filters[facet] = append(p.filters[facet], value)
	}
	return true, nil
}

// readDate reads the date of a filter.
func (p *parsed) readDate(name, value string) (bool, error) {
	d, err := catalog.ParseDate(value)
	if err != nil && '0' <= value[0] && value[0] <= '9' {
		return false, problem.Errorf(problem.QueryInvalid,
			"%s is not a calendar date. Write %s:YYYY-MM-DD, for example %s:2026-11-21.",
			strconv.Quote(problem.Shorten(value, maxEchoed)), name, name)
	}
	if err != nil {
		return false, nil // "from:" is a word of English too
	}
	switch { // of several, the narrowest counts
	case name == "from":
		p.from = max(p.from, d)
	case name == "verified_since":
		p.verifiedSince = max(p.verifiedSince, d)
	case p.to == "" || d < p.to:
		p.to = d
	}
	return true, nil
}
