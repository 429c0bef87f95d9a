package index

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/crc64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/nearest"
	"go.almanac.example/internal/problem"
)

// The bounds of an answer.
const (
	MaxLimit     = 50   // hits in one answer
	DefaultLimit = 10   // hits in one answer when the query sets no limit
	MaxDepth     = 1000 // hits that can be paged through
)

// MaxValues bounds the values of one filter.
const MaxValues = 20

// The orders of an answer.
const (
	SortRelevance = "relevance" // the best match first
	SortNewest    = "newest"    // by date of publication, the newest first
	SortVerified  = "verified"  // by the day on which the source was read, the latest first
)

// Sorts are the orders of an answer.
var Sorts = []string{SortRelevance, SortNewest, SortVerified}

// A Query is a search. Text may hold words, phrases in quotes, filters such as tag:lightning, and
// exclusions: -word, -"phrase", -tag:lightning. The other fields are filters too: a document must have
// one of the values of each facet, and pass all the others. Text may be empty if there is a filter.
type Query struct {
	Text          string
	Category      []string
	Tag           []string
	EveryTag      bool // a document must have all of Tag, not one of them
	Type          []string
	Kind          []string     // of Kinds
	From, To      catalog.Date // of publication, inclusive; they exclude documents without a date
	VerifiedSince catalog.Date // excludes documents whose source was last read before
	Sort          string       // one of Sorts; "" means SortRelevance
	Limit         int          // 1 to MaxLimit; 0 means DefaultLimit
	Cursor        string       // next_cursor of the previous answer
	Explain       bool         // each hit says how its score came about
}

// Parameters are the names of the query's parameters in HTTP.
var Parameters = []string{"q", "category", "tag", "type", "kind", "from", "to", "verified_since", "sort", "limit",
	"cursor", "explain"}

