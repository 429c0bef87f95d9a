package markdown

import (
	"cmp"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
)

// Changes renders the list of days with changes.
func (r *Renderer) Changes(w *Writer) {
	doc := r.cat.ChangeIndex()
	r.title(w, "Changes by day", "Everything that was verified, day by day, newest first.", catalog.ChangesIndexPath, catalog.ChangesIndexJSONPath)
	w.Item("Atom feed", r.url(catalog.AtomPath))
	w.Item("JSON Feed", r.url(catalog.JSONFeedPath))
	w.Item("Generated at", doc.GeneratedAt)
	w.Printf("\n## Days\n\n")
	for _, d := range doc.Days {
		kinds := strings.Join(phrase.ChangeCounts(r.cat, d.Date), ", ")
		if d.Count == 0 {
			kinds = "all read again later"
		}
		w.Item(r.link(string(d.Date), catalog.ChangesMarkdownPath(d.Date)), phrase.Count(d.Count, "record", "records")+" ("+kinds+")")
	}
}

// Day renders one day of the change feed: the changes that are not entries, which stand on the first page of the day, and
// the part's entries.
func (r *Renderer) Day(w *Writer, doc *catalog.ChangeList, others []catalog.Change, p paging.Part) {
	w.Printf("# Verified on %s\n\n%s on this day.\n\n", p.Title(string(doc.Date)),
		phrase.Count(doc.Count, "record was verified", "records were verified"))
	r.part(w, p, doc.GeneratedAt, ofDay(catalog.ChangesJSONPath), ofDay(catalog.ChangesPath), ofDay(catalog.ChangesMarkdownPath))
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
