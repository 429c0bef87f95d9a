package tools

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// idPattern accepts ids of other records too, so that the answer can point to the right tool.
var idPattern = regexp.MustCompile(`^([a-z]+:)?[a-z0-9-]{1,80}$`)

const maxIDs = 20

func getEntry(d *data) *tool {
	example := `["an-id"]`
	if ids := d.entries.ids; len(ids) > 0 {
		example = "[" + strconv.Quote(ids[0]) + "]"
	}
	return &tool{
		signature: signature{
			name: "get_entry",
			params: []param{{name: "ids", kind: kindList, orOne: true, pattern: idPattern, form: slugForm(80), near: d.entries.names.near, min: 1, max: maxIDs, required: true,
				example: example, about: "Ids of library entries."}},
		},
		title: "Get entries",
		about: "Returns whole entries, and the nearest ids for unknown ones. " +
			"Use it with ids from a list or a search. " +
			`Example: {"ids":` + example + `}. ` +
			"Cite url and verified_at.",
		output: object(
			prop("entries", listOf(entrySchema(false))),
			prop("readings", textsSchema),
			prop("not_found", listOf(object(prop("id", textSchema), prop("did_you_mean", textsSchema))))),
		run: d.getEntry,
	}
}

// entrySchema is the schema of an entry: the members that a citation needs, which are optional where a caller chooses the fields.
func entrySchema(chosen bool) *schema {
	var ps []property
	for _, name := range []string{"id", "title", "url", "summary", "verified_at"} {
		ps = append(ps, property{name, textSchema, chosen})
	}
	return object(ps...)
}

func (d *data) getEntry(_ context.Context, in arguments, _ Caller) (*Answer, error) {
	missing, unknown := newJSONAnswer(6), 0
	missing.raw(`],"readings":`)
	missing.value(d.readings(in.list("ids")))
	missing.raw(`,"not_found":[`)
	var found []*catalog.Entry
	for _, id := range in.list("ids") {
		if e, ok := d.catalog.Entry(id); ok {
			found = append(found, e)
			continue
		}
		if unknown++; unknown > 1 {
			missing.raw(",")
		}
		missing.value(d.notFound(id))
	}
	missing.raw("]")

	a := newJSONAnswer(2*len(found) + 8)
	a.raw(`{"entries":[`)
	var omitted []string
	for i, e := range found {
		it := d.entries.item(e)
		if i > 0 && a.size+it.entry.size()+missing.size+pageHead > maxAnswer {
			omitted = append(omitted, it.ID)
			continue
		}
		if i > 0 {
			a.raw(",")
		}
		a.piece(it.entry)
	}
	a.add(missing)
	a.omitted(omitted)
	a.raw("}")
	return a.answer(), nil
}

// readings says of each entry that has a reading where its summary was read, in which copy and when.
func (d *data) readings(ids []string) []string {
	list := []string{}
	for _, id := range ids {
		e, ok := d.catalog.Entry(id)
		if !ok {
			continue
		}
		if r, ok := d.catalog.EntryReading(e); ok {
			list = append(list, id+": "+string(r.Class)+". "+phrase.ReadingClass(r)+" "+r.URL)
		}
	}
	return list
}

type notFound struct {
	ID         string   `json:"id"`
	DidYouMean []string `json:"did_you_mean"`
	Instead    string   `json:"instead,omitempty"` // how to read what the id names, when that is another kind of record
}

// notFound describes what to do about an id that no entry has. Searches and the change feed
// return ids of other kinds too, and a protocol is easily mistaken for an entry.
func (d *data) notFound(id string) notFound {
	if protocol := strings.TrimPrefix(id, "protocol:"); slices.Contains(d.protocols.ids, protocol) {
		return notFound{id, []string{}, `get_protocol_facts with {"protocols":["` + protocol + `"]}`}
	}
	if d.catalog.Record(id).HTMLURL != "" {
		return notFound{id, []string{}, `fetch with {"id":` + string(encode(id)) + `}`}
	}
	return notFound{id, d.entries.names.nearest(id), ""}
}
