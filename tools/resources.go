package tools

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
)

const (
	jsonType     = "application/json"
	markdownType = "text/markdown"
)

// CacheMillis is how long a client may keep lists and resources, in milliseconds. The data
// changes about once a day; an hour keeps it fresh enough.
const CacheMillis = 3_600_000

// A Content is what a resource holds.
type Content struct {
	URI  string
	MIME string
	text []byte // the inside of a JSON string
}

// Text gives the content as it is.
func (c *Content) Text() string {
	s, _ := unescape(c.text) // it was escaped here
	return s
}

// Append appends the content as the result of resources/read; see Answer.Append.
func (c *Content) Append(dst []byte, more, meta string) []byte {
	dst = append(dst, `{"contents":[{"uri":"`...)
	dst = appendEscaped(dst, c.URI)
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

// books are the resources. The fixed ones are encoded once; a name ending in .md is the Markdown
// form of what stands without it.
type books struct {
	t         *Tools
	fixed     map[string]*Content // by URI
	entryHead []byte              // of an entry document, escaped
	datasets  []string
	protocols []string
	days      []string
}

func newBooks(t *Tools) *books {
	b := &books{t: t, fixed: make(map[string]*Content)}
	c := t.c
	b.set("library://categories", encode(c.CategoryIndex()))
	b.set("library://protocol-facts", encode(c.Protocols()))
	b.set("library://support", encode(c.Support()))
	b.fixed["library://categories.md"] = &Content{"library://categories.md", markdownType, t.categories().text.appendTo(nil)}
	var all strings.Builder
	for _, p := range c.Protocols().Protocols {
		uri := "library://protocol/" + p.ID
		b.set(uri, encode(p))
		b.text(uri+".md", protocolMarkdown(p))
		all.WriteString(protocolMarkdown(p) + "\n")
		b.protocols = append(b.protocols, p.ID)
	}
	b.text("library://protocol-facts.md", all.String())
	for _, d := range c.ChangeDays() {
		b.days = append(b.days, string(d))
	}
	for _, d := range c.Datasets() {
		b.set("dataset://card/"+d.ID, encode(c.DatasetCard(d)))
		b.text("dataset://card/"+d.ID+".md", d.Readme)
		b.datasets = append(b.datasets, d.ID)
	}
	e := c.EntryDocument(&catalog.Entry{})
	b.entryHead = appendEscaped(nil, fmt.Sprintf(`{"schema_version":%q,"generated_at":%q,"$schema":%q,"entry":`, e.SchemaVersion, e.GeneratedAt, e.Schema))
	return b
}

func (b *books) set(uri string, json []byte) {
	b.fixed[uri] = &Content{uri, jsonType, appendEscaped(nil, string(json))}
}

func (b *books) text(uri, markdown string) {
	b.fixed[uri] = &Content{uri, markdownType, appendEscaped(nil, markdown)}
}

// Read gives a resource, or false. It takes only addresses written as they are published: nothing
// is decoded, so that nothing can be smuggled in.
func (t *Tools) Read(uri string) (*Content, bool) {
	if c, ok := t.books.fixed[uri]; ok {
		return c, true
	}
	rest, ok := strings.CutPrefix(uri, "library://")
	if !ok {
		return nil, false
	}
	shelf, name, ok := strings.Cut(rest, "/")
	if !ok {
		return nil, false
	}
	switch shelf {
	case "entry":
		return t.books.entry(uri, name)
	case "category":
		return t.books.category(uri, name)
	case "changes":
		return t.books.changes(uri, name)
	}
	return nil, false
}

// markdown tells whether the Markdown form of a name is asked for.
func markdown(name string) (string, bool) { return strings.CutSuffix(name, ".md") }

func (b *books) entry(uri, name string) (*Content, bool) {
	id, md := markdown(name)
	it, ok := b.t.lib.byID[id]
	if !ok {
		return nil, false
	}
	if md {
		return &Content{uri, markdownType, it.full.text}, true
	}
	text := make([]byte, 0, len(b.entryHead)+len(it.entry.text)+1)
	text = append(append(append(text, b.entryHead...), it.entry.text...), '}')
	return &Content{uri, jsonType, text}, true
}

// category gives a page of the whole entries of a category: ?cursor= and ?limit= choose it.
func (b *books) category(uri, name string) (*Content, bool) {
	name, query, _ := strings.Cut(name, "?")
	id, md := markdown(name)
	if _, ok := b.t.c.Category(id); !ok {
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
	items := b.t.lib.byCategory[id]
	q := queryID("category", id)
	offset, err := b.t.offset(cursor, q, len(items))
	if err != nil {
		return nil, false
	}
	p := page{total: len(items), offset: offset, limit: limit, next: func(n int) string { return b.t.cursor(q, n) }}
	p.more = fmt.Sprintf("Next page: read library://category/%s?cursor=", name)
	head := fmt.Sprintf(`"schema_version":"1","generated_at":%q,"category":%q`, b.t.c.GeneratedAt(), id)
	return b.page(uri, md, p.write("Category "+id, head, func(i int) piece { return items[i].full })), true
}

// page gives an answer as a resource, in one of its two forms.
func (b *books) page(uri string, md bool, a *Answer) *Content {
	if md {
		return &Content{uri, markdownType, a.text.appendTo(nil)}
	}
	return &Content{uri, jsonType, appendEscaped(nil, string(a.structured.appendTo(nil)))}
}

// changes gives the change feed document of a day, or its beginning and the cursor with which
// list_changes goes on.
func (b *books) changes(uri, name string) (*Content, bool) {
	name, md := markdown(name)
	day := catalog.Date(name)
	if name == "latest" {
		day = b.t.latest()
	} else if d, err := catalog.ParseDate(name); err != nil || d != day || day > catalog.DateOf(b.t.o.Now()) {
		return nil, false
	}
	changes := b.t.feed.byDate[day]
	p := b.t.changesPage(day, day, nil, len(changes))
	p.limit = len(changes)
	p.more = fmt.Sprintf("The rest: call list_changes with date %s and cursor ", day)
	head := fmt.Sprintf(`"schema_version":"1","generated_at":%q,"date":%q,"field":"verified_at"`, b.t.c.GeneratedAt(), day)
	return b.page(uri, md, p.write("Changes of "+string(day), head, func(i int) piece { return changes[i].piece })), true
}

// protocolMarkdown gives the facts of a protocol as a section, each with where and when it was
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
