package httpmirror

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
)

// rowsOfEntries renders each entry once, as it stands in every list that shows it.
func (p *pages) rowsOfEntries() error {
	entries := p.cat.Entries()
	p.rows = make(map[*catalog.Entry]template.HTML, len(entries))
	var m markup
	for _, e := range entries {
		m.buf = m.buf[:0]
		row(&m, e)
		p.rows[e] = template.HTML(m.buf)
	}
	return nil
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
	m.outward(e.URL, hostOf(e.URL))
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

// A listPage is what the page of a category or a tag shows.
type listPage struct {
	Groups   []group
	Part     part
	Protocol *catalog.Protocol // whose tag this is, if any
}

// list renders entries over as many pages as they need. grouped sets a heading wherever the
// category changes.
func (p *pages) list(pg page, lp listPage, entries []*catalog.Entry, grouped bool) error {
	pg.Facts = []string{countOf(len(entries), "source", "sources")}
	for _, part := range paged(pg, entries) {
		part.page.Verified = verifiedSpan(part.Entries)
		lp.Part, lp.Groups = part, p.groups(part.Entries, grouped)
		if err := p.add("list", part.page, lp); err != nil {
			return err
		}
	}
	return nil
}

// groups gives the rows of entries, grouped by category or all as one.
func (p *pages) groups(entries []*catalog.Entry, grouped bool) []group {
	if !grouped {
		return []group{{Count: len(entries), Rows: p.joinRows(entries)}}
	}
	var groups []group
	for len(entries) > 0 {
		k, _ := p.cat.Category(entries[0].Category) // Load refuses entries without one
		n := slices.IndexFunc(entries, func(e *catalog.Entry) bool { return e.Category != k.ID })
		if n < 0 {
			n = len(entries)
		}
		groups = append(groups, group{Label: k.Label, Path: catalog.CategoryPath(k.ID), Count: n, Rows: p.joinRows(entries[:n])})
		entries = entries[n:]
	}
	return groups
}

// joinRows gives the rows of entries as one piece, which a template writes as it is: one by one
// they would take it longer than rendering them took.
func (p *pages) joinRows(entries []*catalog.Entry) template.HTML {
	size := 0
	for _, e := range entries {
		size += len(p.rows[e])
	}
	var rows strings.Builder
	rows.Grow(size)
	for _, e := range entries {
		rows.WriteString(string(p.rows[e]))
	}
	return template.HTML(rows.String())
}

// library renders the page of the whole library and the page of each category.
func (p *pages) library() error {
	err := p.add("library", page{
		Title:       "Library",
		Description: countOf(len(p.cat.Entries()), "source", "sources") + " about payment protocols for machines and protocols for agents, each read, summarised and dated.",
		Lede:        "Primary sources on how machines pay and how agents work together. Each was read, summarised in our own words and dated; the link leads to its publisher.",
		Path:        catalog.LibraryPath,
		Facts:       []string{countOf(len(p.cat.Entries()), "source", "sources"), countOf(len(p.cat.Categories()), "category", "categories")},
		Twins:       []twin{jsonTwin(catalog.LibraryJSONPath)},
		Verified:    verifiedSpan(p.cat.Entries()),
	}, p.shelves())
	if err != nil {
		return err
	}
	for _, k := range p.cat.Categories() {
		doc, ok := p.cat.CategoryList(k.ID)
		if !ok {
			return fmt.Errorf("category %s has no list", k.ID)
		}
		err := p.list(page{
			Title:       k.Label,
			Description: fmt.Sprintf("%s: %s, each read, summarised and dated.", k.Label, countOf(k.Count, "source", "sources")),
			Path:        catalog.CategoryPath(k.ID),
			Crumbs:      []crumb{{"Library", catalog.LibraryPath}},
			Twins:       []twin{jsonTwin(catalog.CategoryJSONPath(k.ID)), markdownTwin(catalog.CategoryMarkdownPath(k.ID))},
		}, listPage{}, doc.Entries, false)
		if err != nil {
			return err
		}
	}
	return nil
}

// A shelf is a category as the page of the library shows it.
type shelf struct {
	catalog.Category
	Path   string
	Newest []*catalog.Entry
}

// A libraryPage is what the page of the library shows: the shelves, and below them every title
// while they are few enough for one page.
type libraryPage struct {
	Shelves []shelf
	Total   int
	Titles  []*catalog.Entry // by title; nil when there are too many
}

const newestPerShelf = 3

func (p *pages) shelves() libraryPage {
	lp := libraryPage{Total: len(p.cat.Entries())}
	for _, k := range p.cat.Categories() {
		s := shelf{Category: k, Path: catalog.CategoryPath(k.ID)}
		if doc, ok := p.cat.CategoryList(k.ID); ok {
			s.Newest = doc.Entries[:min(newestPerShelf, len(doc.Entries))]
		}
		lp.Shelves = append(lp.Shelves, s)
	}
	if lp.Total <= perPage {
		lp.Titles = slices.SortedFunc(slices.Values(p.cat.Entries()), func(a, b *catalog.Entry) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), strings.Compare(a.ID, b.ID))
		})
	}
	return lp
}
