package tools

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"almanac/catalog"
	"almanac/index/find"
	"almanac/nearest"
	"almanac/wirejson"
)

// entryFields are the fields of a library entry, the most useful to an agent first.
var entryFields = []string{
	"id", "title", "url", "summary", "type", "date_published", "tags", "verified_at",
	"publisher", "authors", "category", "last_checked", "http_status", "archive_url", "featured",
}

// conciseFields are those of a concise list. verified_at is among them so that whatever is cited
// from a list can be cited with its date.
var conciseFields = entryFields[:8]

// maxConcise is the length limit, in characters, of a summary in a concise list. It keeps a page
// of ten near 2,000 tokens in both its forms together.
const maxConcise = find.MaxLine

// An item is a library entry, encoded.
type item struct {
	*catalog.Entry
	fields  [15]piece // in the order of entryFields; an absent one is empty
	concise piece     // an object, and a line of a list
	full    piece     // an object, and a line of a list
	entry   piece     // an object, and the same as text
}

// maxItems bounds the items that are kept; each takes about seven kilobytes. Those of a large library are made for each answer.
const maxItems = 1_000

// entries are the library, arranged as lists need it.
type entries struct {
	catalog    *catalog.Catalog
	all        []*catalog.Entry // in the published order
	byURL      []*catalog.Entry // sorted by the address of the source
	ids        []string         // sorted
	names      *names           // of the entries: their ids, to find the nearest
	categories []string
	tags       []string
	tagNames   *nearest.Vocabulary

	items sync.Map // by entry: those that are kept
	kept  atomic.Int64
}

func newEntries(c *catalog.Catalog) *entries {
	es := &entries{catalog: c, all: c.Entries(), ids: make([]string, 0, len(c.Entries()))}
	for _, e := range es.all {
		es.ids = append(es.ids, e.ID)
	}
	slices.Sort(es.ids)
	es.byURL = slices.SortedFunc(slices.Values(es.all), func(a, b *catalog.Entry) int { return strings.Compare(a.URL, b.URL) })
	es.names = newNames(es.ids)
	for _, k := range c.Categories() {
		es.categories = append(es.categories, k.ID)
	}
	for _, t := range c.Tags() {
		es.tags = append(es.tags, t.ID)
	}
	es.tagNames = nearest.NewVocabulary(es.tags)
	return es
}

// withURL returns the entry whose source has an address.
func (es *entries) withURL(url string) (*catalog.Entry, bool) {
	i, ok := slices.BinarySearchFunc(es.byURL, url, func(e *catalog.Entry, url string) int { return strings.Compare(e.URL, url) })
	if !ok {
		return nil, false
	}
	return es.byURL[i], true
}

// item returns an entry, encoded.
func (es *entries) item(e *catalog.Entry) *item {
	if it, ok := es.items.Load(e); ok {
		return it.(*item)
	}
	it := newItem(es.catalog, e)
	if es.kept.Add(1) <= maxItems {
		es.items.Store(e, it)
	}
	return it
}

// A statement is what get_entry returns of a statement about an entry.
type statement struct {
	About  string              `json:"about"`
	Text   string              `json:"text"`
	Source string              `json:"source"`
	Class  catalog.SourceClass `json:"class"` // of the copy that was read
	ReadAt catalog.Date        `json:"read_at"`
}

func statementsAbout(c *catalog.Catalog, e *catalog.Entry) (list []statement) {
	for _, s := range c.ClassedStatements(e) {
		if len(s.Readings) > 0 {
			r := s.Readings[0]
			list = append(list, statement{s.About, s.Text, r.URL, r.Class, r.ReadAt})
		}
	}
	return list
}

func newItem(c *catalog.Catalog, e *catalog.Entry) *item {
	it := &item{Entry: e}
	short := *e
	short.Summary = find.FirstSentence(e.Summary)
	concise := fieldPieces(&short)
	it.fields = fieldPieces(e)
	it.concise = joinFields(&concise, fieldIndexes(conciseFields))
	it.full = joinFields(&it.fields, fieldIndexes(entryFields))
	whole := it.full.json
	if list := statementsAbout(c, e); list != nil {
		whole = append(append(append(slices.Clone(whole[:len(whole)-1]), `,"statements":`...), encode(list)...), '}')
	}
	it.entry = jsonPiece(string(whole))
	return it
}

// fieldPieces encodes each field of an entry: a member of an object, and its part of a line.
func fieldPieces(e *catalog.Entry) (ps [15]piece) {
	bare := func(name string, v any, text string) {
		i := slices.Index(entryFields, name)
		ps[i] = piece{
			json: append(strconv.AppendQuote(nil, name), append([]byte(":"), encode(v)...)...),
			text: wirejson.AppendEscaped(nil, text),
		}
	}
	labelled := func(name string, v any, text string) { bare(name, v, name+": "+text) }
	labelled("id", e.ID, e.ID)
	bare("title", e.Title, "**"+e.Title+"**")
	bare("url", e.URL, e.URL)
	bare("summary", e.Summary, e.Summary)
	labelled("type", e.Type, e.Type)
	labelled("date_published", e.DatePublished, orUnknown(string(e.Published())))
	labelled("tags", e.Tags, strings.Join(e.Tags, ", "))
	labelled("verified_at", e.VerifiedAt, string(e.VerifiedAt))
	labelled("publisher", e.Publisher, e.Publisher)
	labelled("authors", e.Authors, orNone(strings.Join(e.Authors, ", ")))
	labelled("category", e.Category, e.Category)
	labelled("last_checked", e.LastChecked, lastChecked(e))
	labelled("http_status", e.HTTPStatus, httpStatus(e.HTTPStatus))
	archive := ""
	if e.ArchiveURL != nil {
		archive = *e.ArchiveURL
	}
	labelled("archive_url", e.ArchiveURL, orNone(archive))
	if e.Featured {
		labelled("featured", true, "true")
	}
	return ps
}

// lastChecked returns the day of the last link check. Without one, the member has the day on which the source was read.
func lastChecked(e *catalog.Entry) string {
	if e.HTTPStatus == 0 {
		return string(e.LastChecked) + " (the day it was read: no link check)"
	}
	return string(e.LastChecked)
}

func httpStatus(n int) string {
	if n == 0 {
		return "0 (no link check has observed it in this installation)"
	}
	return strconv.Itoa(n)
}

// joinFields returns an object, and a line of a list, with some fields of an entry.
func joinFields(fields *[15]piece, which []int) piece {
	p := piece{json: []byte{'{'}, text: []byte("- ")}
	for _, i := range which {
		f := fields[i]
		if f.json == nil {
			continue
		}
		if len(p.json) > 1 {
			p.json = append(p.json, ',')
			p.text = append(p.text, "; "...)
		}
		p.json = append(p.json, f.json...)
		p.text = append(p.text, f.text...)
	}
	p.json = append(p.json, '}')
	p.text = append(p.text, `\n`...)
	return p
}

func fieldIndexes(names []string) []int {
	which := make([]int, len(names))
	for i, name := range names {
		which[i] = slices.Index(entryFields, name)
	}
	return which
}
