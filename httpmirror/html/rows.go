package html

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/paging"
)

// rows keeps each entry as it stands in lists, since half a dozen pages show it.
type rows struct {
	mu      sync.Mutex
	entries map[*catalog.Entry]string
}

func (r *rows) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = nil
}

// of returns the rows of entries as one piece of markup.
func (r *rows) of(entries []*catalog.Entry) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = make(map[*catalog.Entry]string)
	}
	size := 0
	for _, e := range entries {
		if _, ok := r.entries[e]; !ok {
			var b strings.Builder
			if err := row(e).Render(context.Background(), &b); err != nil {
				return "", fmt.Errorf("render the row of %s: %w", e.ID, err)
			}
			r.entries[e] = b.String()
		}
		size += len(r.entries[e])
	}
	var b strings.Builder
	b.Grow(size)
	for _, e := range entries {
		b.WriteString(r.entries[e])
	}
	return b.String(), nil
}

// kindOf returns what an entry is, as its row shows it.
func kindOf(e *catalog.Entry) string {
	if e.Featured {
		return e.Type + ", featured"
	}
	return e.Type
}

// A group is a run of rows under a heading; a list without headings is one group.
type group struct {
	Label, Path string
	Count       int
	Rows        string // markup
}

// groups returns the rows of entries, grouped by category or all as one.
func (p *Pages) groups(entries []*catalog.Entry, byCategory bool) ([]group, error) {
	if !byCategory {
		rows, err := p.rows.of(entries)
		return []group{{Count: len(entries), Rows: rows}}, err
	}
	var groups []group
	for len(entries) > 0 {
		k, _ := p.cat.Category(entries[0].Category) // the catalog has no entries without one
		n := slices.IndexFunc(entries, func(e *catalog.Entry) bool { return e.Category != k.ID })
		if n < 0 {
			n = len(entries)
		}
		rows, err := p.rows.of(entries[:n])
		if err != nil {
			return nil, err
		}
		groups = append(groups, group{Label: k.Label, Path: catalog.CategoryPath(k.ID), Count: n, Rows: rows})
		entries = entries[n:]
	}
	return groups, nil
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
