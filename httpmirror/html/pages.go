package html

import (
	"almanac/catalog"
	"almanac/httpmirror/metadata"
)

// Options are what the pages show besides the catalog.
type Options struct {
	Sections []Link   // of the navigation
	Absent   []string // paths that this installation does not publish
}

// Pages renders the pages of a catalog. It is safe for concurrent use.
type Pages struct {
	cat  *catalog.Catalog
	site catalog.Site
	o    Options
	rows rows
}

// New returns a renderer of pages.
func New(c *catalog.Catalog, o Options) *Pages { return &Pages{cat: c, site: c.Site(), o: o} }

// Release frees what the renderer keeps between pages. It can still be used.
func (p *Pages) Release() { p.rows.release() }

// dataBlocks returns the schema.org descriptions of a page.
func (p *Pages) dataBlocks(pg Page) []any {
	if pg.Home {
		return pg.LD
	}
	return append(pg.LD, metadata.BreadcrumbLD(p.site, pg.trail()))
}
