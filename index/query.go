package index

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/nearest"
	"almanac/problem"
)

// The bounds of a query.
const (
	MaxText      = 256  // characters of text
	MaxTerms     = 16   // words that are looked for; of more, the rarest are
	MaxPhrases   = 4    // phrases in quotes
	MaxLimit     = 50   // hits in one answer
	DefaultLimit = 10   // hits in one answer when none is asked for
	MaxDepth     = 1000 // hits that can be paged through
)

// A Query is what someone looks for. Text may hold words, phrases in quotes, and filters such as
// tag:lightning; the other fields are filters too, and all must hold.
type Query struct {
	Text     string
	Category string
	Tag      string
	Type     string
	Kind     string       // one of Kinds
	From, To catalog.Date // of publication, inclusive; entries without a date are then left out
	Limit    int          // 1 to MaxLimit; 0 means DefaultLimit
	Cursor   string       // next_cursor of the answer before
}

// Parameters are the names of the query's parameters, in HTTP.
var Parameters = []string{"q", "category", "tag", "type", "kind", "from", "to", "limit", "cursor"}

// ParseQuery reads a query from the parameters of a URL. Parameters that are unknown or given
// twice are refused, so that a misspelt filter is not taken for no filter. Errors are
// *problem.Problem.
func ParseQuery(v url.Values) (Query, error) {
	for name, values := range v {
		if !slices.Contains(Parameters, name) {
			return Query{}, problem.Errorf(problem.ParameterInvalid, "There is no parameter %s%s. The parameters are %s.",
				strconv.Quote(shorten(name)), didYouMean(name, Parameters), strings.Join(Parameters, ", "))
		}
		if len(values) > 1 {
			return Query{}, problem.Errorf(problem.ParameterInvalid, "The parameter %s is given %d times. Give it once.", name, len(values))
		}
	}
	q := Query{
		Text: v.Get("q"), Category: v.Get("category"), Tag: v.Get("tag"), Type: v.Get("type"), Kind: v.Get("kind"),
		Cursor: v.Get("cursor"),
	}
	var err error
	if q.From, err = dateParameter(v, "from"); err != nil {
		return Query{}, err
	}
	if q.To, err = dateParameter(v, "to"); err != nil {
		return Query{}, err
	}
	if s := v.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > MaxLimit {
			return Query{}, limitProblem(s)
		}
		q.Limit = n
	}
	return q, nil
}

func dateParameter(v url.Values, name string) (catalog.Date, error) {
	s := v.Get(name)
	if s == "" {
		return "", nil
	}
	d, err := catalog.ParseDate(s)
	if err != nil {
		return "", problem.Errorf(problem.ParameterInvalid, "The parameter %s: %s is not a calendar date; write YYYY-MM-DD, for example 2026-11-21.",
			name, strconv.Quote(shorten(s)))
	}
	return d, nil
}

func limitProblem(s string) error {
	return problem.Errorf(problem.ParameterInvalid, "The parameter limit is %s. Give a number from 1 to %d.", strconv.Quote(shorten(s)), MaxLimit)
}

// A parsed query has been checked and taken apart.
type parsed struct {
	text     string // as the answer repeats it: no spaces at the ends, single spaces within
	rest     string // the text without filters and quotes
	phrases  []span // in rest
	filters  [facetCount][]string
	from, to catalog.Date
	limit    int
	offset   int
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// parse checks a query against what there is.
func (x *Index) parse(q Query) (*parsed, error) {
	p := &parsed{from: q.From, to: q.To, limit: q.Limit}
	if p.limit == 0 {
		p.limit = DefaultLimit
	}
	if p.limit < 1 || p.limit > MaxLimit {
		return nil, limitProblem(strconv.Itoa(q.Limit))
	}
	if err := p.readText(q.Text); err != nil {
		return nil, err
	}
	for facet, value := range [facetCount]string{facetCategory: q.Category, facetTag: q.Tag, facetType: q.Type, facetKind: q.Kind} {
		if value == "" {
			continue
		}
		if err := x.vocabulary.check(facet, value, problem.ParameterInvalid); err != nil {
			return nil, err
		}
		p.filters[facet] = append(p.filters[facet], value)
	}
	if err := p.cutText(x.vocabulary); err != nil {
		return nil, err
	}
	for _, d := range []catalog.Date{p.from, p.to} {
		if d == "" {
			continue
		}
		if _, err := catalog.ParseDate(string(d)); err != nil {
			return nil, problem.Errorf(problem.ParameterInvalid, "%s is not a calendar date; write YYYY-MM-DD, for example 2026-11-21.", strconv.Quote(shorten(string(d))))
		}
	}
	if p.from != "" && p.to != "" && p.to < p.from {
		return nil, problem.Errorf(problem.ParameterInvalid, "The date to (%s) lies before the date from (%s). Swap them.", p.to, p.from)
	}
	return p, x.readCursor(p, q.Cursor)
}

// readText checks the text and brings its spaces in order.
func (p *parsed) readText(text string) error {
	if !utf8.ValidString(text) {
		return problem.Errorf(problem.QueryInvalid, "The query is not valid UTF-8. Encode it as UTF-8, then percent-encode it.")
	}
	if n := utf8.RuneCountInString(text); n > MaxText {
		return problem.Errorf(problem.QueryInvalid, "The query has %d characters. Give at most %d.", n, MaxText)
	}
	p.text = text
	if !isOrderly(text) {
		p.text = strings.Join(strings.FieldsFunc(text, isSpace), " ")
	}
	if p.text == "" {
		return problem.Errorf(problem.QueryMissing, "Say in q what to look for, for example %s?q=macaroon.", catalog.SearchPath)
	}
	return nil
}

// appendKey appends what tells a parsed query from all that find something else.
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

func didYouMean(s string, words []string) string {
	if near := nearest.Words(s, words, 1); len(near) > 0 {
		return " (did you mean " + near[0] + "?)"
	}
	return ""
}
