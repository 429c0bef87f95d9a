package html

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// fullTitle is the title as a browser shows it.
func (pg Page) fullTitle() string {
	if pg.Home {
		return metadata.SiteName + ": " + pg.Title
	}
	return pg.Title + " · " + metadata.SiteName
}

// trail returns the way from the home page to the page.
func (pg Page) trail() []Link {
	trail := []Link{{Label: metadata.SiteName, Path: catalog.HomePath}}
	return append(append(trail, pg.Crumbs...), Link{Label: pg.Title, Path: pg.Path})
}

// within reports whether the page belongs to a section of the navigation.
func (pg Page) within(section string) bool {
	return strings.HasPrefix(pg.Path, section) || section == catalog.LibraryPath && strings.HasPrefix(pg.Path, catalog.TagsPath)
}

// top writes everything above what is particular to the page.
func (p *Pages) top(m *markup, pg Page) error {
	m.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n")
	p.head(m, pg)
	if err := p.dataBlocks(m, pg); err != nil {
		return err
	}
	m.raw("</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"mast\">\n" +
		"<a class=\"mark\" href=\"/\">almanac</a>\n<nav aria-label=\"Sections\">\n<ul>\n")
	for _, s := range p.o.Sections {
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
func (p *Pages) head(m *markup, pg Page) {
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
	for _, t := range pg.Alternates {
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
	attribute(`<link rel="icon" type="image/svg+xml" href="`, iconAddress)
	attribute(`<link rel="stylesheet" href="`, styleAddress)
	m.raw(`<script src="`)
	m.link(scriptAddress)
	m.raw("\" defer></script>\n")
}

// dataBlocks writes the JSON-LD of the page. encoding/json escapes <, > and &, so no text in it
// can end the element.
func (p *Pages) dataBlocks(m *markup, pg Page) error {
	blocks := pg.LD
	if !pg.Home {
		blocks = append(blocks, metadata.BreadcrumbLD(p.site, pg.trail()))
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

// headline writes the breadcrumb, the heading and the statements below it.
func headline(m *markup, pg Page) {
	m.raw("<header class=\"head\">\n")
	if len(pg.Crumbs) > 0 {
		m.raw(`<nav class="crumbs" aria-label="Breadcrumb"><ol>`)
		trail := pg.trail()
		for _, c := range trail[:len(trail)-1] {
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

// facts writes the line of short statements, and where the other forms of the page are.
func facts(m *markup, pg Page) {
	m.raw("<ul class=\"facts\">\n")
	for _, f := range pg.Facts {
		m.raw("<li>")
		m.text(f)
		m.raw("</li>\n")
	}
	if pg.Verified != (phrase.Span{}) {
		m.raw("<li>Data verified ")
		m.text(pg.Verified.String())
		m.raw("</li>\n")
	}
	also := literal("<li>Also as ")
	for i, t := range pg.Alternates {
		m.raw(also)
		m.raw(`<a href="`)
		m.link(t.Path)
		m.raw(`" type="`)
		m.text(t.Type)
		m.raw(`">`)
		m.text(t.Label)
		m.raw("</a>")
		if also = ", "; i == len(pg.Alternates)-1 {
			m.raw("</li>\n")
		}
	}
	m.raw("</ul>\n")
}

// bottom writes everything below what is particular to the page.
func (p *Pages) bottom(m *markup, pg Page) {
	m.raw("\n</main>\n<footer class=\"foot\">\n<ul>\n")
	for _, c := range [...]Link{
		{Label: "Tags", Path: catalog.TagsPath}, {Label: "Link checker", Path: catalog.BotPath}, {Label: "llms.txt", Path: catalog.LLMsPath}, {Label: "OpenAPI", Path: catalog.OpenAPIPath},
		{Label: "Atom feed", Path: catalog.AtomPath}, {Label: "Library as CSV", Path: catalog.LibraryCSVPath}, {Label: "All files", Path: catalog.ManifestPath},
	} {
		m.raw("<li>")
		m.anchor(c.Path, c.Label)
		m.raw("</li>\n")
	}
	m.raw("</ul>\n<p>")
	if pg.Verified != (phrase.Span{}) {
		m.raw("Data verified ")
		m.text(pg.Verified.String())
		m.raw(". ")
	}
	m.raw("Generated at ")
	m.time(p.cat.GeneratedAt())
	m.raw(`. Links and summaries are offered under <a href="https://creativecommons.org/publicdomain/zero/1.0/">CC0 1.0</a>; ` +
		"the linked content belongs to its publishers.</p>\n</footer>\n</body>\n</html>\n")
}
