package index

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// pageRecords returns the pages of the site, which only the free search finds.
func pageRecords(c *catalog.Catalog) (list []record) {
	for _, d := range c.Doors() {
		r := record{Record: find.Record{ID: d.ID, Kind: d.Kind, Title: d.Title, Line: d.Line, Path: d.Path, URL: c.Site().URL(d.Path)},
			labels: d.Names, passages: []Passage{{Kind: PassageSummary}}}
		r.names = slices.Compact(slices.Concat([]string{r.ID, r.slug(), d.Title}, strings.Split(d.Names, ", "), d.Asked))
		list = append(list, r)
	}
	return list
}

// PagePath returns the path of a page of the site that the free search finds, or "".
func PagePath(c *catalog.Catalog, id string) string {
	for _, d := range c.Doors() {
		if d.ID == id {
			return d.Path
		}
	}
	return ""
}
