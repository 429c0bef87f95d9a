package tools

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

func listEntries(d *data) *tool {
	facts := textIf(d.hasProtocols(), "; for payment protocols use get_protocol_facts")
	params := append(d.filterParams(),
		param{name: "detail", allowed: []string{"concise", "full"}, standard: "concise", example: `"full"`,
			about: "full: all 15 fields and the whole summary."},
		param{name: "fields", kind: kindList, allowed: entryFields, max: len(entryFields), brief: true,
			example: `["id","title","url"]`, about: "Exactly these, named as in get_entry."},
		limitParam(), cursorParam())
	return &tool{
		signature: signature{name: "list_entries", params: params, searchHint: toSearch},
		title:     "List entries",
		about: "Lists curated sources. Use it to browse" + facts + ". " +
			`Example: {"category":` + quoted(d.examples.category) + `,"type":` + quoted(d.examples.typ) + `,"limit":5}. ` +
			"Next, pass ids to get_entry.",
		output: pageSchema(entrySchema(true)),
		run:    func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listEntries(in) },
	}
}

// toSearch explains how to find something by its words.
const toSearch = " It does not search for words: search does."

func (d *data) listEntries(in arguments) (*mcp.CallToolResult, error) {
	f, err := d.filter(in)
	if err != nil {
		return nil, err
	}
	chosen := d.choose(f)
	form := concise
	if fields := in.list("fields"); fields != nil {
		form = func(e *catalog.Entry) piece { return withFields(e, fields) }
	} else if in.text("detail") == "full" {
		form = func(e *catalog.Entry) piece { return withFields(e, entryFields) }
	}
	return d.page(listPage{
		title: "Library entries", total: len(chosen), limit: in.number("limit", standardLimit),
		query: f.queryID(), cursor: in.text("cursor"),
		more: "Next page: call list_entries with the same arguments and cursor %q.",
	}, func(i int) piece { return form(chosen[i]) })
}

var tagPattern = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// slugForm states the pattern of a slug in words.
func slugForm(most int) string {
	return fmt.Sprintf("at most %d lower-case letters, digits and hyphens", most)
}

const (
	standardLimit = 10
	maxLimit      = 50
)

func limitParam() param {
	return param{name: "limit", kind: kindNumber, min: 1, max: maxLimit, standard: standardLimit, example: "20",
		about: "Page size."}
}

func cursorParam() param {
	return param{name: "cursor", example: `"<next_cursor of the previous page>"`,
		about: "Previous next_cursor."}
}

// The orders of list_entries.
const (
	sortPublished = "category" // by category, and within one the newest first
	sortNewest    = "newest"   // the newest first across categories
)

// filterParams are the arguments that select library entries.
func (d *data) filterParams() []param {
	ex := &d.examples
	return []param{
		{name: "category", allowed: d.catalog.CategoryIDs(), example: quoted(ex.category), about: "Only this one."},
		{name: "tag", kind: kindList, orOne: true, pattern: tagPattern, form: slugForm(40), near: d.tags, max: 5,
			example: "[" + quoted(ex.tag) + "]", about: "All of these."},
		{name: "type", allowed: d.catalog.Identity().EntryTypes(), example: quoted(ex.typ), about: "Only these."},
		{name: "publisher", min: 2, max: 80, example: quoted(ex.publisher), about: "Part of its name."},
		{name: "published_from", kind: kindDate, example: `"2026-01-01"`, about: "First day; no unknown dates."},
		{name: "published_to", kind: kindDate, example: `"2026-12-31"`, about: "Last day."},
		{name: "sort", allowed: []string{sortPublished, sortNewest}, standard: sortPublished, example: `"newest"`,
			about: "newest: across categories."},
	}
}

// A filter selects entries. Its zero value selects all.
type filter struct {
	category, typ, publisher string
	tags                     []string // all of them
	from, to                 catalog.Date
	newest                   bool // the order
}

