package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
)

func listEntries(d *data) *tool {
	return &tool{
		signature: signature{name: "list_entries", params: append(d.filterParams(),
			limitParam(maxLimit, standardLimit, "Up to 10 have url and summary."), cursorParam())},
		title: "List entries",
		about: "To browse or count the library: sources with a tag, specs of a category, what a publisher " +
			`released since a day. Example: {"type":[` + quoted(d.examples.typ) + `]}.`,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listEntries(in) },
	}
}

func (d *data) listEntries(in arguments) (*mcp.CallToolResult, error) {
	f, err := d.filter(in)
	if err != nil {
		return nil, err
	}
	chosen, undated := d.choose(f)
	limit := in.number("limit", standardLimit)
	long := limit > standardLimit
	if in["limit"] == nil && len(chosen) <= limit*3/2 {
		limit = len(chosen) // a short rest is not worth another call
	}
	out := pageAnswer{Total: len(chosen)}
	if undated > 0 && !f.undated {
		out.Note = fmt.Sprintf("%s more match and have no known date; undated true lists them too.", phrase.Count(undated, "entry", "entries"))
	}
	query := queryID("list_entries", fmt.Sprintf("%+v", f))
	return d.page(out, limit, query, in.text("cursor"), func(i int) json.RawMessage {
		return encode(concise(chosen[i], long, len(f.types) == 1))
	})
}

const (
	standardLimit = 10
	maxLimit      = 50
)

func limitParam(most, standard int, about string) param {
	return param{name: "limit", aliases: limitAliases, kind: kindNumber, min: 1, max: most, standard: standard,
		example: strconv.Itoa(2 * standard), about: about}
}

func cursorParam() param {
	return param{name: "cursor", example: `"<next_cursor of the previous page>"`, about: "next_cursor."}
}

// filterParams are the arguments that select library entries.
func (d *data) filterParams() []param {
	ex := &d.examples
	return []param{
		{name: "category", allowed: d.catalog.CategoryIDs(), example: quoted(ex.category), about: "Only this one."},
		brief(d.tagParam()), brief(d.typeParam()),
		{name: "publisher", min: 2, max: 80, example: quoted(ex.publisher), about: "Part of its name."},
		dayParam("since", "2026-01-01", "Published from this day."), dayParam("until", "2026-12-31", "Up to this day."),
		{name: "undated", kind: kindBool, example: `true`, about: "Also those of unknown date."},
		{name: "sort", allowed: []string{"category", index.SortNewest}, example: `"newest"`,
			means: map[string]string{"date": index.SortNewest, "published": index.SortNewest, "recent": index.SortNewest, "date_published": index.SortNewest},
			about: "newest: across categories."},
	}
}

// dayParam is since or until, the first or the last day of a span.
func dayParam(name string, example catalog.Date, about string) param {
	return param{name: name, kind: kindDate, example: quoted(string(example)), about: about, aliases: dayAliases[name]}
}

var dayAliases = map[string][]string{"since": {"published_from", "from", "date_from", "after"},
	"until": {"published_to", "to", "date_to", "before"}}

// tagParam selects entries by tags, in every tool alike.
func (d *data) tagParam() param {
	return param{name: "tag", aliases: []string{"tags"}, kind: kindList, allowed: d.tags, brief: true,
		max: 5, example: "[" + quoted(d.examples.tag) + "]", about: "All of these; list_categories has them."}
}

// brief returns a param whose words the schema of another tool has.
func brief(p param) param {
	p.brief, p.about = true, "See search."
	return p
}

// typeParam selects entries by types, in every tool alike.
func (d *data) typeParam() param {
	types := d.catalog.Identity().EntryTypes()
	return param{name: "type", aliases: []string{"types"}, kind: kindList, allowed: types, max: len(types),
		means:   map[string]string{"specification": "spec", "documentation": "docs", "repository": "repo", "repositories": "repo"},
		example: "[" + quoted(d.examples.typ) + "]", about: "Any of these."}
}

// A filter selects entries. Its zero value selects all.
type filter struct {
	category, publisher string
	tags                []string // all of them
	types               []string // any of them; nil: all
	from, to            catalog.Date
	undated             bool // also those without a date
	newest              bool // the order
}

// filter reads the arguments of filterParams.
func (d *data) filter(in arguments) (filter, error) {
	f := filter{
		category: in.text("category"), tags: slices.Sorted(slices.Values(in.list("tag"))),
		types: slices.Sorted(slices.Values(in.list("type"))), publisher: strings.ToLower(in.text("publisher")),
		from: catalog.Date(in.text("since")), to: catalog.Date(in.text("until")),
		undated: in.set("undated"), newest: in.text("sort") == index.SortNewest,
	}
	return f, checkDays(f.from, f.to)
}

// checkDays refuses a first day after the last.
func checkDays(since, until catalog.Date) error {
	if since != "" && until != "" && since > until {
		return inputError(fmt.Sprintf(`since %s is later than until %[2]s. Swap them. Example: {"since":"%[2]s","until":"%[1]s"}`, since, until))
	}
	return nil
}

// choose returns the entries that pass, in the order asked for, and how many pass but for a date, which they lack.
func (d *data) choose(f filter) (chosen []*catalog.Entry, undated int) {
	for _, e := range d.catalog.Entries() {
		switch day := e.Published(); {
		case !f.passes(e):
		case f.from+f.to != "" && day == "":
			if undated++; f.undated {
				chosen = append(chosen, e)
			}
		case day >= f.from && (f.to == "" || day <= f.to):
			chosen = append(chosen, e)
		}
	}
	if f.newest {
		slices.SortStableFunc(chosen, func(a, b *catalog.Entry) int {
			return strings.Compare(string(b.Published()), string(a.Published()))
		})
	}
	return chosen, undated
}

// passes reports whether an entry passes, whatever its date.
func (f *filter) passes(e *catalog.Entry) bool {
	for _, tag := range f.tags {
		if !slices.Contains(e.Tags, tag) {
			return false
		}
	}
	return (f.category == "" || e.Category == f.category) && (f.types == nil || slices.Contains(f.types, e.Type)) &&
		strings.Contains(strings.ToLower(e.Publisher), f.publisher)
}

// listCategories lists categories and tags.
func listCategories(d *data) *tool {
	return &tool{
		signature: signature{name: "list_categories"},
		title:     "Categories and tags",
		about:     "For what the library covers, and the words of filters: each category and tag, counted. Example: {}.",
		run:       func(context.Context, arguments, Caller) (*mcp.CallToolResult, error) { return d.listCategories(), nil },
	}
}

func (d *data) listCategories() *mcp.CallToolResult {
	out := struct {
		Entries    int       `json:"entries"`
		Categories []members `json:"categories"`
		Tags       members   `json:"tags"` // with their numbers of entries, the most used first
	}{Entries: len(d.ids), Categories: catalog.Convert(d.catalog.Categories(), func(k catalog.Category) members {
		return members{{"id", k.ID}, {"label", k.Label}, {"count", k.Count}}
	})}
	for _, tag := range d.catalog.Tags() {
		out.Tags = append(out.Tags, member{tag.ID, tag.Count})
	}
	slices.SortStableFunc(out.Tags, func(a, b member) int { return cmp.Compare(b.value.(int), a.value.(int)) })
	return newJSONAnswer(out)
}
