package index

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/nearest"
	"almanac/problem"
)

// The bounds of an answer.
const (
	MaxLimit     = 50   // hits in one answer
	DefaultLimit = 10   // hits in one answer when the query sets no limit
	MaxDepth     = 1000 // hits that can be paged through
)

// A Query is a search. Text may hold words, phrases in quotes, and filters such as tag:lightning;
// the other fields are filters too. A document must pass all of them.
type Query struct {
	Text     string
	Category string
	Tag      string
	Type     string
	Kind     string       // one of Kinds
	From, To catalog.Date // of publication, inclusive; they exclude documents without a date
	Limit    int          // 1 to MaxLimit; 0 means DefaultLimit
	Cursor   string       // next_cursor of the previous answer
}

// Parameters are the names of the query's parameters in HTTP.
var Parameters = []string{"q", "category", "tag", "type", "kind", "from", "to", "limit", "cursor"}

// ParseQuery reads a query from the parameters of a URL. It refuses unknown and repeated parameters,
// so that a misspelt filter does not pass for none. Errors are *problem.Problem.
func ParseQuery(v url.Values) (Query, error) {
	for name, values := range v {
		if !slices.Contains(Parameters, name) {
			return Query{}, problem.Errorf(problem.ParameterInvalid, "%s is not a parameter%s. The parameters are %s.",
				strconv.Quote(shorten(name)), nearest.DidYouMean(name, Parameters, 1), strings.Join(Parameters, ", "))
		}
		if len(values) > 1 {
			return Query{}, problem.Errorf(problem.ParameterInvalid, "The parameter %s appears %d times. Send it once.", name, len(values))
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
		return "", problem.Errorf(problem.ParameterInvalid, "The parameter %s: %s is not a calendar date. Write YYYY-MM-DD, for example 2026-11-21.",
			name, strconv.Quote(shorten(s)))
	}
	return d, nil
}

func limitProblem(s string) error {
	return problem.Errorf(problem.ParameterInvalid, "The parameter limit is %s. Use a number from 1 to %d.", strconv.Quote(shorten(s)), MaxLimit)
}

// parse checks a query against the values that filters accept. It leaves the cursor to the index.
func (q Query) parse(v vocabulary) (*parsed, error) {
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
		if err := v.check(facet, value, problem.ParameterInvalid); err != nil {
			return nil, err
		}
		p.filters[facet] = append(p.filters[facet], value)
	}
	if err := p.cutText(v); err != nil {
		return nil, err
	}
	for _, d := range []catalog.Date{p.from, p.to} {
		if d == "" {
			continue
		}
		if _, err := catalog.ParseDate(string(d)); err != nil {
			return nil, problem.Errorf(problem.ParameterInvalid, "%s is not a calendar date. Write YYYY-MM-DD, for example 2026-11-21.", strconv.Quote(shorten(string(d))))
		}
	}
	if p.from != "" && p.to != "" && p.to < p.from {
		return nil, problem.Errorf(problem.ParameterInvalid, "The date to (%s) is before the date from (%s). Swap them.", p.to, p.from)
	}
	return p, nil
}
