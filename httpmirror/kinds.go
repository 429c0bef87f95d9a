package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
)

// The declared kinds, in the order of the navigation and of the OpenAPI document. The data files of the datasets stand between the two.
var (
	contentKinds = slices.Concat(libraryKinds(), findKinds(), protocolKinds(), changeKinds(), historyKinds(), feedKinds(), textKinds())
	siteKinds    = slices.Concat(serviceKinds(), supportKinds(), discoveryKinds())
)

// kinds returns the kinds of documents that an installation publishes.
func kinds(c *catalog.Catalog, o Options) []*kind {
	list := slices.DeleteFunc(slices.Concat(contentKinds, dataFileKinds(c), siteKinds), func(k *kind) bool { return k.only != nil && !k.only(c, o) })
	if parts := metadata.SitemapParts(countPages(c, list)); parts > 1 {
		list = append(list, sitemapPartKind(parts))
	}
	return list
}

// countPages returns the number of pages of some kinds.
func countPages(c *catalog.Catalog, kinds []*kind) int {
	n := 0
	for _, k := range kinds {
		if _, ok := k.form(file.HTML); ok {
			n += len(k.list(c))
		}
	}
	return n
}
