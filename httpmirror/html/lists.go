package html

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/paging"
)

// A group is a run of entries under a heading; a list without headings is one group.
type group struct {
	Label, Path string
	Count       int
	Entries     []*catalog.Entry
}

// ungrouped returns entries as one list.
func ungrouped(entries []*catalog.Entry) []group {
	return []group{{Count: len(entries), Entries: entries}}
}

// groups returns entries by category.
func (p *Pages) groups(entries []*catalog.Entry) []group {
	var groups []group
	for len(entries) > 0 {
		k, _ := p.cat.Category(entries[0].Category) // the catalog has no entries without one
		n := slices.IndexFunc(entries, func(e *catalog.Entry) bool { return e.Category != k.ID })
		if n < 0 {
			n = len(entries)
		}
		groups = append(groups, group{Label: k.Label, Path: catalog.CategoryPath(k.ID), Count: n, Entries: entries[:n]})
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
