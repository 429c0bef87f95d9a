package index

import "almanac/catalog"

// AllPassages returns every passage that a search over a catalog can return.
func AllPassages(c *catalog.Catalog) []Passage {
	var list []Passage
	for _, r := range newRecords(c) {
		if r.entry != nil {
			list = append(list, entryPassage(c.Site(), r.entry))
		} else {
			list = append(list, r.other.passages...)
		}
	}
	return list
}
