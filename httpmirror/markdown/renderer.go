// Package markdown renders the records of a catalog as Markdown files, and the Markdown of the curated texts as HTML.
//
// The files are made to be read anywhere: every link in them is absolute.
package markdown

import (
	"almanac/catalog"
)

// A Renderer renders the documents of a catalog. It is safe for concurrent use.
type Renderer struct {
	cat    *catalog.Catalog
	site   catalog.Site
	absent []string // paths that this installation does not publish
}

// New returns a renderer. Links of the curated texts to absent paths become plain words.
func New(c *catalog.Catalog, absent []string) *Renderer {
	return &Renderer{cat: c, site: c.Site(), absent: absent}
}

// url returns the address of a path as a link whose text is the address.
func (r *Renderer) url(path string) string { return Address(r.site.URL(path)) }

// link returns a link to a path.
func (r *Renderer) link(text, path string) string { return Link(text, r.site.URL(path)) }

// title writes the beginning of a document: its title, a summary, and where its other forms are.
func (r *Renderer) title(w *Writer, title, summary, htmlPath, jsonPath string) {
	w.Printf("# %s\n\n%s\n\n", Text(title), Text(summary))
	w.Item("JSON", r.url(jsonPath))
	w.Item("HTML", r.url(htmlPath))
}
