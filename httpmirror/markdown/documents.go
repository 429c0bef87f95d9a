package markdown

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

//go:embed documents.tmpl
var documentTexts string

// documents are the templates of the documents, by name.
var documents = template.Must(template.New("").Funcs(template.FuncMap{
	"text": Text, "code": Code, "address": Address, "link": Link, "fence": Fence, "quotation": quotation, "fact": fact,
	"count": phrase.Count, "thousands": phrase.Thousands, "values": phrase.MethodValues, "class": phrase.ReadingClass,
	"answers": phrase.WhoAnswers, "historyCounts": phrase.HistoryCounts, "support": phrase.Support,
	"copy": phrase.CopyRead, "sentence": phrase.Sentence, "lastRead": phrase.EntryReading,
	"pathID": catalog.HistoryPathID, "day": dateOrUnknown,
	"fields": new(catalog.Profile).GroupedFields,
	"sats":   func(n int64) int { return int(n) }, "parts": calendarParts,
	"entryPath":      func(id string) string { return catalog.MarkdownPath(catalog.EntryPath(id)) },
	"historyDayPath": func(d catalog.Date) string { return catalog.MarkdownPath(catalog.HistoryDayPath(d)) },
	"next":           func(i int) int { return i + 1 },
	"sample":         func() string { return phrase.SampleSupport },
	"x402":           func() string { return catalog.X402Note },
	"reportByFile":   func() string { return phrase.ReportByFile },
	"openSource":     func() string { return phrase.OpenSource },
	"sourceOf":       phrase.SourceOf,
	"runYourOwn":     func() string { return phrase.RunYourOwn },
	"runCommands":    func() string { return phrase.RunCommands },
	"findings":       func() map[string]string { return catalog.LinkFindingKinds },
	"indent": func(text, by string) string {
		return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
	},
}).Parse(documentTexts))

// Document returns a document by the template of a name. It panics where the template does not fit the document.
func (r *Renderer) Document(name string, doc any) []byte {
	var b bytes.Buffer
	if err := documents.ExecuteTemplate(&b, name, view{r, r.cat, doc}); err != nil {
		panic(fmt.Sprintf("markdown: %v", err))
	}
	return b.Bytes()
}

// Entries are a list of entries: those of a category or with a tag.
type Entries struct {
	Subject any
	Entries []*catalog.Entry
}

// A Day is a day of the change feed: the changes that are not entries, and the entries.
type Day struct {
	*catalog.ChangeList
	Others  []catalog.Change
	Entries []*catalog.Entry
}

// A LinkedEntry is a library entry with the records that belong to it.
type LinkedEntry struct {
	*catalog.Entry
	Category   catalog.Category
	Protocols  []*catalog.Protocol        // those whose tags it carries
	Articles   []*catalog.Article         // those that rest on it
	Questions  []string                   // that the entry answers
	Statements []catalog.ClassedStatement // about its source
	Reading    *catalog.ClassedReading    // of its summary; nil: none
}

// LinkedEntry returns an entry with the records that belong to it.
func (r *Renderer) LinkedEntry(e *catalog.Entry) LinkedEntry {
	l := LinkedEntry{Entry: e, Articles: r.cited[e.ID], Questions: r.cat.Questions(e.ID), Statements: r.cat.ClassedStatements(e)}
	if reading, ok := r.cat.EntryReading(e); ok {
		l.Reading = &reading
	}
	l.Category, _ = r.cat.Category(e.Category) // the catalog has no entries without one
	for _, t := range e.Tags {
		if p, ok := r.cat.Protocol(t); ok {
			l.Protocols = append(l.Protocols, p)
		}
	}
	return l
}

// A Protocol is the document of a protocol, with other records of the catalogue about it.
type Protocol struct {
	*catalog.ProtocolDocument
	ID       string
	Tag      *catalog.Tag // nil: there is none
	Articles []*catalog.Article
}

// A view is the data of the templates.
type view struct {
	*Renderer
	Cat *catalog.Catalog
	Doc any
}

// URL returns the address of a path as a link whose text is the address.
func (r *Renderer) URL(path string) string { return Address(r.site.URL(path)) }

// Link returns a link to a path.
func (r *Renderer) Link(text, path string) string { return Link(text, r.site.URL(path)) }

// Title returns the beginning of a document: its title, a summary, and where its other forms are.
func (r *Renderer) Title(title, summary, htmlPath, jsonPath string) string {
	return fmt.Sprintf("# %s\n\n%s\n\n- JSON: %s\n- HTML: %s\n", Text(title), Text(summary), r.URL(jsonPath), r.URL(htmlPath))
}

// Forms returns where the other forms of a list are.
func (r *Renderer) Forms(id, section, generatedAt string) string {
	var w Writer
	w.Item("JSON", r.URL("/api"+section+id+".json"))
	w.Item("HTML", r.URL(section+id+"/"))
	w.Item("Generated at", generatedAt)
	return w.String()
}

// Entry returns the entry with an id, which is one of an article's.
func (r *Renderer) Entry(id string) *catalog.Entry {
	e, _ := r.cat.Entry(id) // the catalog has no articles that name others
	return e
}

// Absolute returns a Markdown text whose links work wherever it is read.
func (r *Renderer) Absolute(text string) string { return absoluteLinks(text, r.site.Base) }

// Readings returns the evidence for a fact about a protocol; none if there is none.
func (r *Renderer) Readings(protocol, fact string) []catalog.SourceReading {
	return r.cat.Readings("protocol:"+protocol, fact)
}

// A calendarPart is the entries of the calendar before or after its day.
type calendarPart struct {
	Title   string
	Entries []catalog.CalendarEntry
}

func calendarParts(d *catalog.CalendarDocument) []calendarPart {
	upcoming, past := d.Upcoming()
	return []calendarPart{{"Upcoming", upcoming}, {"Past", past}}
}
