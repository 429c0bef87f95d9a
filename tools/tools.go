// Package tools has the MCP tools, resources, prompts and completions, each a small function over an immutable
// catalogue.
//
// Nothing here changes anything; the one tool that costs, search_passages, spends a credit of the caller's.
//
// From the bottom up: a tool returns an Answer (answer.go, page.go) to arguments (param.go, arguments.go) that are
// checked against the schema it publishes; data.go holds the prepared catalogue; each tool has a file of its own name;
// resources, completions, prompts, events and views follow; this file joins them.
package tools

import (
	"maps"
	"slices"
	"time"

	"almanac/catalog"
	"almanac/index"
	"almanac/nearest"
)

// Options configure the tools.
type Options struct {
	Paid *Paid            // nil: there is no search_passages
	Now  func() time.Time // nil: time.Now
}

// Tools are the tools, resources and prompts over one catalogue. They are safe for concurrent use.
type Tools struct {
	*resources
	tools  []*tool
	byName map[string]*tool
}

// New returns the tools over a catalogue, its index and its documents. Everything that depends on the data alone is
// encoded here.
func New(c *catalog.Catalog, x *index.Index, documents ResourceFiles, o Options) (*Tools, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := newData(c, o.Now)
	t := &Tools{resources: newResources(d, documents), byName: make(map[string]*tool)}
	var err error
	if t.skills, err = newSkills(&d.examples, o.Paid != nil); err != nil {
		return nil, err
	}
	if t.views, err = newViews(documents, d.hasProtocols(), o.Paid != nil); err != nil {
		return nil, err
	}
	t.tools = []*tool{
		freeSearch(t.resources, x, o.Paid != nil), fetch(t.resources), listChanges(d), listEntries(d), getEntry(d), listTags(d),
	}
	if d.hasProtocols() {
		t.tools = append(t.tools, getProtocolFacts(d))
	}
	if o.Paid != nil {
		t.tools = append(t.tools, searchPassages(&librarySearch{data: d, index: x, paid: o.Paid}))
	}
	for _, d := range t.tools {
		t.byName[d.name] = d
	}
	return t, nil
}

// Has reports whether there is a tool of that name.
func (t *Tools) Has(name string) bool {
	_, ok := t.byName[name]
	return ok
}

// Waits reports whether a tool of that name waits for a ledger or a node.
func (t *Tools) Waits(name string) bool {
	d, ok := t.byName[name]
	return ok && d.waits
}

// renamed are the names of tools that others replace, for callers who remember them.
var renamed = map[string]string{
	"search_library": "search_passages", "check_credits": "search_passages", "list_categories": "list_tags",
	"get_support_methods": "fetch",
}

// Nearest returns the name of the tool that someone who called name may have meant, or "".
func (t *Tools) Nearest(name string) string {
	if now := renamed[name]; t.Has(now) {
		return now
	}
	if near := nearest.Words(name, slices.Sorted(maps.Keys(t.byName)), 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// IDs returns the ids of the library, sorted.
func (t *Tools) IDs() []string { return t.entries.ids }
