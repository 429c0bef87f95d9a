package index

import "almanac/catalog"

// AllPassages returns every passage that a search over a catalog can return.
func AllPassages(c *catalog.Catalog) []Passage {
	a, err := analyzerOf(nil)
	if err != nil {
		panic(err)
	}
	var list []Passage
	for _, r := range newRecords(c, a) {
		list = append(list, r.passages...)
	}
	return list
}
