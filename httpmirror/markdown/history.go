package markdown

import (
	"encoding/json"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// History renders the list of the days of the history.
func (r *Renderer) History(w *Writer) {
	doc := r.cat.HistoryIndex()
	r.title(w, "History", "What was added, edited and read again, day by day and member by member.", catalog.HistoryPath, catalog.HistoryJSONPath)
	w.Item("Generated at", doc.GeneratedAt)
	w.Printf("\n## Days\n\n")
	for _, d := range doc.Days {
		w.Item(r.link(string(d.Date), catalog.HistoryDayMarkdownPath(d.Date)), phrase.HistoryCounts(d))
	}
}

// HistoryDay renders what changed on a day.
func (r *Renderer) HistoryDay(w *Writer, doc *catalog.HistoryDayList) {
	r.title(w, "Changed on "+string(doc.Date), phrase.Count(doc.Count, "change", "changes")+".", catalog.HistoryDayPath(doc.Date), catalog.HistoryDayJSONPath(doc.Date))
	w.Item("Generated at", doc.GeneratedAt)
	for _, e := range doc.Events {
		w.Printf("\n## %s\n\n", Text(e.Title))
		w.Item("Record", Code(e.Record)+", "+e.Change+". "+Link("Its history", r.url(catalog.RecordHistoryMarkdownPath(catalog.HistoryPathID(e.Record)))))
		r.memberChanges(w, e.Members)
	}
}

// RecordHistory renders what changed in a record.
func (r *Renderer) RecordHistory(w *Writer, doc *catalog.RecordHistory) {
	id := catalog.HistoryPathID(doc.Record)
	r.title(w, "History: "+doc.Title, phrase.Count(doc.Count, "change", "changes")+" of "+doc.Record+", newest first.", catalog.RecordHistoryPath(id), catalog.RecordHistoryJSONPath(id))
	if doc.HTMLURL != "" {
		w.Item("The record as it is", Address(doc.HTMLURL))
	}
	for _, e := range doc.Events {
		w.Printf("\n## %s, %s\n\n", e.Date, e.Change)
		r.memberChanges(w, e.Members)
	}
}

func (r *Renderer) memberChanges(w *Writer, members []catalog.MemberChange) {
	for _, m := range members {
		w.Item(Code(m.Name), "")
		r.memberValue(w, "was", m, m.Old)
		r.memberValue(w, "is", m, m.New)
	}
}

// memberValue writes a value of a member. Links in texts are made to work wherever they are read.
func (r *Renderer) memberValue(w *Writer, label string, m catalog.MemberChange, value json.RawMessage) {
	switch text := string(absoluteLinks(m.Text(value), r.site.Base)); {
	case text == "":
		w.Printf("  - %s: nothing\n", label)
	case strings.ContainsAny(text, "\n`"):
		w.Printf("  - %s:\n\n%s\n", label, Fence(strings.TrimSuffix(text, "\n"), "    "))
	default:
		w.Printf("  - %s: %s\n", label, Code(text))
	}
}
