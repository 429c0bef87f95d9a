package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
)

// kinds returns the kinds of documents that an installation publishes, in the order of the navigation and of the OpenAPI document.
func kinds(c *catalog.Catalog, o Options) []*kind {
	var list []*kind
	for _, section := range [][]*kind{libraryKinds(), findKinds(), protocolKinds(), changeKinds(), historyKinds(), feedKinds(c), textKinds(c), serviceKinds(), supportKinds(c), discoveryKinds(c, o)} {
		list = append(list, section...)
	}
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
