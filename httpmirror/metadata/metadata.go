// Package metadata renders the files by which programs find and describe the others: schema.org data blocks, DCAT,
// Croissant, OpenAPI, feeds, the sitemap, llms.txt and the well-known addresses.
package metadata

import (
	"fmt"

	"almanac/catalog"
)

// A Renderer renders the files about a catalog. It is safe for concurrent use.
type Renderer struct {
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	version  string // of the program
	contact  string
}

// New returns a renderer for a version of the program. contact is the URI for security reports (RFC 9116); "" is none.
func New(c *catalog.Catalog, version, contact string) *Renderer {
	return &Renderer{c, c.Site(), c.Identity(), version, contact}
}

// An IndexItem is a document of the index with its forms.
type IndexItem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Forms       []IndexForm `json:"forms"`
}

// An IndexForm is one form of a document.
type IndexForm struct {
	MediaType string `json:"media_type"`
	URL       string `json:"url"`
}

// maxSitemap is the most addresses that one sitemap may hold (sitemaps.org, "Protocol").
const maxSitemap = 50_000

// SitemapParts returns over how many sitemaps a number of pages is spread.
func SitemapParts(pages int) int { return max(1, (pages+maxSitemap-1)/maxSitemap) }

// Sitemap returns the list of the pages at paths for search engines, or, when there are more of them than one sitemap
// may hold, the index of several.
func (r *Renderer) Sitemap(paths []string) []byte {
	parts := SitemapParts(len(paths))
	if parts == 1 {
		return r.Document("urlset", paths)
	}
	index := make([]string, parts)
	for i := range index {
		index[i] = catalog.SitemapPartPath(fmt.Sprint(i + 1))
	}
	return r.Document("sitemapindex", index)
}

// SitemapPart returns one of several sitemaps, counted from 1.
func (r *Renderer) SitemapPart(paths []string, part int) []byte {
	return r.Document("urlset", paths[(part-1)*maxSitemap:min(part*maxSitemap, len(paths))])
}

// An LLMLine is a line of llms.txt: a link and its content.
type LLMLine struct{ Section, Label, Path, Text string }
