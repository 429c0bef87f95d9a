package html

import (
	"strings"

	"github.com/a-h/templ"

	"almanac/catalog"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// A Link is an address with its label.
type Link = metadata.Crumb

// A Page is what one page shows. The methods of Pages leave the path, the day and the alternates to their
// callers.
type Page struct {
	Path        string
	Title       string
	Heading     string // the h1, when it is not the title
	Lede        string // the paragraph below it
	Description string
	Crumbs      []Link   // the way from the home page, which is not among them, to the page, which is not either
	Facts       []string // short statements below the heading
	Alternates  []Alternate
	Verified    phrase.Span  // when the data were verified
	Day         catalog.Date // newest day of what the page shows; "": of the catalogue
	History     string       // path of the history of what the page shows; "": it has none
	Evidence    string       // path of what was read for it; "": it has none
	Previous    string       // path of the page before this one in a paged list
	Next        string
	Article     bool  // for Open Graph
	LD          []any // schema.org descriptions besides the breadcrumb
	Home        bool
	NoIndex     bool // search engines leave it out
	Search      bool // the page has the search box in its content

	content templ.Component // what only this page has
}

// An Alternate is another form of a page.
type Alternate struct{ Label, Type, Path string }

// openGraphType returns the type of the page in Open Graph (ogp.me).
func (pg Page) openGraphType() string {
	if pg.Article {
		return "article"
	}
	return "website"
}

// current returns the value of aria-current for a section of the navigation: whether it is the page, or the page belongs to
// it, or "".
func (pg Page) current(section string) string {
	switch {
	case pg.Path == section:
		return "page"
	case strings.HasPrefix(pg.Path, section), section == catalog.LibraryPath && strings.HasPrefix(pg.Path, catalog.TagsPath):
		return "true"
	}
	return ""
}
