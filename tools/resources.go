package tools

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

const (
	jsonType     = "application/json"
	markdownType = "text/markdown"
)

// CacheMillis is how long a client may keep lists and resources, in milliseconds. The data
// changes about once a day, so an hour keeps it fresh enough.
const CacheMillis = 3_600_000

// A Content is the content of a resource.
type Content struct {
	URI  string
	MIME string
	text []byte // the inside of a JSON string
}

// Text returns the content unescaped.
func (c *Content) Text() string {
	s, _ := unescape(c.text) // it was escaped here
	return s
}

// Append appends the content as the result of resources/read; see Answer.Append.
func (c *Content) Append(dst []byte, more, meta string) []byte {
	dst = append(dst, `{"contents":[{"uri":"`...)
	dst = wirejson.AppendEscaped(dst, c.URI)
	dst = append(dst, `","mimeType":"`...)
	dst = append(dst, c.MIME...)
	dst = append(dst, `","text":"`...)
	dst = append(dst, c.text...)
	dst = append(dst, `"}],"ttlMs":`...)
	dst = strconv.AppendInt(dst, CacheMillis, 10)
	dst = append(dst, `,"cacheScope":"public"`...)
	if meta != "" {
		dst = append(append(append(dst, `,"_meta":{`...), meta...), '}')
	}
	if more != "" {
		dst = append(append(dst, ','), more...)
	}
	return append(dst, '}')
}

// resources are what agents can read by address. Those of a fixed address are encoded once; an
// address that ends in .md is the Markdown form of the one without.
type resources struct {
	*data
	fixed     map[string]*Content // by URI
	entryHead []byte              // of an entry document, escaped
	datasets  []string
	days      []string
}

func newResources(d *data) *resources {
	r := &resources{data: d, fixed: make(map[string]*Content)}
	c := d.catalog
	r.addJSON("library://categories", encode(c.CategoryIndex()))
	r.addJSON("library://protocol-facts", encode(c.Protocols()))
	r.addJSON("library://support", encode(c.Support()))
	r.fixed["library://categories.md"] = &Content{"library://categories.md", markdownType, categoriesAnswer(d).text.appendTo(nil)}
	var all strings.Builder
	for _, p := range c.Protocols().Protocols {
		uri := "library://protocol/" + p.ID
		r.addJSON(uri, encode(p))
		r.addMarkdown(uri+".md", protocolMarkdown(p))
		all.WriteString(protocolMarkdown(p) + "\n")
	}
	r.addMarkdown("library://protocol-facts.md", all.String())
	for _, day := range c.ChangeDays() {
		r.days = append(r.days, string(day))
	}
	for _, ds := range c.Datasets() {
		r.addJSON("dataset://card/"+ds.ID, encode(c.DatasetCard(ds)))
		r.addMarkdown("dataset://card/"+ds.ID+".md", ds.Readme)
		r.datasets = append(r.datasets, ds.ID)
	}
	e := c.EntryDocument(&catalog.Entry{})
	r.entryHead = wirejson.AppendEscaped(nil, fmt.Sprintf(`{"schema_version":%q,"generated_at":%q,"$schema":%q,"entry":`, e.SchemaVersion, e.GeneratedAt, e.Schema))
	return r
}

func (r *resources) addJSON(uri string, json []byte) {
	r.fixed[uri] = &Content{uri, jsonType, wirejson.AppendEscaped(nil, string(json))}
}

func (r *resources) addMarkdown(uri, markdown string) {
	r.fixed[uri] = &Content{uri, markdownType, wirejson.AppendEscaped(nil, markdown)}
}

// read returns a resource, if there is one. Addresses must be written as they are published:
// nothing is decoded, so that no other address can be disguised.
func (r *resources) read(uri string) (*Content, bool) {
	if c, ok := r.fixed[uri]; ok {
		return c, true
	}
	rest, ok := strings.CutPrefix(uri, "library://")
	if !ok {
		return nil, false
	}
	section, name, ok := strings.Cut(rest, "/")
	if !ok {
		return nil, false
	}
	switch section {
	case "entry":
		return r.entry(uri, name)
	case "category":
		return r.category(uri, name)
	case "changes":
		return r.changesOn(uri, name)
	}
	return nil, false
}

