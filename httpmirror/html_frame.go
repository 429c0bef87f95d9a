package httpmirror

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/catalog"
)

// A page is what the frame around every page needs.
type page struct {
	Title       string
	Heading     string // the h1, when it is not the title
	Lede        string // the paragraph below it
	Description string
	Path        string
	Crumbs      []crumb  // from the home page down, without the page itself
	Facts       []string // short statements below the heading
	Twins       []twin
	Verified    span   // when the data were verified
	Previous    string // path of the page before this one in a paged list
	Next        string
	Article     bool  // for Open Graph
	LD          []any // JSON-LD, the breadcrumb apart
	Home        bool
}

// A crumb is a step of the way from the home page.
type crumb struct{ Label, Path string }

// A twin is the content of a page in another form.
type twin struct {
	Label, Type, Path string
	Wider             bool // it holds more than the page, so it cannot stand for it
}

func jsonTwin(path string) twin     { return twin{"JSON", "application/json", path, false} }
func markdownTwin(path string) twin { return twin{"Markdown", "text/markdown", path, false} }

// fullTitle is the title as a browser shows it.
func (pg page) fullTitle() string {
	if pg.Home {
		return "almanac: " + pg.Title
	}
	return pg.Title + " · almanac"
}

// sections are the items of the navigation.
var sections = [...]crumb{
	{"Library", catalog.LibraryPath}, {"Protocols", catalog.ProtocolsPath}, {"Changes", catalog.ChangesIndexPath},
	{"Articles", catalog.ArticlesPath}, {"Datasets", catalog.DatasetsPath}, {"Trust", catalog.TrustPath}, {"Support", catalog.SupportPath},
}

// within tells whether the page belongs to a section of the navigation.
func (pg page) within(section string) bool {
	return strings.HasPrefix(pg.Path, section) || section == catalog.LibraryPath && strings.HasPrefix(pg.Path, catalog.TagsPath)
}

// top writes everything above what is particular to the page.
func (p *pages) top(m *markup, pg page) error {
	m.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n")
	p.head(m, pg)
	if err := p.dataBlocks(m, pg); err != nil {
		return err
	}
	m.raw("</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"mast\">\n" +
		"<a class=\"mark\" href=\"/\">almanac</a>\n<nav aria-label=\"Sections\">\n<ul>\n")
	for _, s := range sections {
		m.raw(`<li><a href="`)
		m.link(s.Path)
		switch {
		case pg.Path == s.Path:
			m.raw(`" aria-current="page">`)
		case pg.within(s.Path):
			m.raw(`" aria-current="true">`)
		default:
			m.raw(`">`)
		}
		m.text(s.Label)
		m.raw("</a></li>\n")
	}
	m.raw("</ul>\n</nav>\n</header>\n<main id=\"main\">\n")
	headline(m, pg)
	return nil
}

