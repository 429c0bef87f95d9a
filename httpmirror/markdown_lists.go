package httpmirror

import (
	"bytes"
	"strconv"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

func (b *builder) categoryMarkdown(k catalog.Category) []byte {
	doc, _ := b.cat.CategoryList(k.ID)
	var w mdWriter
	w.printf("# %s\n\n%s of the category %s, newest first.\n\n", mdText(k.Label), countOf(doc.Count, "source", "sources"), mdCode(k.ID))
	w.item("JSON", mdAddress(k.JSONURL))
	w.item("HTML", mdAddress(k.HTMLURL))
	w.item("Generated at", doc.GeneratedAt)
	w.item("Licence", mdText(doc.License))
	b.entriesMarkdown(&w, doc.Entries)
	return w.Bytes()
}

func (b *builder) tagMarkdown(t catalog.Tag) []byte {
	doc, _ := b.cat.TagList(t.ID)
	var w mdWriter
	w.printf("# Tag: %s\n\n%s. %s with this tag, by category and newest first in each.\n\n",
		mdText(t.ID), mdText(t.Label), countOf(doc.Count, "source", "sources"))
	w.item("JSON", mdAddress(t.JSONURL))
	w.item("HTML", mdAddress(t.HTMLURL))
	w.item("Generated at", doc.GeneratedAt)
	b.entriesMarkdown(&w, doc.Entries)
	return w.Bytes()
}

// entriesMarkdown writes the section of each entry, with every field of its document.
func (b *builder) entriesMarkdown(w *mdWriter, entries []*catalog.Entry) {
	size := 0
	for _, e := range entries {
		size += len(b.sections[e])
	}
	w.Grow(size)
	for _, e := range entries {
		w.Write(b.sections[e])
	}
}

// entrySections renders the section of each entry once, since half a dozen files show it.
func (b *builder) entrySections() error {
	entries := b.cat.Entries()
	bodies := make([][]byte, len(entries))
	err := file.Parallel(len(entries), func(i int) error {
		var w mdWriter
		b.entryMarkdown(&w, entries[i])
		bodies[i] = bytes.Clone(w.Bytes()) // without the room that writing left
		return nil
	})
	b.sections = make(map[*catalog.Entry][]byte, len(entries))
	for i, e := range entries {
		b.sections[e] = bodies[i]
	}
	return err
}

func (b *builder) entryMarkdown(w *mdWriter, e *catalog.Entry) {
	for _, part := range []string{"\n## ", mdText(e.Title), "\n\n", mdText(e.Summary), "\n\n"} {
		w.WriteString(part)
	}
	w.item("Source", mdAddress(e.URL))
	w.item("Publisher", mdText(e.Publisher))
	if len(e.Authors) > 0 {
		w.item("Authors", mdList(e.Authors))
	}
	w.item("Published", dateOrUnknown(e.DatePublished))
	w.item("Type", mdText(e.Type))
	w.item("Category", mdLink(e.Category, b.site.URL(catalog.CategoryMarkdownPath(e.Category))))
	w.item("Tags", b.mdTags(e.Tags))
	w.item("Verified at", string(e.VerifiedAt))
	w.item("Link last checked", string(e.LastChecked)+", "+statusText(e.HTTPStatus))
	if e.ArchiveURL != nil {
		w.item("Archived copy", mdAddress(*e.ArchiveURL))
	}
	w.item("Entry", mdCode(e.ID)+", "+mdAddress(b.site.URL(catalog.EntryJSONPath(e.ID))))
}

// statusText says what an entry's http_status means. 0 is no observation (DESIGN.md, section 3).
func statusText(status int) string {
	if status == 0 {
		return "not yet over the network"
	}
	return "HTTP status " + strconv.Itoa(status)
}

func dateOrUnknown(d *catalog.Date) string {
	if d == nil {
		return "date not known"
	}
	return string(*d)
}
