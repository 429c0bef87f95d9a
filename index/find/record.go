package find

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
)

// A Record is a record as a search shows it.
type Record struct {
	ID    string // as the change feed has it, but for library entries: mcp-go-sdk, protocol:x402, trust
	Kind  string
	Title string
	Line  string // what it is, in at most MaxLine characters
	Path  string // of its page
	URL   string // of the source of a library entry, of the page of any other record

	texts [len(places)][]string // in which it is looked for
}

// kindEntry is the kind of library entries.
const kindEntry = "entry"

// A place is where a record has a term.
type place uint8

const (
	inID place = iota
	inTitle
	inTag
	inPublisher
	inHost
	inQuestion
	inLine
	inSection
)

// places have the names that answers use and the weights that the ranking uses: of a word, and how much more when the text has
// no other.
var places = [...]struct {
	name          string
	weight, short float64
}{
	{"id", 2.5, 1}, {"title", 3, 1}, {"tag", 2, 0}, {"publisher", 1.5, 1}, {"host", 1.5, 0}, {"question", 1.5, 1}, {"line", 0.7, 1}, {"section", 0.7, 1},
}

// A List is the records of a catalogue: entries, protocols, articles, datasets, categories, tags and the single documents. Those of entries
// are made when they are asked for, since a large library has little else.
type List struct {
	c       *catalog.Catalog // nil: no entries
	entries []*catalog.Entry // which come first
	others  []Record
}

// Records returns the records of a catalogue. sections returns the names of the sections of a protocol, an article or a dataset by its id.
func Records(c *catalog.Catalog, sections func(id string) []string) *List {
	l := lister{c: c, sections: sections}
	l.addProtocols()
	l.addArticles()
	l.addDatasets()
	l.addLists()
	return &List{c, c.Entries(), l.records}
}

func (l *List) len() int { return len(l.entries) + len(l.others) }

// at returns a record.
func (l *List) at(i int) *Record {
	if i >= len(l.entries) {
		return &l.others[i-len(l.entries)]
	}
	e := l.entries[i]
	rec := &Record{ID: e.ID, Kind: kindEntry, Title: e.Title, Line: FirstSentence(e.Summary), Path: catalog.EntryPath(e.ID), URL: e.URL}
	rec.texts[inID], rec.texts[inTitle], rec.texts[inTag], rec.texts[inHost] = []string{e.ID}, []string{e.Title}, e.Tags, []string{hostOf(e.URL)}
	rec.texts[inPublisher] = append([]string{e.Publisher}, e.Authors...)
	rec.complete(l.c)
	return rec
}

// id returns the id of a record.
func (l *List) id(i int) string {
	if i >= len(l.entries) {
		return l.others[i-len(l.entries)].ID
	}
	return l.entries[i].ID
}

// slug returns the last name in the path of a record.
func (l *List) slug(i int) string {
	if i >= len(l.entries) {
		return path.Base(l.others[i-len(l.entries)].Path)
	}
	return l.entries[i].ID
}

// complete adds the texts of a record that all kinds have.
func (rec *Record) complete(c *catalog.Catalog) {
	rec.texts[inQuestion] = c.Questions(rec.ID)
	if rec.Line != "" {
		rec.texts[inLine] = []string{rec.Line}
	}
}

type texts map[place][]string

// A lister makes the records that are not of entries.
type lister struct {
	c        *catalog.Catalog
	sections func(id string) []string
	records  []Record
}

func (l *lister) add(rec Record, in texts) {
	if rec.URL == "" {
		rec.URL = l.c.Site().URL(rec.Path)
	}
	for p, list := range in {
		rec.texts[p] = list
	}
	rec.complete(l.c)
	l.records = append(l.records, rec)
}

func (l *lister) addProtocols() {
	facts := make(map[string]bool)
	for _, p := range l.c.Protocols().Protocols {
		facts[p.ID] = true
		line := "Checked facts about " + p.Name + "."
		for _, fact := range p.Facts() {
			if s, ok := fact.Value.(string); ok && fact.Name == "payment_rail" {
				line = FirstSentence(s)
			}
		}
		l.addProtocol(p.ID, p.Name, line)
	}
	for _, p := range l.c.Choices().Protocols {
		if !facts[p.ID] {
			l.addProtocol(p.ID, p.Name, FirstSentence(p.Sentence()))
		}
	}
}

func (l *lister) addProtocol(id, name, line string) {
	l.add(Record{ID: "protocol:" + id, Kind: "protocol", Title: name, Line: line, Path: catalog.ProtocolPath(id)},
		texts{inID: {id}, inTitle: {name, "protocol"}, inSection: l.sections("protocol:" + id)})
}

