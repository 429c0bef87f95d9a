package html

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
)

// rows keeps each entry as it stands in lists, since half a dozen pages show it.
type rows struct {
	mu      sync.Mutex
	entries map[*catalog.Entry]template.HTML
}

func (r *rows) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = nil
}

// row returns an entry as an item of a list.
func (r *rows) row(e *catalog.Entry) template.HTML {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.locked(e)
}

func (r *rows) locked(e *catalog.Entry) template.HTML {
	if html, ok := r.entries[e]; ok {
		return html
	}
	if r.entries == nil {
		r.entries = make(map[*catalog.Entry]template.HTML)
	}
	var m markup
	row(&m, e)
	html := template.HTML(m.buf)
	r.entries[e] = html
	return html
}

// join returns the rows of entries as one piece, which a template writes as it is: one by one they would take it longer
// than rendering them took.
func (r *rows) join(entries []*catalog.Entry) template.HTML {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := 0
	for _, e := range entries {
		size += len(r.locked(e))
	}
	var b strings.Builder
	b.Grow(size)
	for _, e := range entries {
		b.WriteString(string(r.entries[e]))
	}
	return template.HTML(b.String())
}

// row writes an entry as an item of a list.
func row(m *markup, e *catalog.Entry) {
	m.raw(`<li class="e">`)
	if d := e.Published(); d != "" {
		m.time(string(d))
	} else {
		m.raw(`<span class="d">undated</span>`)
	}
	m.raw(`<span class="t">`)
	m.anchor(catalog.EntryPath(e.ID), e.Title)
	m.raw(`</span><span class="p">`)
	m.text(e.Publisher)
	m.raw(` · `)
	m.outward(e.URL, phrase.Host(e.URL))
	m.raw(`</span><span class="s">`)
	m.text(e.Summary)
	m.raw(`</span><span class="k">`)
	m.text(e.Type)
	if e.Featured {
		m.raw(", featured")
	}
	m.raw(`</span><span class="v">verified `)
	m.time(string(e.VerifiedAt))
	if e.HTTPStatus >= 400 {
		m.raw(` <b class="bad">answers `)
		m.text(strconv.Itoa(e.HTTPStatus))
		m.raw(`</b>`)
	}
	m.raw("</span></li>\n")
}

// A group is a run of rows under a heading; a list without headings is one group.
type group struct {
	Label, Path string
	Count       int
	Rows        template.HTML
}

// groups returns the rows of entries, grouped by category or all as one.
func (p *Pages) groups(entries []*catalog.Entry, byCategory bool) []group {
	if !byCategory {
		return []group{{Count: len(entries), Rows: p.rows.join(entries)}}
	}
	var groups []group
	for len(entries) > 0 {
		k, _ := p.cat.Category(entries[0].Category) // the catalog has no entries without one
		n := slices.IndexFunc(entries, func(e *catalog.Entry) bool { return e.Category != k.ID })
		if n < 0 {
			n = len(entries)
		}
		groups = append(groups, group{Label: k.Label, Path: catalog.CategoryPath(k.ID), Count: n, Rows: p.rows.join(entries[:n])})
		entries = entries[n:]
	}
	return groups
}

// A pager leads to the other pages of a list.
type pager struct {
	paging.Part
	Links []pageLink // none when the list has only one page
}

// A pageLink leads to one page of a paged list.
type pageLink struct {
	Number  int
	Path    string
	Current bool
}

// linksAround is how many pages before and after the current one are linked by number.
const linksAround = 3

// paged makes pg the page of a part of a list, with the links to the others.
func paged(pg *Page, part paging.Part, path func(id string) string) pager {
	pg.Title = part.Title(pg.Title)
	if id := part.Previous(); id != "" {
		pg.Previous = path(id)
	}
	if id := part.Next(); id != "" {
		pg.Next = path(id)
	}
	l := pager{Part: part}
	for n := 1; part.Count > 1 && n <= part.Count; n++ {
		if n == 1 || n == part.Count || n >= part.Number-linksAround && n <= part.Number+linksAround {
			l.Links = append(l.Links, pageLink{n, path(part.ID(n)), n == part.Number})
		}
	}
	return l
}
