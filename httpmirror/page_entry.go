package httpmirror

import (
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// entries adds the page of each library entry.
func (p *pages) entries() error {
	list := p.cat.Entries()
	return file.Parallel(len(list), func(i int) error { return p.entry(list[i]) })
}

func (p *pages) entry(e *catalog.Entry) error {
	k, _ := p.cat.Category(e.Category) // Load refuses entries without one
	pg := page{
		Title:       e.Title,
		Lede:        e.Summary,
		Description: e.Summary,
		Path:        catalog.EntryPath(e.ID),
		Crumbs:      []crumb{{"Library", catalog.LibraryPath}, {k.Label, catalog.CategoryPath(k.ID)}},
		Facts:       []string{e.Type + " by " + e.Publisher},
		Twins:       []twin{jsonTwin(catalog.EntryJSONPath(e.ID))},
		Verified:    oneDay(e.VerifiedAt),
	}
	return p.put(pg, func(m *markup) error {
		m.raw(`<p class="go">`)
		m.outward(e.URL, e.URL)
		m.raw("</p>\n<div class=\"pair\">\n")
		record(m, e, k)
		provenance(m, e)
		m.raw("</div>\n")
		p.mentions(m, e)
		p.related(m, e)
		return nil
	})
}

// term begins an item of a definition list.
func term(m *markup, name literal) {
	m.raw("<dt>")
	m.raw(name)
	m.raw("</dt><dd>")
}

// record writes what an entry says of its source.
func record(m *markup, e *catalog.Entry, k catalog.Category) {
	m.raw("<section>\n<h2>Record</h2>\n<dl class=\"rec\">\n")
	term(m, "Publisher")
	m.text(e.Publisher)
	m.raw("</dd>\n")
	term(m, "Authors")
	if len(e.Authors) == 0 {
		m.none("none named")
	}
	m.text(strings.Join(e.Authors, ", "))
	m.raw("</dd>\n")
	term(m, "Published")
	if d := e.Published(); d != "" {
		m.time(string(d))
	} else {
		m.none("unknown")
	}
	m.raw("</dd>\n")
	term(m, "Type")
	m.text(e.Type)
	m.raw("</dd>\n")
	term(m, "Category")
	m.anchor(catalog.CategoryPath(k.ID), k.Label)
	if e.Featured {
		m.raw(", featured")
	}
	m.raw("</dd>\n")
	term(m, "Tags")
	m.raw(`<ul class="tags">`)
	for _, t := range e.Tags {
		m.raw("<li>")
		m.anchor(catalog.TagPath(t), t)
		m.raw("</li>")
	}
	m.raw("</ul></dd>\n")
	term(m, "Identifier")
	m.raw("<code>")
	m.text(e.ID)
	m.raw("</code></dd>\n</dl>\n</section>\n")
}

// provenance writes when an entry's source was read, and what became of its link.
func provenance(m *markup, e *catalog.Entry) {
	m.raw("<section>\n<h2>Provenance</h2>\n<dl class=\"rec\">\n")
	term(m, "Source read on")
	m.time(string(e.VerifiedAt))
	m.raw("</dd>\n")
	term(m, "Link last looked at")
	m.time(string(e.LastChecked))
	m.raw("</dd>\n")
	term(m, "HTTP status")
	if e.HTTPStatus == 0 {
		m.none("not yet checked over the network")
	} else {
		m.text(strconv.Itoa(e.HTTPStatus))
	}
	m.raw("</dd>\n")
	term(m, "Archived copy")
	if e.ArchiveURL == nil {
		m.none("none")
	} else {
		m.outward(*e.ArchiveURL, *e.ArchiveURL)
	}
	m.raw("</dd>\n</dl>\n</section>\n")
}

// mentions writes where else in the catalogue an entry matters: the protocols whose tags it
// carries, and the articles that rest on it.
func (p *pages) mentions(m *markup, e *catalog.Entry) {
	open := literal("<section>\n<h2>In this catalogue</h2>\n<ul class=\"cols plain\">\n")
	item := func(path, words string, what literal) {
		m.raw(open)
		open = ""
		m.raw("<li>")
		m.anchor(path, words)
		m.raw(` <small class="soft">`)
		m.raw(what)
		m.raw("</small></li>\n")
	}
	for _, t := range e.Tags {
		if pr, ok := p.cat.Protocol(t); ok {
			item(catalog.ProtocolPath(pr.ID), pr.Name, "protocol facts")
		}
	}
	for _, a := range p.cited[e.ID] {
		item(catalog.ArticlePath(a.ID), a.Title, "article that rests on this source")
	}
	if open == "" {
		m.raw("</ul>\n</section>\n")
	}
}

// related writes the entries nearest to an entry.
func (p *pages) related(m *markup, e *catalog.Entry) {
	near := p.near.of(e)
	if len(near) == 0 {
		return
	}
	m.raw("<section>\n<h2>Related by tag</h2>\n<ul class=\"cols plain\">\n")
	for _, o := range near {
		m.raw("<li>")
		m.anchor(catalog.EntryPath(o.ID), o.Title)
		m.raw(` <small class="soft">`)
		m.text(o.Publisher)
		m.raw(", ")
		m.text(o.Type)
		m.raw("</small></li>\n")
	}
	m.raw("</ul>\n</section>\n")
}
