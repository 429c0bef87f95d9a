package index

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/nearest"
	"almanac/problem"
)

// The facets, in the order in which answers list them.
const (
	facetCategory = iota
	facetTag
	facetType
	facetKind
	facetCount
)

// filters hold the values of each document, by numbers in the order in which answers list equally frequent ones.
type filters struct {
	values  []facetValue
	numbers [][]uint16 // by document
}

// A facetValue is a value of a facet.
type facetValue struct {
	facet int
	value string
}

// A set64 is a set of documents.
type set64 []uint64

func (s set64) has(doc uint32) bool { return s[doc>>6]>>(doc&63)&1 != 0 }
func (s set64) add(doc uint32)      { s[doc>>6] |= 1 << (doc & 63) }

// union returns the union of s and t as a new set.
func (s set64) union(t set64) set64 {
	u := slices.Clone(s)
	for i, bits := range t {
		u[i] |= bits
	}
	return u
}

// newFilters returns the filters of documents.
func newFilters(docs recordList) (filters, error) {
	f := filters{numbers: make([][]uint16, len(docs))}
	ids := make(map[facetValue]uint16)
	for doc := range docs {
		for facet, values := range docs[doc].facets() {
			for _, v := range values {
				ids[facetValue{facet, v}] = 0
			}
		}
	}
	f.values = slices.SortedFunc(maps.Keys(ids), func(a, b facetValue) int {
		return cmp.Or(cmp.Compare(a.facet, b.facet), cmp.Compare(a.value, b.value))
	})
	if len(f.values) > math.MaxUint16 {
		return f, fmt.Errorf("the documents have %d categories, tags and types; at most %d can be counted",
			len(f.values), math.MaxUint16)
	}
	for i, v := range f.values {
		ids[v] = uint16(i)
	}
	for doc := range docs {
		for facet, values := range docs[doc].facets() {
			for _, v := range values {
				f.numbers[doc] = append(f.numbers[doc], ids[facetValue{facet, v}])
			}
		}
	}
	return f, nil
}

// having returns the documents that have one of several values of a facet.
func (f *filters) having(facet int, values []string) set64 {
	set := make(set64, (len(f.numbers)+63)/64)
	for doc, numbers := range f.numbers {
		if slices.ContainsFunc(numbers, func(n uint16) bool {
			return f.values[n].facet == facet && slices.Contains(values, f.values[n].value)
		}) {
			set.add(uint32(doc))
		}
	}
	return set
}

// dayOf returns a date as a number that compares as the date does.
func dayOf(d catalog.Date) uint32 {
	if d == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(string(d), "-", ""), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// A filter is the requirements of a query besides its words.
type filter struct {
	sets                    []set64      // a document must be in all of them
	excluded                []set64      // and in none of these
	from, to, verifiedSince catalog.Date // "" when not required
}

func (f *filters) filter(q *parsed) filter {
	out := filter{from: q.from, to: q.to, verifiedSince: q.verifiedSince}
	for facet := range facetCount {
		if values := q.filters[facet]; len(values) > 0 {
			out.sets = append(out.sets, f.having(facet, values))
		}
		if values := q.without[facet]; len(values) > 0 {
			out.excluded = append(out.excluded, f.having(facet, values))
		}
	}
	return out
}

// The reasons why a filter accepts or refuses a document.
const (
	refused = iota
	undated // refused only because the day of its publication is unknown
	accepted
)

// judge reports whether a document passes the filter.
func (f *filter) judge(doc uint32, r *record) int {
	has := func(s set64) bool { return s.has(doc) }
	switch {
	case slices.ContainsFunc(f.sets, func(s set64) bool { return !s.has(doc) }), slices.ContainsFunc(f.excluded, has),
		f.verifiedSince != "" && r.verified() < f.verifiedSince:
		return refused
	case f.from == "" && f.to == "":
		return accepted
	case r.date == "":
		return undated
	case r.date < f.from || f.to != "" && r.date > f.to:
		return refused
	}
	return accepted
}

// Facets count the documents found by each value they have, the most frequent first.
type Facets struct {
	Category []FacetCount `json:"category"`
	Tag      []FacetCount `json:"tag"`
	Type     []FacetCount `json:"type"`
	Kind     []FacetCount `json:"kind"`
}

// A FacetCount is a value with the number of documents found that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// maxFacets bounds the values of one facet in an answer.
const maxFacets = 20

// count returns the values with their counts, by number, as facets.
func (f *filters) count(counts []uint32) Facets {
	var facets [facetCount][]FacetCount
	for i := range facets {
		facets[i] = []FacetCount{}
	}
	for i, v := range f.values {
		if counts[i] > 0 {
			facets[v.facet] = append(facets[v.facet], FacetCount{v.value, int(counts[i])})
		}
	}
	for i, list := range facets {
		slices.SortStableFunc(list, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
		facets[i] = list[:min(len(list), maxFacets)]
	}
	return Facets{Category: facets[facetCategory], Tag: facets[facetTag], Type: facets[facetType],
		Kind: facets[facetKind]}
}

// A vocabulary holds the values that filters accept, by facet.
type vocabulary [facetCount][]string

func newVocabulary(c *catalog.Catalog) (v vocabulary) {
	v[facetCategory] = c.CategoryIDs()
	for _, t := range c.Tags() {
		v[facetTag] = append(v[facetTag], t.ID)
	}
	v[facetType], v[facetKind] = c.Identity().EntryTypes(), Kinds
	return v
}

var facetNames = [facetCount]string{facetCategory: "category", facetTag: "tag", facetType: "type", facetKind: "kind"}

// check refuses a value that is not in the vocabulary. An empty vocabulary accepts any.
func (v *vocabulary) check(facet int, value string, code problem.Code) error {
	words := v[facet]
	if len(words) == 0 || slices.Contains(words, value) {
		return nil
	}
	where := "The " + facetNames[facet] + "s are " + strings.Join(words, ", ") + "."
	switch facet {
	case facetCategory:
		where = "The categories are " + strings.Join(words, ", ") + "."
	case facetTag:
		where = catalog.TagsJSONPath + " lists the tags."
	}
	return problem.Errorf(code, "%s is not a %s%s. %s", strconv.Quote(problem.Shorten(value, maxEchoed)),
		facetNames[facet], nearest.DidYouMean(value, words, 1), where)
}
