package index

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/nearest"
	"go.almanac.example/internal/problem"
)

// The facets, in the order in which answers list them.
const (
	facetCategory = iota
	facetTag
	facetType
	facetKind
	facetCount
)

// facetNames are the names of the facets, as filters and parameters have them.
var facetNames = []string{facetCategory: "category", facetTag: "tag", facetType: "type", facetKind: "kind"}

// filters hold the values of each document, by numbers in the order in which answers list equally frequent ones.
type filters struct {
	values  []facetValue
	numbers [][]uint32 // by document
}

// A facetValue is a value of a facet.
type facetValue struct {
	facet int
	value string
}

// A docSet is a set of documents, by their numbers.
type docSet []bool

// newFilters returns the filters of documents.
func newFilters(docs recordList) filters {
	f := filters{numbers: make([][]uint32, len(docs))}
	ids := make(map[facetValue]uint32)
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
	for i, v := range f.values {
		ids[v] = uint32(i)
	}
	for doc := range docs {
		for facet, values := range docs[doc].facets() {
			for _, v := range values {
				f.numbers[doc] = append(f.numbers[doc], ids[facetValue{facet, v}])
			}
		}
	}
	return f
}

// having returns the documents that have one of several values of a facet.
func (f *filters) having(facet int, values []string) docSet {
	set := make(docSet, len(f.numbers))
	for doc, numbers := range f.numbers {
		set[doc] = slices.ContainsFunc(numbers, func(n uint32) bool {
			return f.values[n].facet == facet && slices.Contains(values, f.values[n].value)
		})
	}
	return set
}

// dayOf returns a date as a number that compares as the date does.
func dayOf(d catalog.Date) uint64 {
	n, _ := strconv.ParseUint(strings.ReplaceAll(string(d), "-", ""), 10, 32) // 0 of an unknown date
	return n
}

// addFacets adds the values of facets that a query requires and excludes.
func (x *Index) addFacets(pl *plan, p *parsed) {
	for facet := range facetCount {
		values := p.filters[facet]
		for facet == facetTag && p.everyTag && len(values) > 1 {
			pl.required = append(pl.required, x.filters.having(facet, values[:1]))
			values = values[1:]
		}
		if len(values) > 0 {
			pl.required = append(pl.required, x.filters.having(facet, values))
		}
		if values := p.without[facet]; len(values) > 0 {
			pl.excluded = append(pl.excluded, x.filters.having(facet, values))
		}
	}
}

// The reasons why the filters of a query accept or refuse a document.
const (
	refused = iota
	undated // refused only because the day of its publication is unknown
	accepted
)

// judge reports whether a document passes the filters of a query.
func (x *Index) judge(doc uint32, p *parsed, pl *plan) int {
	r := &x.records[doc]
	switch {
	case slices.ContainsFunc(pl.required, func(s docSet) bool { return !s[doc] }),
		slices.ContainsFunc(pl.excluded, func(s docSet) bool { return s[doc] }),
		p.verifiedSince != "" && r.verified() < p.verifiedSince:
		return refused
	case p.from == "" && p.to == "":
		return accepted
	case r.date == "":
		return undated
	case r.date < p.from || p.to != "" && r.date > p.to:
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
		facets[i] = make([]FacetCount, 0, maxFacets)
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
