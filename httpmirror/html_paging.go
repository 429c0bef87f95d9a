package httpmirror

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// perPage is how many entries a list shows before it goes on to a second page. It keeps the
// pages of a library a hundred times as large loadable; the lists of today are shorter.
const perPage = 500

// A part is one page of a list of entries.
type part struct {
	page     page
	Entries  []*catalog.Entry
	From, To int        // the places of the entries in the whole list, from 1
	Links    []pageLink // to every page of the list; none when it is the only one
}

// A pageLink leads to one page of a paged list.
type pageLink struct {
	Number  int
	Path    string
	Current bool
}

// linksAround is how many pages before and after the current one are linked by number.
const linksAround = 3

// paged divides entries over pages. The first has the path of pg, the others a number below it.
func paged(pg page, entries []*catalog.Entry) []part {
	path := func(i int) string {
		if i == 0 {
			return pg.Path
		}
		return fmt.Sprintf("%s%d/", pg.Path, i+1)
	}
	count := max(1, (len(entries)+perPage-1)/perPage)
	parts := make([]part, count)
	for i := range parts {
		from, to := i*perPage, min((i+1)*perPage, len(entries))
		this := part{page: pg, Entries: entries[from:to], From: from + 1, To: to}
		this.page.Path = path(i)
		if i > 0 {
			this.page.Title = fmt.Sprintf("%s, page %d", pg.Title, i+1)
			this.page.Previous = path(i - 1)
			this.page.Twins = widerThan(pg.Twins)
		}
		if i < count-1 {
			this.page.Next = path(i + 1)
		}
		for j := range count {
			if count > 1 && (j == 0 || j == count-1 || (j >= i-linksAround && j <= i+linksAround)) {
				this.Links = append(this.Links, pageLink{j + 1, path(j), j == i})
			}
		}
		parts[i] = this
	}
	return parts
}

// widerThan gives the twins of a list as those of one of its pages, which hold more than it.
func widerThan(twins []twin) []twin {
	wider := slices.Clone(twins)
	for i := range wider {
		wider[i].Wider = true
	}
	return wider
}
