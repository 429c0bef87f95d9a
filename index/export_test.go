package index

import "almanac/catalog"

// AllPassages returns every passage that a search over a catalog can return.
func AllPassages(c *catalog.Catalog) []Passage {
	var list []Passage
	for _, s := range sources(c) {
		if s.entry != nil {
			list = append(list, entryPassage(c.Site(), s.entry))
		}
		list = append(list, s.passages...)
	}
	return list
}
