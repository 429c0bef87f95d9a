package index

import (
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/nearest"
	"almanac/problem"
)

// A vocabulary holds the values that filters accept, by facet.
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
	return problem.Errorf(code, "%s is not a %s%s. %s", strconv.Quote(shorten(value)), facetNames[facet], nearest.DidYouMean(value, words, 1), where)
}
