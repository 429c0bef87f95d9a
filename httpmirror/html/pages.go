// Package html renders the records of a catalog as pages for people.
//
// The markup is in templates/; the Go files beside it say what each page shows.
package html

import (
	"bytes"
	"fmt"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// A Link is an address with its label.
type Link = metadata.Crumb

// A Page is what one page shows. Those who render pages set the path and the alternates of what a method of Pages
// returns.
type Page struct {
	Path        string
	Title       string
	Heading     string // the h1, when it is not the title
	Lede        string // the paragraph below it
	Description string
	Crumbs      []Link   // the way from the home page, which is not among them, to the page, which is not either
	Facts       []string // short statements below the heading
	Alternates  []Alternate
	Verified    phrase.Span // when the data were verified
	Previous    string      // path of the page before this one in a paged list
	Next        string
	Article     bool  // for Open Graph
	LD          []any // schema.org descriptions besides the breadcrumb
	Home        bool

	content content
}

// An Alternate is another form of a page.
type Alternate struct{ Label, Type, Path string }

// content writes what only this page has.
type content func(*markup) error

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

var markups = sync.Pool{New: func() any { return new(markup) }}

// Write writes a page to b: the frame, and in it the content.
func (p *Pages) Write(b *bytes.Buffer, pg Page) error {
	m := markups.Get().(*markup)
	defer markups.Put(m)
	m.buf = m.buf[:0]
	if err := p.top(m, pg); err != nil {
		return err
	}
	if err := pg.content(m); err != nil {
		return fmt.Errorf("render %s: %w", pg.Path, err)
	}
	p.bottom(m, pg)
	b.Write(m.buf)
	return nil
}