// cutMarkdown reports whether a name asks for the Markdown form, and returns it without the ending.
func cutMarkdown(name string) (string, bool) { return strings.CutSuffix(name, ".md") }

func (r *resources) entry(uri, name string) (*Content, bool) {
	id, md := cutMarkdown(name)
	it, ok := r.entries.byID[id]
	if !ok {
		return nil, false
	}
	if md {
		return &Content{uri, markdownType, it.full.text}, true
	}
	text := make([]byte, 0, len(r.entryHead)+len(it.entry.text)+1)
	text = append(append(append(text, r.entryHead...), it.entry.text...), '}')
	return &Content{uri, jsonType, text}, true
}

// category returns a page of the whole entries of a category, selected by ?cursor= and ?limit=.
func (r *resources) category(uri, name string) (*Content, bool) {
	name, query, _ := strings.Cut(name, "?")
	id, md := cutMarkdown(name)
	if _, ok := r.catalog.Category(id); !ok {
		return nil, false
	}
	cursor, limit := "", maxLimit
	for part := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "":
		case "cursor":
			cursor = value
		case "limit":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxLimit {
				return nil, false
			}
			limit = n
		default:
			return nil, false
		}
	}
	items := r.entries.byCategory[id]
	p := page{total: len(items), limit: limit, cursors: r.cursors, query: queryID("category", id),
		more: fmt.Sprintf("Next page: read library://category/%s?cursor=", name)}
	offset, err := r.cursors.decode(cursor, p.query, len(items))
	if err != nil {
		return nil, false
	}
	p.offset = offset
	head := fmt.Sprintf(`"schema_version":"1","generated_at":%q,"category":%q`, r.catalog.GeneratedAt(), id)
	return pageContent(uri, md, p.answer("Category "+id, head, func(i int) piece { return items[i].full })), true
}

// changesOn returns the change feed document of a day, or its beginning with the cursor for
// list_changes.
func (r *resources) changesOn(uri, name string) (*Content, bool) {
	name, md := cutMarkdown(name)
	day := catalog.Date(name)
	if name == "latest" {
		day = r.latest()
	} else if d, err := catalog.ParseDate(name); err != nil || d != day || day > r.today() {
		return nil, false
	}
	changes := r.changes.byDate[day]
	p := r.changesPage(day, day, nil, len(changes))
	p.limit = len(changes)
	p.more = fmt.Sprintf("The rest: call list_changes with date %s and cursor ", day)
	head := fmt.Sprintf(`"schema_version":"1","generated_at":%q,"date":%q,"field":"verified_at"`, r.catalog.GeneratedAt(), day)
	return pageContent(uri, md, p.answer("Changes of "+string(day), head, func(i int) piece { return changes[i].piece })), true
}

// pageContent returns one of the two forms of an answer as a resource.
func pageContent(uri string, md bool, a *Answer) *Content {
	if md {
		return &Content{uri, markdownType, a.text.appendTo(nil)}
	}
	return &Content{uri, jsonType, wirejson.AppendEscaped(nil, string(a.structured.appendTo(nil)))}
}

// protocolMarkdown returns the facts of a protocol as a section, each with where and when it was
// read.
func protocolMarkdown(p *catalog.Protocol) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s (%s)\n\n", p.Name, p.ID)
	for _, f := range p.Facts() {
		if f.Value == nil {
			fmt.Fprintf(&b, "- %s: not stated by the cited pages\n", f.Label)
			continue
		}
		value := string(encode(f.Value))
		if s, ok := f.Value.(string); ok {
			value = s
		}
		fmt.Fprintf(&b, "- %s: %s\n  - source: %s\n  - verified_at: %s\n", f.Label, value, f.Source, f.VerifiedAt)
	}
	return b.String()
}