// filter reads the arguments of filterParams.
func (d *data) filter(in arguments) (filter, error) {
	f := filter{
		category: in.text("category"), tags: slices.Sorted(slices.Values(in.list("tag"))), typ: in.text("type"),
		publisher: strings.ToLower(in.text("publisher")),
		from:      catalog.Date(in.text("published_from")), to: catalog.Date(in.text("published_to")),
		newest: in.text("sort") == sortNewest,
	}
	for _, tag := range f.tags {
		if d.catalog.WithTag(tag) == nil {
			return f, d.unknownTag(tag)
		}
	}
	if f.from != "" && f.to != "" && f.from > f.to {
		return f, inputError(fmt.Sprintf(
			"published_from %s is later than published_to %s. Swap them. Example: {\"published_from\":\"%s\",\"published_to\":\"%s\"}",
			f.from, f.to, f.to, f.from))
	}
	return f, nil
}

func (d *data) unknownTag(tag string) error {
	return inputError(fmt.Sprintf("No entry has the tag %s%s. list_tags lists every tag.",
		quote(tag), didYouMean(tag, d.tags)))
}

// queryID identifies the selection and its order in cursors.
func (f filter) queryID() uint32 {
	return queryID("list_entries", f.category, strings.Join(f.tags, ","), f.typ, f.publisher, string(f.from), string(f.to),
		fmt.Sprint(f.newest))
}

// choose returns the entries that pass, in the order asked for.
func (d *data) choose(f filter) []*catalog.Entry {
	chosen := slices.DeleteFunc(slices.Clone(d.catalog.Entries()), func(e *catalog.Entry) bool { return !f.passes(e) })
	if f.newest {
		return newestFirst(chosen)
	}
	return chosen
}

func newestFirst(list []*catalog.Entry) []*catalog.Entry {
	return slices.SortedStableFunc(slices.Values(list), func(a, b *catalog.Entry) int {
		return strings.Compare(string(b.Published()), string(a.Published()))
	})
}

func (f filter) passes(e *catalog.Entry) bool {
	for _, tag := range f.tags {
		if !slices.Contains(e.Tags, tag) {
			return false
		}
	}
	day := e.Published()
	return (f.category == "" || e.Category == f.category) &&
		(f.typ == "" || e.Type == f.typ) &&
		(f.publisher == "" || strings.Contains(strings.ToLower(e.Publisher), f.publisher)) &&
		(f.from == "" || day >= f.from) &&
		(f.to == "" || day != "" && day <= f.to)
}

func listTags(d *data) *tool {
	return &tool{
		signature: signature{
			name: "list_tags",
			params: []param{{name: "category", allowed: d.catalog.CategoryIDs(), brief: true,
				example: quoted(d.examples.category), about: "Only this one."}},
		},
		title: "List categories and tags",
		about: "Lists categories and tags with their numbers of entries. " +
			"Use it to find filters for list_entries. " +
			`Example: {"category":` + quoted(d.examples.category) + `}.`,
		output: object(prop("categories", listOf(object(texts("id")...))), prop("tags", listOf(object(texts("tag")...)))),
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			k, ok := d.catalog.Category(in.text("category"))
			if !ok {
				return tagsAnswer("", d.catalog.Entries(), d.catalog.Categories()), nil
			}
			return tagsAnswer(k.ID, d.catalog.InCategory(k.ID), []catalog.Category{k}), nil
		},
	}
}

type categoryCount struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Count int    `json:"count"`
}

type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

func tagsAnswer(category string, entries []*catalog.Entry, categories []catalog.Category) *mcp.CallToolResult {
	counts := make(map[string]int)
	for _, e := range entries {
		for _, tag := range e.Tags {
			counts[tag]++
		}
	}
	out := struct {
		Categories []categoryCount `json:"categories"`
		Tags       []tagCount      `json:"tags"`
	}{[]categoryCount{}, []tagCount{}}
	var text strings.Builder
	for _, k := range categories {
		out.Categories = append(out.Categories, categoryCount{k.ID, k.Label, k.Count})
		fmt.Fprintf(&text, "- category %s (%s): %s\n", k.ID, k.Label, countOf(k.Count, "entry", "entries"))
	}
	for tag, n := range counts {
		out.Tags = append(out.Tags, tagCount{tag, n})
	}
	slices.SortFunc(out.Tags, func(a, b tagCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Tag, b.Tag))
	})
	scope := "in the library"
	if category != "" {
		scope = "in category " + category
	}
	fmt.Fprintf(&text, "%s %s:", countOf(len(out.Tags), "tag", "tags"), scope)
	for i, tc := range out.Tags {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, " %s (%d)", tc.Tag, tc.Count)
	}
	return newAnswer(text.String(), encode(out))
}
