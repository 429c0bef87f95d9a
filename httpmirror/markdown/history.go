package markdown

import (
	"cmp"
	"encoding/json"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
)

// History renders the list of the days of the history.
func (r *Renderer) History(w *Writer) {
	r.title(w, "History", "What was added, edited and read again, day by day and member by member.",
		catalog.HistoryPath, catalog.HistoryJSONPath)
	r.write(w, "history", r.cat.HistoryIndex())
}

// HistoryDay renders the changes of a day.
func (r *Renderer) HistoryDay(w *Writer, doc *catalog.HistoryDayList) {
	r.title(w, "Changed on "+string(doc.Date), phrase.Count(doc.Count, "change", "changes")+".",
		catalog.HistoryDayPath(doc.Date), catalog.HistoryDayJSONPath(doc.Date))
	w.Item("Generated at", doc.GeneratedAt)
	for _, e := range doc.Events {
		w.Printf("\n## %s\n\n", Text(e.Title))
		w.Item("Record", Code(e.Record)+", "+e.Change+". "+
			r.link("Its history", catalog.RecordHistoryMarkdownPath(catalog.HistoryPathID(e.Record))))
		r.memberChanges(w, e.Members)
	}
}

// RecordHistory renders the changes to a record.
func (r *Renderer) RecordHistory(w *Writer, doc *catalog.RecordHistory) {
	id := catalog.HistoryPathID(doc.Record)
	r.title(w, "History: "+doc.Title, phrase.Count(doc.Count, "change", "changes")+" of "+doc.Record+", newest first.",
		catalog.RecordHistoryPath(id), catalog.RecordHistoryJSONPath(id))
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
		if catalog.DigestMember(m.Name) {
			w.Item(Code(m.Name), "changed")
			continue
		}
		w.Item(Code(m.Name), "")
		r.memberValue(w, "was", m, m.Old)
		r.memberValue(w, "is", m, m.New)
	}
}

// memberValue writes a value of a member. Links in our own texts are made to work wherever they are read. Quotes stay
// as their sources have them.
func (r *Renderer) memberValue(w *Writer, label string, m catalog.MemberChange, value json.RawMessage) {
	text := m.Text(value)
	if strings.HasPrefix(m.Name, "body") || strings.HasPrefix(m.Name, "readme") {
		text = string(absoluteLinks(text, r.site.Base))
	}
	switch {
	case text == "":
		w.Printf("  - %s: nothing\n", label)
	case strings.ContainsAny(text, "\n`"):
		w.Printf("  - %s:\n\n%s\n", label, Fence(strings.TrimSuffix(text, "\n"), "    "))
	default:
		w.Printf("  - %s: %s\n", label, Code(text))
	}
}

// Changes renders the list of days with changes.
func (r *Renderer) Changes(w *Writer) {
	doc := r.cat.ChangeIndex()
	r.title(w, "Changes by day", "What we checked, day by day, newest first.",
		catalog.ChangesIndexPath, catalog.ChangesIndexJSONPath)
	w.Item("Atom feed", r.url(catalog.AtomPath))
	w.Item("JSON Feed", r.url(catalog.JSONFeedPath))
	w.Item("Generated at", doc.GeneratedAt)
	w.Printf("\n## Days\n\n")
	for _, d := range doc.Days {
		kinds := strings.Join(phrase.ChangeCounts(r.cat, d.Date), ", ")
		if d.Count == 0 {
			kinds = "all read again later"
		}
		w.Item(r.link(string(d.Date), catalog.ChangesMarkdownPath(d.Date)), phrase.Count(d.Count, "record", "records")+
			" ("+kinds+")")
	}
}

// Calendar renders the days on which something expires, applies, closes, starts or ends.
func (r *Renderer) Calendar(w *Writer) {
	doc := r.cat.Calendar()
	lede := "Days on which drafts expire, laws apply, consultations close and support ends. Upcoming means after " +
		string(doc.AsOf) + "."
	r.title(w, "Calendar", lede, catalog.CalendarPath, catalog.CalendarJSONPath)
	r.write(w, "calendar", doc)
}

