package html

import (
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

const newestPerSection = 3

// Library returns the page of the whole library.
func (p *Pages) Library() Page {
	sources := phrase.Count(len(p.cat.Entries()), "source", "sources")
	return Page{
		Title:       "Library",
		Description: sources + " on " + p.identity.Subject + ", each summarised, with its evidence.",
		Lede:        p.identity.LibraryLede() + " Each has a summary, its evidence and a link to the publisher.",
		Facts:       []string{sources, phrase.Count(len(p.cat.Categories()), "category", "categories")},
		Verified:    phrase.Verified(p.cat.Entries()),
		content:     libraryContent(p.cat),
	}
}

// Category returns the page of the entries of a category.
func (p *Pages) Category(k catalog.Category, entries []*catalog.Entry) Page {
	return Page{
		Narrow:      true,
		Title:       k.Label,
		Description: k.Label + ": " + phrase.Count(k.Count, "source", "sources") + ", each summarised, with its evidence.",
		Lede:        phrase.Count(k.Count, "source", "sources") + ", by the year in which they were published. Each has a summary, its evidence and a link to the publisher.",
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}},
		Verified:    phrase.Verified(entries),
		content:     listContent(listPage{Groups: years(entries)}),
	}
}

// Tags returns the page of all tags.
func (p *Pages) Tags() Page {
	return Page{
		Lede:     "A closed vocabulary: every tag has one meaning, and every source carries at least one tag.",
		Crumbs:   []Link{{Label: "Library", Path: catalog.LibraryPath}},
		Verified: phrase.Verified(p.cat.Entries()),
		content:  tagsContent(p.cat.TagIndex()),
	}
}

// Tag returns the page of the entries that carry a tag.
func (p *Pages) Tag(t catalog.Tag, entries []*catalog.Entry) Page {
	data := listPage{Groups: p.groups(entries)}
	if slices.Contains(p.cat.ProtocolPageIDs(), t.ID) {
		data.Protocol = Link{Label: p.name(t.ID), Path: catalog.ProtocolPath(t.ID)}
	}
	return Page{
		Narrow:      true,
		Title:       "Sources tagged " + t.ID,
		Lede:        t.Label + ".",
		Description: fmt.Sprintf("%s tagged %s (%s), each summarised, with its evidence.", phrase.Count(t.Count, "source", "sources"), t.ID, t.Label),
		Crumbs:      []Link{{Label: "Library", Path: catalog.LibraryPath}, {Label: "Tags", Path: catalog.TagsPath}},
		Facts:       []string{phrase.Count(t.Count, "source", "sources")},
		Verified:    phrase.Verified(entries),
		content:     listContent(data),
	}
}

// Entry returns the page of a library entry.
func (p *Pages) Entry(e markdown.LinkedEntry) Page {
	facts := []string{phrase.Sentence(typeName(e.Type)) + " by " + e.Publisher}
	var read phrase.Span // of the source itself
	if r := e.Reading; r != nil && r.Class.OfSource() {
		read = phrase.OneDay(r.ReadAt)
		for _, s := range e.Statements {
			read.Add(s.Readings[0].ReadAt)
		}
	} else if r != nil {
		facts = append(facts, strings.TrimSuffix(phrase.ReadingClass(*r), "."))
	}
	return Page{
		Narrow:      true,
		Work:        p.cat.Citation(e.Entry),
		Title:       e.Title,
		Lede:        e.Summary,
		Description: e.Summary,
		Crumbs: []Link{{Label: "Library", Path: catalog.LibraryPath},
			{Label: e.Category.Label, Path: catalog.CategoryPath(e.Category.ID)}},
		Facts:    facts,
		Verified: read,
		LD: []any{metadata.LD(p.cat, "ld-work", metadata.Work{Type: "WebPage", Title: e.Title, Summary: e.Summary,
			Path: catalog.EntryPath(e.ID), VerifiedAt: e.VerifiedAt, Tags: e.Tags, Cited: []string{e.URL}})},
		content: entryContent(p, e, p.answers(e.ID)),
	}
}