// ParseQuery reads a query from the parameters of a URL. It refuses unknown parameters, and all but
// filters more than once, so that a misspelt filter does not pass for none. Errors are
// *problem.Problem.
func ParseQuery(v url.Values) (Query, error) {
	for name, values := range v {
		if !slices.Contains(Parameters, name) {
			return Query{}, problem.Errorf(problem.ParameterInvalid, "%s is not a parameter%s. The parameters are %s.",
				strconv.Quote(problem.Shorten(name, maxEchoed)), nearest.DidYouMean(name, Parameters, 1),
				strings.Join(Parameters, ", "))
		}
		if len(values) > 1 && !slices.Contains(facetNames, name) {
			return Query{}, problem.Errorf(problem.ParameterInvalid,
				"The parameter %s appears %d times. Send it once.", name, len(values))
		}
	}
	q := Query{
		Text: v.Get("q"), Category: v["category"], Tag: v["tag"], Type: v["type"], Kind: v["kind"],
		From: catalog.Date(v.Get("from")), To: catalog.Date(v.Get("to")),
		VerifiedSince: catalog.Date(v.Get("verified_since")), Sort: v.Get("sort"), Cursor: v.Get("cursor"),
	}
	s := v.Get("explain")
	if q.Explain = s == "1"; !q.Explain && s != "" && s != "0" {
		return Query{}, problem.Errorf(problem.ParameterInvalid,
			"The parameter explain is %s. Use 1 for the parts of each score.", strconv.Quote(problem.Shorten(s, maxEchoed)))
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

func limitProblem(s string) error {
	return problem.Errorf(problem.ParameterInvalid, "The parameter limit is %s. Use a number from 1 to %d.",
		strconv.Quote(problem.Shorten(s, maxEchoed)), MaxLimit)
}

// parse checks a query against the values that filters accept, and sets p to it. It leaves the cursor to the
// index.
func (q Query) parse(p *parsed, v *vocabulary) error {
	*p = parsed{from: q.From, to: q.To, verifiedSince: q.VerifiedSince, sort: cmp.Or(q.Sort, SortRelevance),
		limit: cmp.Or(q.Limit, DefaultLimit), explain: q.Explain, everyTag: q.EveryTag}
	if p.limit < 1 || p.limit > MaxLimit {
		return limitProblem(strconv.Itoa(q.Limit))
	}
	if !slices.Contains(Sorts, p.sort) {
		return problem.Errorf(problem.ParameterInvalid, "The parameter sort is %s%s. Use one of %s.",
			strconv.Quote(problem.Shorten(p.sort, maxEchoed)), nearest.DidYouMean(p.sort, Sorts, 1), strings.Join(Sorts, ", "))
	}
	if err := p.readText(q.Text); err != nil {
		return err
	}
	for facet, values := range [facetCount][]string{facetCategory: q.Category, facetTag: q.Tag, facetType: q.Type,
		facetKind: q.Kind} {
		for _, value := range values {
			if value == "" {
				continue
			}
			if err := v.check(facet, value, problem.ParameterInvalid); err != nil {
				return err
			}
			p.filters[facet] = append(p.filters[facet], value)
		}
		if len(p.filters[facet]) > MaxValues {
			return problem.Errorf(problem.ParameterInvalid, "The parameter %s has %d values. Send at most %d.",
				facetNames[facet], len(values), MaxValues)
		}
	}
	if err := p.cutText(v); err != nil {
		return err
	}
	if strings.TrimSpace(p.rest) == "" && len(p.excluded) == 0 && !p.isFiltered() {
		return problem.Errorf(problem.QueryMissing,
			"The query is empty. Send what to look for in q, for example %s?q=macaroon, or a filter such as tag.",
			catalog.SearchPath)
	}
	return p.checkDates()
}

// isFiltered reports whether a query has filters.
func (p *parsed) isFiltered() bool {
	for facet := range p.filters {
		if len(p.filters[facet])+len(p.without[facet]) > 0 {
			return true
		}
	}
	return p.from != "" || p.to != "" || p.verifiedSince != ""
}

func (p *parsed) checkDates() error {
	for name, d := range map[string]catalog.Date{"from": p.from, "to": p.to, "verified_since": p.verifiedSince} {
		if _, err := catalog.ParseDate(string(d)); d != "" && err != nil {
			return problem.Errorf(problem.ParameterInvalid,
				"The parameter %s: %s is not a calendar date. Write YYYY-MM-DD, for example 2026-11-21.",
				name, strconv.Quote(problem.Shorten(string(d), maxEchoed)))
		}
	}
	if p.from != "" && p.to != "" && p.to < p.from {
		return problem.Errorf(problem.ParameterInvalid, "The date to (%s) is before the date from (%s). Swap them.", p.to, p.from)
	}
	return nil
}

// cursorSum returns the checksum of a query over the data.
func (x *Index) cursorSum(p *parsed) uint64 {
	return crc64.Update(x.generationSum, checksums, []byte(p.key()))
}

// key returns a text that queries with other hits do not have. No part of it has the character between them.
func (p *parsed) key() string {
	parts := []string{p.text, string(p.from), string(p.to), string(p.verifiedSince), p.sort, strconv.FormatBool(p.everyTag)}
	for _, values := range p.filters {
		parts = append(append(parts, ""), values...) // which are not empty
	}
	return strings.Join(parts, "\x00")
}

// cursor returns an offset in the hits with a checksum of the query and the data: every replica with these data accepts it.
func (x *Index) cursor(p *parsed, offset int) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 10), x.cursorSum(p))
	b = binary.BigEndian.AppendUint16(b, uint16(offset))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parse checks a query against the data and takes it apart, into p.
func (x *Index) parse(p *parsed, q Query) error {
	if err := q.parse(p, &x.vocabulary); err != nil {
		return err
	}
	return x.readCursor(p, q.Cursor)
}

// readCursor sets the offset of a query to that of a cursor.
func (x *Index) readCursor(p *parsed, cursor string) error {
	if cursor == "" {
		return nil
	}
	invalid := problem.New(problem.CursorInvalid)
	if len(cursor) != base64.RawURLEncoding.EncodedLen(10) {
		return invalid
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder skips line breaks, so a cursor of the right length may decode to fewer bytes.
	if err != nil || len(b) != 10 || binary.BigEndian.Uint64(b) != x.cursorSum(p) {
		return invalid
	}
	p.offset = int(binary.BigEndian.Uint16(b[8:]))
	if p.offset <= 0 || p.offset >= MaxDepth {
		return invalid
	}
	return nil
}
