package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// getEntry is the name of an earlier release for fetch with the format json.
func getEntry(d *data) *tool {
	return &tool{
		unlisted: true,
		signature: signature{
			name: "get_entry",
			params: []param{{name: "ids", aliases: []string{"id"}, kind: kindList, min: 1, max: maxIDs, required: true,
				example: "[" + quoted(catalog.Sample(d.ids, "")) + "]", about: "Ids of library entries."}},
		},
		title: "Get entries",
		about: "Returns whole entries. Example: {" + `"ids":[` + quoted(catalog.Sample(d.ids, "")) + "]}.",
		run:   d.getEntry,
	}
}

// foundEntries is the answer of get_entry.
type foundEntries struct {
	Entries   []json.RawMessage `json:"entries"`
	Readings  []string          `json:"readings"` // where the summary of each entry was read, in which copy and when
	NotFound  []notFound        `json:"not_found"`
	Omitted   []string          `json:"omitted,omitempty"` // to keep the answer small: ask for these
	Truncated bool              `json:"truncated,omitempty"`
}

func (d *data) getEntry(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
	out := foundEntries{Entries: []json.RawMessage{}, Readings: []string{}, NotFound: []notFound{}}
	var found []*catalog.Entry
	for _, id := range in.list("ids") {
		id = strings.ToLower(shorten(id))
		e, ok := d.catalog.Entry(id)
		if !ok {
			out.NotFound = append(out.NotFound, d.notFound(id))
			continue
		}
		found = append(found, e)
		if r, ok := d.catalog.EntryReading(e); ok {
			out.Readings = append(out.Readings, id+": "+string(r.Class)+". "+phrase.ReadingClass(r)+" "+r.URL)
		}
	}
	size := pageHead + textSize(encode(out))
	for _, e := range found {
		whole := entryJSON(d.catalog, e)
		more := textSize(whole)
		if size+more > maxAnswer && len(out.Entries) > 0 {
			out.Omitted, out.Truncated = append(out.Omitted, e.ID), true
			continue
		}
		size += more
		out.Entries = append(out.Entries, whole)
	}
	return newJSONAnswer(out), nil
}

// entryJSON returns all fields of an entry and the statements about it.
func entryJSON(c *catalog.Catalog, e *catalog.Entry) json.RawMessage {
	whole := withFields(e, entryFields)
	if list := statementsAbout(c, e); list != nil {
		whole = append(append(append(whole[:len(whole)-1], `,"statements":`...), encode(list)...), '}')
	}
	return whole
}

type notFound struct {
	ID         string   `json:"id"`
	DidYouMean []string `json:"did_you_mean"`
	Instead    string   `json:"instead,omitempty"` // how to read what the id names, when that is another kind of record
}

// notFound describes the remedy for an id that no entry has. Searches and the change feed return ids of other kinds
// too, and a protocol is easily mistaken for an entry.
func (d *data) notFound(id string) notFound {
	if protocol := strings.TrimPrefix(id, "protocol:"); slices.Contains(d.protocols.ids, protocol) {
		return notFound{id, []string{}, `get_protocol_facts with {"protocols":["` + protocol + `"]}`}
	}
	if w, ok := d.catalog.Withdrawn(id); ok {
		return notFound{id, []string{}, d.catalog.WithdrawalText(w)}
	}
	if d.catalog.Record(id).HTMLURL != "" {
		return notFound{id, []string{}, `fetch with {"id":` + string(encode(id)) + `}`}
	}
	return notFound{id, nearestIDs(id, d.ids), ""}
}