// head writes the elements of the head but the data blocks.
func (p *pages) head(m *markup, pg page) {
	m.raw("<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
	m.text(pg.fullTitle())
	m.raw("</title>\n")
	attribute := func(open literal, value string) {
		if value != "" {
			m.raw(open)
			m.text(value)
			m.raw("\">\n")
		}
	}
	url := p.site.URL(pg.Path)
	attribute(`<meta name="description" content="`, pg.Description)
	attribute(`<link rel="canonical" href="`, url)
	attribute(`<link rel="prev" href="`, pg.Previous)
	attribute(`<link rel="next" href="`, pg.Next)
	for _, t := range pg.Twins {
		if t.Wider {
			continue
		}
		m.raw(`<link rel="alternate" type="`)
		m.text(t.Type)
		m.raw(`" href="`)
		m.link(t.Path)
		attribute(`" title="`, t.Label)
	}
	kind := "website"
	if pg.Article {
		kind = "article"
	}
	attribute(`<meta property="og:type" content="`, kind)
	m.raw("<meta property=\"og:site_name\" content=\"almanac\">\n")
	attribute(`<meta property="og:title" content="`, pg.Title)
	attribute(`<meta property="og:description" content="`, pg.Description)
	attribute(`<meta property="og:url" content="`, url)
	attribute(`<link rel="icon" type="image/svg+xml" href="`, p.icon)
	attribute(`<link rel="stylesheet" href="`, p.style)
	m.raw(`<script src="`)
	m.link(p.script)
	m.raw("\" defer></script>\n")
}

// dataBlocks writes the JSON-LD of the page. encoding/json escapes <, > and &, so no text in it
// can end the element.
func (p *pages) dataBlocks(m *markup, pg page) error {
	blocks := pg.LD
	if !pg.Home {
		blocks = append(blocks, breadcrumbLD(p.site, pg))
	}
	for _, block := range blocks {
		data, err := json.Marshal(block)
		if err != nil {
			return fmt.Errorf("describe %s: %w", pg.Path, err)
		}
		m.raw(`<script type="application/ld+json">`)
		m.raw(literal(data))
		m.raw("</script>\n")
	}
	return nil
}

// headline writes where the page is, what it is called, and what is to be known about it.
func headline(m *markup, pg page) {
	m.raw("<header class=\"head\">\n")
	if len(pg.Crumbs) > 1 {
		m.raw(`<nav class="crumbs" aria-label="Breadcrumb"><ol>`)
		for _, c := range pg.Crumbs {
			m.raw("<li>")
			m.anchor(c.Path, c.Label)
			m.raw("</li>")
		}
		m.raw("</ol></nav>\n")
	}
	m.raw("<h1>")
	if pg.Heading != "" {
		m.text(pg.Heading)
	} else {
		m.text(pg.Title)
	}
	m.raw("</h1>\n")
	if pg.Lede != "" {
		m.raw(`<p class="lede">`)
		m.text(pg.Lede)
		m.raw("</p>\n")
	}
	facts(m, pg)
	m.raw("</header>\n")
}

// facts writes the line of short statements, and where the page's twins are.
func facts(m *markup, pg page) {
	m.raw("<ul class=\"facts\">\n")
	for _, f := range pg.Facts {
		m.raw("<li>")
		m.text(f)
		m.raw("</li>\n")
	}
	if pg.Verified != (span{}) {
		m.raw("<li>Data verified ")
		m.text(pg.Verified.String())
		m.raw("</li>\n")
	}
	also := literal("<li>Also as ")
	for i, t := range pg.Twins {
		m.raw(also)
		m.raw(`<a href="`)
		m.link(t.Path)
		m.raw(`" type="`)
		m.text(t.Type)
		m.raw(`">`)
		m.text(t.Label)
		m.raw("</a>")
		if also = ", "; i == len(pg.Twins)-1 {
			m.raw("</li>\n")
		}
	}
	m.raw("</ul>\n")
}

// bottom writes everything below what is particular to the page.
func (p *pages) bottom(m *markup, pg page) {
	m.raw("\n</main>\n<footer class=\"foot\">\n<ul>\n")
	for _, c := range [...]crumb{
		{"Tags", catalog.TagsPath}, {"Link checker", catalog.BotPath}, {"llms.txt", catalog.LLMsPath}, {"OpenAPI", catalog.OpenAPIPath},
		{"Atom feed", catalog.AtomPath}, {"Library as CSV", catalog.LibraryCSVPath}, {"All files", catalog.ManifestPath},
	} {
		m.raw("<li>")
		m.anchor(c.Path, c.Label)
		m.raw("</li>\n")
	}
	m.raw("</ul>\n<p>")
	if pg.Verified != (span{}) {
		m.raw("Data verified ")
		m.text(pg.Verified.String())
		m.raw(". ")
	}
	m.raw("Generated at ")
	m.time(p.cat.GeneratedAt())
	m.raw(`. Links and summaries are offered under <a href="https://creativecommons.org/publicdomain/zero/1.0/">CC0 1.0</a>; ` +
		"the linked content belongs to its publishers.</p>\n</footer>\n</body>\n</html>\n")
}
