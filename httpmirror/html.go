package httpmirror

import (
	"embed"
	"fmt"
	"html/template"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

//go:embed templates/*.html
var templateFiles embed.FS

// templates parses the templates of the pages that exist once. html/template escapes by context,
// so a record's text stays text wherever a page shows it.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("pages").Funcs(template.FuncMap{
		"host":  hostOf,
		"place": placeOf,
		"leaf":  leafOf,
		"count": countOf,
		"size":  sizeOf,
	}).ParseFS(templateFiles, "templates/*.html"))
})

// pages renders a catalog for people.
type pages struct {
	b       *builder
	cat     *catalog.Catalog
	site    catalog.Site
	rows    map[*catalog.Entry]template.HTML // each entry as it stands in lists
	cited   map[string][]*catalog.Article    // entry id -> the articles that rest on it
	near    *neighbours
	markups sync.Pool

	style, script, icon string // addresses of the static files
}

// htmlFiles adds every page, and the static files and pictures that the pages show.
func (b *builder) htmlFiles() error {
	p := &pages{
		b: b, cat: b.cat, site: b.site,
		cited:   make(map[string][]*catalog.Article),
		near:    newNeighbours(b.cat),
		markups: sync.Pool{New: func() any { return new(markup) }},
		style:   staticAddress("almanac.css"), script: staticAddress("almanac.js"), icon: staticAddress("icon.svg"),
	}
	for _, a := range p.cat.Articles() {
		for _, id := range a.Entries {
			p.cited[id] = append(p.cited[id], a)
		}
	}
	b.dayPage = p.quietDay
	for _, add := range []func() error{
		p.staticFiles, p.qrFiles, p.rowsOfEntries, p.home, p.library, p.tags, p.entries, p.protocols,
		p.changes, p.articles, p.datasets, p.support, p.trust, p.bot, p.links,
	} {
		if err := add(); err != nil {
			return err
		}
	}
	p.rows, p.cited, p.near = nil, nil, nil // quietDay outlives the rendering and needs none of them
	return nil
}

// A content writes what is particular to a page.
type content func(*markup) error

// filled is the content that the named template gives.
func filled(name string, data any) content {
	return func(m *markup) error { return templates().ExecuteTemplate(m, name, data) }
}

// add adds a page with the content of the named template.
func (p *pages) add(name string, pg page, data any) error { return p.put(pg, filled(name, data)) }

// put renders a page and adds it with the addresses of its twins.
func (p *pages) put(pg page, body content) error {
	m := p.markups.Get().(*markup)
	defer p.markups.Put(m)
	m.buf = m.buf[:0]
	if err := p.render(m, pg, body); err != nil {
		return err
	}
	var alternates []file.Alternate
	for _, t := range pg.Twins {
		if !t.Wider {
			alternates = append(alternates, file.Alternate{Type: t.Type, Path: t.Path})
		}
	}
	return p.b.add(pg.Path, file.HTML, m.buf, alternates...)
}

// render writes a page: the frame, and in it the content.
func (p *pages) render(m *markup, pg page, body content) error {
	if !pg.Home {
		pg.Crumbs = append([]crumb{{"almanac", catalog.HomePath}}, pg.Crumbs...)
	}
	if err := p.top(m, pg); err != nil {
		return err
	}
	if err := body(m); err != nil {
		return fmt.Errorf("render %s: %w", pg.Path, err)
	}
	p.bottom(m, pg)
	return nil
}
