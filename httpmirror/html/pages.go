package html

import (
	"cmp"

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
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	o        Options
}

// New returns a renderer of pages.
func New(c *catalog.Catalog, o Options) *Pages {
	return &Pages{cat: c, site: c.Site(), identity: c.Identity(), o: o}
}

// fullTitle returns the title of a page as a browser shows it.
func (p *Pages) fullTitle(pg Page) string {
	if pg.Home {
		return p.identity.Name + ": " + pg.Title
	}
	return pg.Title + " · " + p.identity.Name
}

// trail returns the way from the home page to a page, both included.
func (p *Pages) trail(pg Page) []Link {
	trail := []Link{{Label: p.identity.Name, Path: catalog.HomePath}}
	return append(append(trail, pg.Crumbs...), Link{Label: pg.Title, Path: pg.Path})
}

// reportURL returns where an error of a page is reported: at the address that the installation names, or where it says who answers for
// its data.
func (p *Pages) reportURL(pg Page) string {
	return cmp.Or(p.identity.ReportURL(pg.Title, p.site.URL(pg.Path)), catalog.TrustPath+"#contact")
}

// dataBlocks returns the schema.org descriptions of a page.
func (p *Pages) dataBlocks(pg Page) []any {
	if pg.Home {
		return pg.LD
	}
	return append(pg.LD, metadata.BreadcrumbLD(p.site, p.trail(pg)))
}
