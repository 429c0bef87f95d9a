package tools

import (
	"context"
	"slices"

	"almanac/catalog"
)

func listEntries(d *data) *tool {
	params := append(d.entries.filterParams(),
		param{name: "detail", allowed: []string{"concise", "full"}, standard: "concise", example: `"full"`,
			about: "full: all 15 fields and the whole summary."},
		param{name: "fields", kind: kindList, allowed: entryFields, max: len(entryFields), brief: true, example: `["id","title","url"]`,
			about: "Exactly these, named as in get_entry."},
		limitParam(), cursorParam())
	return &tool{
		signature: signature{name: "list_entries", params: params, searchHint: toSearch},
		title:     "List entries",
		about: "Lists curated sources. " +
			"Use it to browse or filter; for how a payment protocol works use get_protocol_facts. " +
			`Example: {"category":"payments","type":"spec","limit":5}. ` +
			"Next, pass ids to get_entry.",
		output: pageSchema(entrySchema(true)),
		run:    func(_ context.Context, in arguments, _ Caller) (*Answer, error) { return d.listEntries(in) },
	}
}

// toSearch explains how to find something by its words.
const toSearch = " It does not search for words: search does."

func (d *data) listEntries(in arguments) (*Answer, error) {
	f, err := d.entries.filter(in)
	if err != nil {
		return nil, err
	}
	chosen := d.entries.choose(f)
	p := listPage{tool: "list_entries", total: len(chosen), limit: in.number("limit", standardLimit),
		cursors: d.cursors, query: f.queryID("list_entries")}
	if p.offset, err = d.cursors.decode(in.text("cursor"), p.query, p.total); err != nil {
		return nil, err
	}
	form := func(e *catalog.Entry) piece { return d.entries.item(e).concise }
	if fields := in.list("fields"); fields != nil {
		which := fieldIndexes(fields)
		slices.Sort(which)
		form = func(e *catalog.Entry) piece { return joinFields(&d.entries.item(e).fields, which) }
	} else if in.text("detail") == "full" {
		form = func(e *catalog.Entry) piece { return d.entries.item(e).full }
	}
	return p.answer("Library entries", "", func(i int) piece { return form(chosen[i]) }), nil
}
