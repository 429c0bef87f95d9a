// Package metadata renders the files by which programs find and describe the others: schema.org data blocks, DCAT,
// Croissant, OpenAPI, feeds, the sitemap, llms.txt and the well-known addresses.
package metadata

import (
	"almanac/catalog"
)

// Options are what the files say besides the catalog.
type Options struct {
	Version string // of the program
	Contact string // URI for security reports (RFC 9116); "" for none
}

// A Renderer renders the files about a catalog. It is safe for concurrent use.
type Renderer struct {
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	o        Options
}

// New returns a renderer.
func New(c *catalog.Catalog, o Options) *Renderer {
	return &Renderer{cat: c, site: c.Site(), identity: c.Identity(), o: o}
}
