package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
	"almanac/httpmirror/related"
)

const newestPerSection = 3

// Library returns the page of the whole library.
func (p *Pages) Library() Page {
	sources := phrase.Count(len(p.cat.Entries()), "source", "sources")
	data := libraryPage{Total: len(p.cat.Entries())}
	for _, k := range p.cat.Categories() {
		s := categoryView{Category: k, Path: catalog.CategoryPath(k.ID)}
		if doc, ok := p.cat.CategoryList(k.ID); ok {
			s.Newest = doc.Entries[:min(newestPerSection, len(doc.Entries))]
		}
		data.Sections = append(data.Sections, s)
	}
	if data.Total <= paging.Size {
		data.Titles = slices.SortedFunc(slices.Values(p.cat.Entries()), func(a, b *catalog.Entry) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), strings.Compare(a.ID, b.ID))
		})
	}
	return Page{
		Title:       "Library",
		Description: sources + " about payment protocols for machines and protocols for agents, each read, summarised and dated.",
		Lede:        "Primary sources on how machines pay and how agents work together. Each was read, summarised in our own words and dated; the link leads to its publisher.",
		Facts:       []string{sources, phrase.Count(len(p.cat.Categories()), "category", "categories")},
		Verified:    phrase.Verified(p.cat.Entries()),
		content:     libraryContent(data),
	}
}

// Category returns the page of a part of the entries of a category.
func (p *Pages) Category(k catalog.Category, part paging.Part) Page {
	pg := Page{
		Title:       k.Label,
		Description: fmt.Sprintf("%s: %s, each read, summarised and dated.", k.Label, phrase.Count(k.Count, "source", "sources")),
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}},
		Facts:       []string{phrase.Count(k.Count, "source", "sources")},
		Verified:    phrase.Verified(part.Entries),
	}
	pg.content = listContent(listPage{Pager: paged(&pg, part, catalog.CategoryPath), Groups: ungrouped(part.Entries)})
	return pg
}

// Tags returns the page of all tags.
func (p *Pages) Tags() Page {
	return Page{
		Title:       "Tags",
		Description: "The closed vocabulary of tags that the sources of the library carry, with the number of sources for each.",
		Lede:        "A closed vocabulary: every tag has one meaning, and every source carries at least one tag.",
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}},
		Verified:    phrase.Verified(p.cat.Entries()),
		content:     tagsContent(p.cat.TagIndex()),
	}
}

// Tag returns the page of a part of the entries that carry a tag.
func (p *Pages) Tag(t catalog.Tag, part paging.Part) Page {
	pg := Page{
		Title:       "Sources tagged " + t.ID,
		Lede:        t.Label + ".",
		Description: fmt.Sprintf("%s tagged %s (%s), each read, summarised and dated.", phrase.Count(t.Count, "source", "sources"), t.ID, t.Label),
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}, {Label: "Tags", Path: catalog.TagsPath}},
		Facts:       []string{phrase.Count(t.Count, "source", "sources")},
		Verified:    phrase.Verified(part.Entries),
	}
	data := listPage{Pager: paged(&pg, part, catalog.TagPath), Groups: p.groups(part.Entries)}
	data.Protocol, _ = p.cat.Protocol(t.ID)
	pg.content = listContent(data)
	return pg
}

// Entry returns the page of a library entry.
func (p *Pages) Entry(e related.LinkedEntry) Page {
	return Page{
		Title:       e.Title,
		Lede:        e.Summary,
		Description: e.Summary,
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}, {Label: e.Category.Label, Path: catalog.CategoryPath(e.Category.ID)}},
		Facts:       []string{e.Type + " by " + e.Publisher},
		Verified:    phrase.OneDay(e.VerifiedAt),
		content:     entryContent(e, phrase.Unchecked(p.cat)),
	}
}
