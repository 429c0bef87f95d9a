package markdown

import (
	_ "embed"
	"fmt"
	"text/template"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

//go:embed documents.tmpl
var documentTexts string

// documents are the templates of documents below their titles.
var documents = template.Must(template.New("").Funcs(template.FuncMap{
	"text": Text, "code": Code, "address": Address, "link": Link, "fence": Fence,
	"count": phrase.Count, "thousands": phrase.Thousands, "values": phrase.MethodValues, "class": phrase.ReadingClass,
	"answers": phrase.WhoAnswers, "historyCounts": phrase.HistoryCounts,
	"entryPath": catalog.EntryMarkdownPath, "historyDayPath": catalog.HistoryDayMarkdownPath,
	"sats": func(n int64) int { return int(n) }, "parts": calendarParts,
}).Parse(documentTexts))

// A view is the data of the templates.
type view struct {
	r   *Renderer
	Cat *catalog.Catalog
	Doc any
}

// URL returns the address of a path as a link whose text is the address.
func (v view) URL(path string) string { return v.r.url(path) }

// Link returns a link to a path.
func (v view) Link(text, path string) string { return v.r.link(text, path) }

// write writes a document by its template. It panics where the template does not fit the document.
func (r *Renderer) write(w *Writer, name string, doc any) {
	if err := documents.ExecuteTemplate(w, name, view{r, r.cat, doc}); err != nil {
		panic(fmt.Sprintf("markdown: %v", err))
	}
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