// runs divides a list into runs of neighbours with one key.
func runs[T any](list []T, key func(T) string) (runs [][]T) {
	for i, item := range list {
		if i == 0 || key(item) != key(list[i-1]) {
			runs = append(runs, nil)
		}
		last := &runs[len(runs)-1]
		*last = append(*last, item)
	}
	return runs
}

// entryCount returns the number of entries of a list in groups.
func entryCount(groups []group) (n int) {
	for _, g := range groups {
		n += len(g.Entries)
	}
	return n
}

// shortList is the number of entries below which a list needs no filter.
const shortList = 12

// A group is a run of entries under a heading; a list without headings is one group.
type group struct {
	Label, Path string
	Entries     []*catalog.Entry
}

// groups returns entries by category.
func (p *Pages) groups(entries []*catalog.Entry) (groups []group) {
	for _, list := range runs(entries, func(e *catalog.Entry) string { return e.Category }) {
		k, _ := p.cat.Category(list[0].Category) // the catalog has no entries without one
		groups = append(groups, group{k.Label, catalog.CategoryPath(k.ID), list})
	}
	return groups
}

// years returns entries by the year of their publication, as they are ordered. A short list is one group.
func years(entries []*catalog.Entry) []group {
	if len(entries) < shortList {
		return []group{{Entries: entries}}
	}
	return catalog.Convert(runs(entries, year), func(list []*catalog.Entry) group { return group{Label: year(list[0]), Entries: list} })
}

// year returns the year in which a source was published.
func year(e *catalog.Entry) string {
	if d := e.Published(); d != "" {
		return string(d[:4])
	}
	return "Without a date"
}

// firstOf returns the first n elements of a list, or all if it has no more.
func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// newsCount is the number of items of news on the home page.
const newsCount = 4

// Home returns the home page: an introduction, the search and the ways in.
func (p *Pages) Home() Page {
	data := homePage{
		Articles: p.cat.Articles(), Categories: p.cat.Categories(),
		Profiles: p.cat.Profiles(), Protocols: len(p.cat.ProtocolPageIDs()),
		Terms: p.cat.Terms(), Sells: p.cat.Payments() != catalog.PaymentsOff,
		News: firstOf(p.cat.News(), newsCount),
	}
	pg := Page{
		Title:       p.identity.Headline,
		Lede:        p.identity.Description,
		Description: p.identity.Description,
		Facts: slices.DeleteFunc([]string{
			phrase.Count(len(p.cat.Entries()), "source", "sources"), phrase.Count(data.Protocols, "protocol", "protocols"),
			phrase.Count(len(data.Articles), "article", "articles"), phrase.Count(len(p.cat.Datasets()), "dataset", "datasets"),
		}, func(count string) bool { return strings.HasPrefix(count, "0 ") }),
		Verified: phrase.SpanOf(p.cat.ChangeDays(), func(d catalog.Date) catalog.Date { return d }),
		Home:     true,
		Search:   true,
	}
	pg.content = homeContent(p, data, pg)
	return pg
}

// exampleQuestions returns three of the curated questions, each of another record: of the protocols that answer with status 402, else of
// the entries.
func (p *Pages) exampleQuestions() (list []string) {
	schemes := slices.DeleteFunc(slices.Clone(p.cat.Profiles()), func(pr *catalog.Profile) bool { return pr.Kind != schemeKind })
	records := catalog.Convert(schemes, func(pr *catalog.Profile) string { return "protocol:" + pr.ID })
	if len(records) == 0 {
		records = catalog.Convert(p.cat.Entries(), func(e *catalog.Entry) string { return e.ID })
	}
	for _, record := range records {
		questions := p.cat.Questions(record)
		i := slices.IndexFunc(questions, func(q string) bool { return strings.HasPrefix(q, "wh") })
		if i >= 0 && len(list) < 3 {
			list = append(list, questions[i])
		}
	}
	return list
}
