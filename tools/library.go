package tools

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
)

// entryFields are the fields of a library entry in the order in which an agent wants them.
var entryFields = []string{
	"id", "title", "url", "summary", "type", "date_published", "tags", "verified_at",
	"publisher", "authors", "category", "last_checked", "http_status", "archive_url", "featured",
}

// conciseFields are what a list shows unless it is asked for more. verified_at is among them so
// that whatever is cited from a list can be cited with its date.
var conciseFields = entryFields[:8]

// maxConcise is the most characters of a summary in a concise list, which keeps a page of ten near
// 2,000 tokens in both its forms together.
const maxConcise = 120

// An item is a library entry, encoded once.
type item struct {
	*catalog.Entry
	fields  [15]piece // by entryFields; an absent one is empty
	concise piece     // an object and a line
	full    piece     // an object and a line
	entry   piece     // an object, and the same as text
}

// A library is the entries as lists are made of them.
type library struct {
	build      [6]byte // tells the data from older and newer data; equal on every replica
	all        []*item
	byID       map[string]*item
	byCategory map[string][]*item
	byTag      map[string][]*item
	ids        []string // sorted
	categories []string
	tags       []string
}

func newLibrary(c *catalog.Catalog) *library {
	l := &library{
		byID: make(map[string]*item), byCategory: make(map[string][]*item), byTag: make(map[string][]*item),
	}
	h := sha256.New()
	for _, e := range c.Entries() {
		it := newItem(e)
		l.all = append(l.all, it)
		l.ids = append(l.ids, e.ID)
		l.byID[e.ID] = it
		l.byCategory[e.Category] = append(l.byCategory[e.Category], it)
		for _, tag := range e.Tags {
			l.byTag[tag] = append(l.byTag[tag], it)
		}
		h.Write(it.full.json)
	}
	for _, d := range c.ChangeDays() {
		h.Write(encode(c.Changes(d).Entries))
	}
	copy(l.build[:], h.Sum(nil))
	slices.Sort(l.ids)
	for _, k := range c.Categories() {
		l.categories = append(l.categories, k.ID)
	}
	for _, t := range c.Tags() {
		l.tags = append(l.tags, t.ID)
	}
	return l
}

func newItem(e *catalog.Entry) *item {
	it := &item{Entry: e}
	short := *e
	short.Summary = firstSentence(e.Summary)
	concise := fieldPieces(&short)
	it.fields = fieldPieces(e)
	it.concise = joinFields(&concise, indexesOf(conciseFields))
	it.full = joinFields(&it.fields, indexesOf(entryFields))
	it.entry = same(string(it.full.json))
	return it
}

// fieldPieces encodes each field of an entry: a member of an object, and its words in a line.
func fieldPieces(e *catalog.Entry) (ps [15]piece) {
	member := func(name string, v any, words string) {
		i := slices.Index(entryFields, name)
		ps[i] = piece{
			json: append(strconv.AppendQuote(nil, name), append([]byte(":"), encode(v)...)...),
			text: appendEscaped(nil, words),
		}
	}
	named := func(name string, v any, words string) { member(name, v, name+": "+words) }
	named("id", e.ID, e.ID)
	member("title", e.Title, "**"+e.Title+"**")
	member("url", e.URL, e.URL)
	member("summary", e.Summary, e.Summary)
	named("type", e.Type, e.Type)
	named("date_published", e.DatePublished, orUnknown(string(e.Published())))
	named("tags", e.Tags, strings.Join(e.Tags, ", "))
	named("verified_at", e.VerifiedAt, string(e.VerifiedAt))
	named("publisher", e.Publisher, e.Publisher)
	named("authors", e.Authors, orNone(strings.Join(e.Authors, ", ")))
	named("category", e.Category, e.Category)
	named("last_checked", e.LastChecked, string(e.LastChecked))
	named("http_status", e.HTTPStatus, httpStatus(e.HTTPStatus))
	archive := ""
	if e.ArchiveURL != nil {
		archive = *e.ArchiveURL
	}
	named("archive_url", e.ArchiveURL, orNone(archive))
	if e.Featured {
		named("featured", true, "true")
	}
	return ps
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func httpStatus(n int) string {
	if n == 0 {
		return "0 (not yet checked)"
	}
	return strconv.Itoa(n)
}

// joinFields makes an object, and a line of a list, of some fields of an entry.
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

func indexesOf(names []string) []int {
	which := make([]int, len(names))
	for i, name := range names {
		which[i] = slices.Index(entryFields, name)
	}
	return which
}

// firstSentence gives the first sentence of a summary, cut at a word if it is long.
func firstSentence(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' && i > 20 {
			s = s[:i+1]
			break
		}
	}
	if utf8.RuneCountInString(s) <= maxConcise {
		return s
	}
	cut := string([]rune(s)[:maxConcise-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// A filter chooses entries. Its zero value chooses all.
type filter struct {
	category, tag, typ string
	from, to           catalog.Date
}

// choose gives the entries that pass, in the published order.
func (l *library) choose(f filter) []*item {
	from := l.all
	if f.category != "" {
		from = l.byCategory[f.category]
	}
	if f.tag != "" && (f.category == "" || len(l.byTag[f.tag]) < len(from)) {
		from = l.byTag[f.tag]
	}
	if f.typ == "" && f.from == "" && f.to == "" && (f.category == "" || f.tag == "") {
		return from
	}
	var chosen []*item
	for _, it := range from {
		if f.passes(it.Entry) {
			chosen = append(chosen, it)
		}
	}
	return chosen
}

func (f filter) passes(e *catalog.Entry) bool {
	day := e.Published()
	return (f.category == "" || e.Category == f.category) &&
		(f.tag == "" || slices.Contains(e.Tags, f.tag)) &&
		(f.typ == "" || e.Type == f.typ) &&
		(f.from == "" || day >= f.from) &&
		(f.to == "" || day != "" && day <= f.to)
}

// IDs gives the ids of the library, sorted.
func (t *Tools) IDs() []string { return t.lib.ids }
