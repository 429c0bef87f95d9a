package index

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/problem"
)

// isSpace tells what separates words of a query: spaces and everything invisible. A joiner or a
// direction mark is left to the analyzer, which knows no word with it.
func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// isOrderly tells a text of plain characters with single spaces between words, which most are.
func isOrderly(text string) bool {
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

// The names of the filters in a text.
var filterNames = map[string]int{"category": facetCategory, "tag": facetTag, "type": facetType, "kind": facetKind}

// The quotes that open a phrase, with the ones that close it.
var quotes = map[rune]string{'"': `"`, '“': `”“"`, '”': `”`, '„': `“”`, '«': `»`, '»': `«`, '「': `」`, '＂': `＂`}

// cutText takes filters and quotes out of the text.
func (p *parsed) cutText(v vocabulary) error {
	if isOrderly(p.text) && strings.IndexByte(p.text, '"') < 0 && strings.IndexByte(p.text, ':') < 0 {
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
			rest.WriteByte(' ') // a quote that nothing closes is only a mark
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
		return problem.Errorf(problem.QueryInvalid, "The query has %d phrases in quotes. Give at most %d.", len(p.phrases), MaxPhrases)
	}
	return nil
}

// tokenEnd gives the end of what stands at the start of s up to a space or a quote.
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

// readFilter takes a token such as tag:lightning. A name without a value is a word.
func (p *parsed) readFilter(v vocabulary, token string) (bool, error) {
	name, value, ok := strings.Cut(token, ":")
	if !ok || value == "" {
		return false, nil
	}
	name, value = strings.ToLower(name), strings.ToLower(value)
	if name == "from" || name == "to" {
		d, err := catalog.ParseDate(value)
		if err != nil && isDigit(rune(value[0])) {
			return false, problem.Errorf(problem.QueryInvalid, "%s is not a calendar date; write %s:YYYY-MM-DD, for example %s:2026-11-21.",
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

// A vocabulary is what filters can ask for.
type vocabulary [facetCount][]string

func newVocabulary(c *catalog.Catalog) (v vocabulary) {
	for _, k := range c.Categories() {
		v[facetCategory] = append(v[facetCategory], k.ID)
	}
	for _, t := range c.Tags() {
		v[facetTag] = append(v[facetTag], t.ID)
	}
	v[facetType], v[facetKind] = catalog.EntryTypes, Kinds
	return v
}

var facetWords = [facetCount]string{facetCategory: "category", facetTag: "tag", facetType: "type", facetKind: "kind"}

// check refuses a value that is not in the vocabulary. An index without a vocabulary takes any.
func (v vocabulary) check(facet int, value string, code problem.Code) error {
	words := v[facet]
	if len(words) == 0 {
		return nil
	}
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	where := "The " + facetWords[facet] + "s are " + strings.Join(words, ", ") + "."
	switch facet {
	case facetCategory:
		where = "The categories are " + strings.Join(words, ", ") + "."
	case facetTag:
		where = catalog.TagsJSONPath + " lists the tags."
	}
	return problem.Errorf(code, "There is no %s %s%s. %s", facetWords[facet], strconv.Quote(shorten(value)), didYouMean(value, words), where)
}
