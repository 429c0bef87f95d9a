package html

import (
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
	"almanac/httpmirror/related"
)

// Entry returns the page of a library entry.
func (p *Pages) Entry(e related.Entry) Page {
	return Page{
		Title:       e.Title,
		Lede:        e.Summary,
		Description: e.Summary,
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}, {Label: e.Category.Label, Path: catalog.CategoryPath(e.Category.ID)}},
		Facts:       []string{e.Type + " by " + e.Publisher},
		Verified:    phrase.OneDay(e.VerifiedAt),
		content: func(m *markup) error {
			m.raw(`<p class="go">`)
			m.outward(e.URL, e.URL)
			m.raw("</p>\n<div class=\"pair\">\n")
			record(m, e.Entry, e.Category)
			provenance(m, e.Entry)
			m.raw("</div>\n")
			mentions(m, e)
			nearest(m, e.Nearest)
			return nil
		},
	}
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

// mentions writes where else in the catalogue an entry appears: the protocols whose tags it carries, and the articles that
// rest on it.
func mentions(m *markup, e related.Entry) {
	if len(e.Protocols)+len(e.Articles) == 0 {
		return
	}
	m.raw("<section>\n<h2>In this catalogue</h2>\n<ul class=\"cols plain\">\n")
	item := func(path, words string, what literal) {
		m.raw("<li>")
		m.anchor(path, words)
		m.raw(` <small class="soft">`)
		m.raw(what)
		m.raw("</small></li>\n")
	}
	for _, pr := range e.Protocols {
		item(catalog.ProtocolPath(pr.ID), pr.Name, "protocol facts")
	}
	for _, a := range e.Articles {
		item(catalog.ArticlePath(a.ID), a.Title, "article that cites this source")
	}
	m.raw("</ul>\n</section>\n")
}

// nearest writes the entries that share tags with an entry.
func nearest(m *markup, entries []*catalog.Entry) {
	if len(entries) == 0 {
		return
	}
	m.raw("<section>\n<h2>Related by tag</h2>\n<ul class=\"cols plain\">\n")
	for _, o := range entries {
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