// Day renders one day of the change feed: the changes that are not entries, which stand on the first page of the day,
// and the part's entries.
func (r *Renderer) Day(w *Writer, doc *catalog.ChangeList, others []catalog.Change, p paging.Part) {
	w.Printf("# Verified on %s\n\n%s on this day.\n\n", p.Title(string(doc.Date)),
		phrase.Count(doc.Count, "record was verified", "records were verified"))
	r.part(w, p, doc.GeneratedAt, ofDay(catalog.ChangesJSONPath), ofDay(catalog.ChangesPath),
		ofDay(catalog.ChangesMarkdownPath))
	if len(others) > 0 {
		w.Printf("\n## Documents\n\n")
	}
	for _, ch := range others {
		line := ch.Kind + ", " + published(ch.DatePublished)
		if ch.Note != "" {
			line += ". " + Text(ch.Note)
		}
		w.Item(Link(ch.Title, cmp.Or(ch.MDURL, ch.URL)), line)
	}
	if len(p.Entries) > 0 {
		w.Printf("\n## Sources\n\n")
	}
	for _, e := range p.Entries {
		w.Item(r.link(e.Title, catalog.EntryMarkdownPath(e.ID)),
			Text(e.Publisher)+", "+Text(e.Type)+", "+published(e.DatePublished)+". "+Text(e.Summary))
	}
}

// ofDay returns the path function of days for the ids of parts.
func ofDay(path func(catalog.Date) string) func(id string) string {
	return func(id string) string { return path(catalog.Date(id)) }
}

// published returns when something was published, within a sentence.
func published(d *catalog.Date) string {
	if d == nil {
		return "undated"
	}
	return "published " + string(*d)
}

// Evidence renders the evidence for a record.
func (r *Renderer) Evidence(w *Writer, doc *catalog.EvidenceDocument) {
	id := catalog.HistoryPathID(doc.Record)
	r.title(w, "Evidence: "+doc.Title, "The quotes behind "+doc.Record+
		", each with its source and the copy that we read. The source that we follow comes first.",
		catalog.EvidencePath(id), catalog.EvidenceJSONPath(id))
	w.Item("Generated at", doc.GeneratedAt)
	w.Item("The record", Address(doc.HTMLURL))
	for _, m := range doc.Members {
		w.Printf("\n## %s\n\n", Text(m.Member))
		for _, s := range m.Readings {
			sourceReading(w, s)
		}
	}
}

// sourceReading writes the reading of a source, with the copy that was read.
func sourceReading(w *Writer, s catalog.ClassedReading) {
	holds := "holds"
	if !s.Holds {
		holds = "does not hold for this record"
	}
	w.Item(Code(s.Quote), holds)
	w.Printf("  - source: %s\n  - copy: %s\n", Address(s.URL), Text(phrase.CopyRead(s.SourceReading)))
	w.Printf("  - class: %s\n", Text(phrase.ReadingClass(s)))
	if s.SHA256 != nil {
		w.Printf("  - sha256: %s\n", *s.SHA256)
	}
	if s.Note != nil {
		w.Printf("  - note: %s\n", Text(*s.Note))
	}
}

// factEvidence writes the link to the evidence for a fact, and the texts that contradict it.
func (r *Renderer) factEvidence(w *Writer, p *catalog.Protocol, name string) {
	id := catalog.HistoryPathID("protocol:" + p.ID)
	e, ok := r.cat.Evidence(id)
	if !ok {
		return
	}
	m, ok := e.Member(name)
	if !ok {
		return
	}
	w.Printf("  - evidence: %s\n", Address(r.site.URL(catalog.EvidencePath(id))+"#"+name))
	for _, s := range m.Readings {
		if s.Holds {
			continue
		}
		w.Printf("  - another text says: %s", Code(s.Quote))
		if s.Note != nil {
			w.Printf(" (%s)", Text(*s.Note))
		}
		w.Printf("\n")
	}
}
