// Package html renders the records of a catalog as pages for people.
//
// A *.templ file has the markup of some pages and the types of their data; templ generates Go from it. The Go file
// beside it fills these types from the catalog. frame.templ is common to all pages. After a change of a *.templ file, run
// go generate.
package html

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
)

//go:generate go tool templ generate

// Render returns the bytes of a page.
func (p *Pages) Render(pg Page) ([]byte, error) {
	var b bytes.Buffer
	if err := frame(p, pg).Render(context.Background(), &b); err != nil {
		return nil, fmt.Errorf("render %s: %w", pg.Path, err)
	}
	return p.Rooted(b.Bytes()), nil
}

// ownAddress finds the attributes of a page with a path of the site. Texts and scripts have no quotation mark in it:
// those are escaped.
var ownAddress = regexp.MustCompile(`( (?:action|href|src|data-[a-z]+)=")/`)

// Rooted returns a page, or a drawing, with the path of the site's address before the paths of the site, which is all
// that templates write.
func (p *Pages) Rooted(page []byte) []byte {
	if catalog.Root(p.site.Base) == "" {
		return page
	}
	return ownAddress.ReplaceAll(page, []byte("${1}"+catalog.Root(p.site.Base)+"/"))
}

// A Link is an address with its label.
type Link = metadata.Crumb

// A Page is the data of one page. The methods of Pages leave the path, the day and the alternates to their
// callers.
type Page struct {
	Path        string
	Title       string
	Heading     string // the h1, when it is not the title
	Lede        string // the paragraph below it
	Description string
	Crumbs      []Link   // the way from the home page, which is not among them, to the page, which is not either
	Facts       []string // short statements below the heading
	Alternates  []file.Alternate
	Verified    phrase.Span      // when the data were verified
	Day         catalog.Date     // newest day of what the page shows; "": of the catalogue
	History     string           // path of the history of what the page shows; "": it has none
	Evidence    string           // path of what was read for it; "": it has none
	Work        catalog.Citation // of the source that the page is about; without an address, the page is cited
	Cited       bool             // the page says how to cite it, besides those with a history
	Source      string           // address of the source that the page follows; "": several
	Article     bool             // for Open Graph
	LD          []any            // schema.org descriptions besides the breadcrumb
	Home        bool
	Narrow      bool   // a column of text, without tables that need the width
	NoIndex     bool   // search engines leave it out
	Search      bool   // the page has the search box in its content
	Picture     string // path of its social picture; "" for none
	Style       string // address of a stylesheet that only this page has; "" for none
	Script      string // address of a script that only this page has; "" for none

	content templ.Component // what only this page has
}

// current returns the value of aria-current for a section of the navigation: whether it is the page, or the page
// belongs to it, or "".
func (pg Page) current(section string) string {
	switch {
	case pg.Path == section:
		return "page"
	case section == catalog.ProtocolsPath && strings.HasPrefix(pg.Path, catalog.ComparePath): // a section of its own
	case strings.HasPrefix(pg.Path, section), section == catalog.NewsPath && pg.Path == catalog.CalendarPath,
		section == catalog.LibraryPath && (strings.HasPrefix(pg.Path, catalog.TagsPath) || strings.HasPrefix(pg.Path, catalog.DatasetsPath)):
		return "true"
	}
	return ""
}

// Pages renders the pages of a catalog. It is safe for concurrent use.
type Pages struct {
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	sections []Link   // of the navigation
	absent   []string // paths that this installation does not publish
	icon     string   // address of the logo, or of the icon
	reports  bool     // the service takes reports of errors
}

// New returns a renderer of pages with the sections of the navigation. It leads to none of the absent paths, which this
// installation does not publish. With reports, pages have a form for errors.
func New(c *catalog.Catalog, sections []Link, absent []string, reports bool) *Pages {
	p := &Pages{cat: c, site: c.Site(), identity: c.Identity(), sections: sections, absent: absent, icon: iconAddress, reports: reports}
	if logo := p.identity.Logo; logo != "" {
		p.icon = versioned(LogoPath, []byte(logo))
	}
	return p
}

// isCited reports whether a page says how to cite it, and how to report an error of it.
func (pg Page) isCited() bool {
	return pg.Work.URL != "" || (pg.History != "" || pg.Cited) && pg.Verified.Last != ""
}

// has reports whether the site has a list or a document.
func (p *Pages) has(path string) bool { return !slices.Contains(p.absent, path) }

// trail returns the way from the home page to a page, both included.
func (p *Pages) trail(pg Page) []Link {
	trail := []Link{{Label: p.identity.Name, Path: catalog.HomePath}}
	return append(append(trail, pg.Crumbs...), Link{Label: pg.Title, Path: pg.Path})
}

// reportURL returns the address that takes errors of a page; "" if the installation names none.
func (p *Pages) reportURL(pg Page) string { return p.identity.ReportURL(pg.Title, p.site.URL(pg.Path)) }

// answers returns the questions that a record answers, each with the path of the passage that does.
func (p *Pages) answers(record string) []catalog.Link {
	list := index.Answers(p.cat, record)
	for i := range list {
		list[i].URL = strings.TrimPrefix(list[i].URL, p.site.Base)
	}
	return list
}

// errorReport returns the beginning of a report of an error on a page at an address.
func (pg Page) errorReport(address string) string {
	return fmt.Sprintf("An error on %s\n\nIt says: %s\nThe source says:\nAddress of the source, and the day I read it:", address, pg.Description)
}

// A citation is the reference to a page in the forms that texts and programs use.
type citation struct{ Link, Plain, BibTeX string }

// citation returns how a page about one record is cited: of an entry, its source; of another, the page, by the day of its newest reading.
func (p *Pages) citation(pg Page) citation {
	address, name, read, w := p.site.URL(pg.Path), p.identity.Name, pg.Verified.Last, pg.Work
	how := "summarised in " + name
	if w.Accessed = read; read != "" {
		how = "read in " + name + " on " + phrase.LongDay(read)
	}
	plain := fmt.Sprintf("%s: “%s”, %s, %s, %s, %s", strings.Join(w.Authors, ", "), w.Title, cmp.Or(string(w.Issued), "undated"), w.URL, how, address)
	if w.URL == "" {
		key := name + strings.ReplaceAll(strings.TrimRight(pg.Path, "/"), "/", "-")
		w = catalog.Citation{Key: key, Title: pg.Title, Publisher: name, URL: address, Authors: []string{name}, Issued: read, Accessed: read, Source: pg.Source}
		plain = strings.TrimSuffix(fmt.Sprintf("%s: “%s”, last read %s, %s. Source: %s", name, pg.Title, phrase.LongDay(read), address, pg.Source), ". Source: ")
	}
	return citation{Link: address, Plain: plain, BibTeX: strings.TrimSuffix(w.BibTeX(), "\n")}
}
