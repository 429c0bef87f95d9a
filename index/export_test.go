package index

import (
	"go.almanac.example/catalog"
	"go.almanac.example/index/text"
)

// AllPassages returns every passage that a search over a catalog can return.
func AllPassages(c *catalog.Catalog) []Passage {
	a, err := text.NewAnalyzer(c.Lexicon())
	if err != nil {
		panic(err)
	}
	var list []Passage
	for _, r := range newRecords(c, a) {
		if !r.isPage() {
			list = append(list, r.passages...)
		}
	}
	return list
}

// NewEntries indexes library entries alone.
func NewEntries(entries []*catalog.Entry, o Options) (*Index, error) {
	list := make(recordList, len(entries))
	for i, e := range entries {
		list[i] = entryRecord(catalog.DefaultSite, "", e, nil)
	}
	list.sort()
	a, err := text.NewAnalyzer("series bolt")
	if err != nil {
		return nil, err
	}
	return newIndex(a, list, catalog.DefaultSite, o)
}
