package index

import (
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/nearest"
	"go.almanac.example/internal/problem"
)

// The facets: the members of a record by whose values it is filtered.
const (
	facetCategory = iota
	facetTag
	facetType
	facetKind
	facetCount
)

// facetNames are the names of the facets, as filters and parameters have them.
var facetNames = []string{facetCategory: "category", facetTag: "tag", facetType: "type", facetKind: "kind"}

// has reports whether the record has a value of a facet. Only library entries have a category and a type.
func (r *record) has(facet int, value string) bool {
	switch e := r.entry; {
	case facet == facetTag:
		return slices.Contains(r.tags, value)
	case facet == facetKind:
		return value == r.searchKind()
	case e == nil:
		return false
	case facet == facetCategory:
		return value == e.Category
	}
	return value == r.entry.Type
}

// accepts reports whether a record passes the filters of a query.
func (p *parsed) accepts(r *record) bool {
	for facet, values := range p.filters {
		has := func(value string) bool { return r.has(facet, value) }
		lacks := func(value string) bool { return !r.has(facet, value) }
		passes := len(values) == 0 || slices.ContainsFunc(values, has)
		if facet == facetTag && p.everyTag {
			passes = !slices.ContainsFunc(values, lacks)
		}
		if !passes || slices.ContainsFunc(p.without[facet], has) {
			return false
		}
	}
	return (p.verifiedSince == "" || r.verified() >= p.verifiedSince) && (p.from == "" || r.date >= p.from) &&
		(p.to == "" || r.date != "" && r.date <= p.to)
}

// A docSet is a set of documents, by their numbers.
type docSet []bool

// passing returns those of some documents that may be found: they are in every set that a query requires, in none that it
// excludes, and pass its filters.
func (x *Index) passing(list []found, p *parsed, pl *plan) []found {
	if p.among == nil && len(pl.required)+len(pl.excluded) == 0 && !p.isFiltered() { // as for most queries
		return list
	}
	return slices.DeleteFunc(list, func(f found) bool {
		return p.among != nil && !p.among[f.doc] || slices.ContainsFunc(pl.required, func(s docSet) bool { return !s[f.doc] }) ||
			slices.ContainsFunc(pl.excluded, func(s docSet) bool { return s[f.doc] }) || !p.accepts(&x.records[f.doc])
	})
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
	where := "Use one of " + strings.Join(words, ", ") + "."
	if facet == facetTag {
		where = catalog.TagsJSONPath + " lists the tags."
	}
	return problem.Errorf(code, "%s is not a %s%s. %s", strconv.Quote(problem.Shorten(value, maxEchoed)),
		facetNames[facet], nearest.DidYouMean(value, words, 1), where)
}