func (l *lister) addArticles() {
	for _, a := range l.c.Articles() {
		id := "article:" + a.ID
		l.add(Record{ID: id, Kind: "article", Title: a.Title, Line: FirstSentence(a.Summary), Path: catalog.ArticlePath(a.ID)},
			texts{inID: {a.ID}, inTitle: {a.Title}, inTag: append(slices.Clone(a.Tags), a.Protocols...), inSection: l.sections(id)})
	}
}

func (l *lister) addDatasets() {
	for _, ds := range l.c.Datasets() {
		id := "dataset:" + ds.ID
		names := slices.Clone(l.sections(id))
		for _, column := range ds.Columns {
			names = append(names, column.Name)
		}
		l.add(Record{ID: id, Kind: "dataset", Title: ds.Title, Line: FirstSentence(ds.Summary), Path: catalog.DatasetPath(ds.ID)},
			texts{inID: {ds.ID}, inTitle: {ds.Title, "dataset"}, inTag: ds.Keywords, inSection: names})
	}
}

// addLists adds categories, tags and the single documents.
func (l *lister) addLists() {
	for _, k := range l.c.Categories() {
		l.add(Record{ID: "category:" + k.ID, Kind: "category", Title: k.Label, Path: catalog.CategoryPath(k.ID)}, texts{inID: {k.ID}, inTitle: {k.Label}})
	}
	for _, tag := range l.c.Tags() {
		l.add(Record{ID: "tag:" + tag.ID, Kind: "tag", Title: "Tag " + tag.ID, Path: catalog.TagPath(tag.ID)}, texts{inID: {tag.ID}, inTitle: {tag.ID}})
	}
	for _, page := range []struct{ id, title, path, line string }{
		{"compare", "Compare protocols", catalog.ComparePath, "Payment protocols side by side, field by field, with the messages of a payment."},
		{"choose", "Choose a protocol", catalog.ChoosePath, "A few questions, and the payment protocols that fit."},
		{"connect", "Connect an agent", catalog.ConnectPath, "Install commands for MCP hosts."},
		{"whats-new", "What's new", catalog.ChangesIndexPath, "Changes day by day, with Atom and JSON feeds to subscribe to."},
		{"history", "History", catalog.HistoryPath, "What each value was and is, day by day."},
	} {
		l.add(Record{ID: page.id, Kind: page.id, Title: page.title, Line: page.line, Path: page.path}, texts{inID: {page.id}, inTitle: {page.title}})
	}
	if l.c.HasCalendar() {
		line := "When drafts expire, laws apply, consultations close and support ends."
		l.add(Record{ID: "calendar", Kind: "calendar", Title: "Calendar", Line: line, Path: catalog.CalendarPath}, texts{inID: {"calendar"}, inTitle: {"calendar"}})
	}
	if terms := l.c.Terms(); l.c.Payments() != catalog.PaymentsOff {
		line := fmt.Sprintf("%d satoshis buy %d full-text searches, over Lightning: the tool search_passages or GET %s.", terms.PriceSats, terms.Credits, catalog.SearchPath)
		l.add(Record{ID: "buy", Kind: "buy", Title: "Buy searches", Line: line, Path: catalog.L402Path},
			texts{inID: {"buy"}, inTitle: {"buy searches", "paid full-text search"}})
	}
	l.add(Record{ID: "trust", Kind: "trust", Title: "Trust checklist", Line: "What this service promises, each promise with a test, and its error codes.", Path: catalog.TrustPath},
		texts{inID: {"trust"}, inTitle: {"trust checklist", "promises", "error codes"}})
	l.add(Record{ID: "support", Kind: "support", Title: "Support document", Line: "Voluntary ways to tip this service.", Path: catalog.SupportPath},
		texts{inID: {"support"}, inTitle: {"support document", "tip", "donate"}})
}

// hostOf returns the host of an address with the first part of its path, which names the owner where a host has many.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return strings.TrimPrefix(u.Hostname(), "www.") + "/" + owner
}

// MaxLine bounds the line of a record in characters, so that a list of many stays short.
const MaxLine = 120

// FirstSentence returns the first sentence of a summary, cut at a word if it is long.
func FirstSentence(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' && i > 20 {
			s = s[:i+1]
			break
		}
	}
	if utf8.RuneCountInString(s) <= MaxLine {
		return s
	}
	cut := string([]rune(s)[:MaxLine-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
