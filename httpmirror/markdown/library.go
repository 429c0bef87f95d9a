package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
	"almanac/httpmirror/related"
)

// Library renders the list of categories.
func (r *Renderer) Library(w *Writer) {
	doc := r.cat.CategoryIndex()
	r.title(w, "Library", phrase.Count(len(r.cat.Entries()), "source", "sources")+" in "+
		phrase.Count(doc.Count, "category", "categories")+
		", each read, summarised and dated.", catalog.LibraryPath, catalog.LibraryJSONPath)
	r.write(w, "library", doc)
}

// part writes where the other forms of a part of a list are, and where the list continues.
func (r *Renderer) part(
	w *Writer, p paging.Part, generatedAt string, jsonPath, htmlPath, markdownPath func(id string) string,
) {
	w.Item("JSON", r.url(jsonPath(p.ID(p.Number))))
	w.Item("HTML", r.url(htmlPath(p.ID(p.Number))))
	if id := p.Previous(); id != "" {
		w.Item("Previous page", r.url(markdownPath(id)))
	}
	if id := p.Next(); id != "" {
		w.Item("Next page", r.url(markdownPath(id)))
	}
	w.Item("Generated at", generatedAt)
}

// Category renders the entries of a category.
func (r *Renderer) Category(w *Writer, k catalog.Category, p paging.Part) {
	w.Printf("# %s\n\n%s of the category %s, newest first.\n\n",
		Text(p.Title(k.Label)), phrase.Count(k.Count, "source", "sources"), Code(k.ID))
	r.part(w, p, r.cat.Timestamp(r.cat.EntriesDay(p.Entries)), catalog.CategoryJSONPath, catalog.CategoryPath,
		catalog.CategoryMarkdownPath)
	w.Item("Licence", Text(r.cat.Identity().LicenseStatement()))
	r.entries(w, p.Entries)
}

// Tags renders the vocabulary of tags.
func (r *Renderer) Tags(w *Writer) {
	r.title(w, "Tags", "The closed vocabulary of tags that the sources of the library carry.",
		catalog.TagsPath, catalog.TagsJSONPath)
	r.write(w, "tags", r.cat.TagIndex())
}

// Tag renders the entries that carry a tag.
func (r *Renderer) Tag(w *Writer, t catalog.Tag, p paging.Part) {
	w.Printf("# Tag: %s\n\n%s. %s with this tag, by category and newest first in each.\n\n",
		Text(p.Title(t.ID)), Text(t.Label), phrase.Count(t.Count, "source", "sources"))
	r.part(w, p, r.cat.Timestamp(r.cat.EntriesDay(p.Entries)), catalog.TagJSONPath, catalog.TagPath,
		catalog.TagMarkdownPath)
	r.entries(w, p.Entries)
}

// Entry renders one entry with the records that belong to it.
func (r *Renderer) Entry(w *Writer, e related.LinkedEntry) {
	var section Writer
	r.section(&section, e.Entry)
	w.Write(bytes.TrimPrefix(section.Bytes(), []byte("\n#"))) // its heading is the title
	w.Item("Last read", Text(phrase.EntryReading(e.Reading, e.VerifiedAt)))
	w.Item("HTML", r.url(catalog.EntryPath(e.ID)))
	if len(e.Protocols)+len(e.Articles) > 0 {
		w.WriteString("\n## In this catalogue\n\n")
		for _, p := range e.Protocols {
			w.Item(r.link(p.Name, catalog.ProtocolMarkdownPath(p.ID)), "protocol facts")
		}
		for _, a := range e.Articles {
			w.Item(r.link(a.Title, catalog.ArticleMarkdownPath(a.ID)), "article that cites this source")
		}
	}
	statements(w, e.Statements)
	questions(w, e.Questions)
	if len(e.Nearest) > 0 {
		w.WriteString("\n## Related by tag\n\n")
		for _, o := range e.Nearest {
			w.Item(r.link(o.Title, catalog.EntryMarkdownPath(o.ID)), Text(o.Publisher)+", "+Text(o.Type))
		}
	}
}

// statements lists the statements about a source, each with where and when it was read.
func statements(w *Writer, list []catalog.ClassedStatement) {
	if len(list) == 0 {
		return
	}
	w.WriteString("\n## Details\n\n")
	for _, s := range list {
		r := s.Readings[0]
		w.Printf("- %s\n  - source: %s\n  - quote: %s\n  - %s\n", Text(s.Text), Address(r.URL), Code(r.Quote),
			Text(phrase.ReadingClass(r)))
		if s.Example != nil {
			w.WriteString("\n")
			for line := range strings.Lines(strings.TrimRight(s.Example.Text, "\n") + "\n") {
				w.WriteString(strings.TrimRight("      "+line, " "))
			}
			w.WriteString("\n")
		}
	}
}

// questions lists the questions that a record answers.
func questions(w *Writer, list []string) {
	if len(list) == 0 {
		return
	}
	w.WriteString("\n## Questions this answers\n\n")
	for _, q := range list {
		w.WriteString("- " + Text(q) + "\n")
	}
}

// entries writes the section of each entry, with every field of its document.
func (r *Renderer) entries(w *Writer, entries []*catalog.Entry) {
	for _, e := range entries {
		r.section(w, e)
	}
}

// section writes an entry as it stands in lists.
func (r *Renderer) section(w *Writer, e *catalog.Entry) {
	for _, part := range [...]string{"\n## ", Text(e.Title), "\n\n", Text(e.Summary), "\n\n"} {
		w.WriteString(part)
	}
	w.Item("Source", Address(e.URL))
	w.Item("Publisher", Text(e.Publisher))
	if len(e.Authors) > 0 {
		w.Item("Authors", List(e.Authors))
	}
	w.Item("Published", dateOrUnknown(e.DatePublished))
	w.Item("Type", Text(e.Type))
	w.Item("Category", r.link(e.Category, catalog.CategoryMarkdownPath(e.Category)))
	w.Item("Tags", r.tags(e.Tags))
	w.Item("Verified at", string(e.VerifiedAt))
	if e.HTTPStatus == 0 {
		w.Item("Link check", phrase.Unchecked(r.cat))
	} else {
		w.Item("Link last checked", string(e.LastChecked)+", HTTP status "+strconv.Itoa(e.HTTPStatus))
	}
	if e.ArchiveURL != nil {
		w.Item("Archived copy", Address(*e.ArchiveURL))
	}
	w.Item("Entry", Code(e.ID)+", "+r.url(catalog.EntryJSONPath(e.ID)))
}

// tags returns tags as links to their lists.
func (r *Renderer) tags(tags []string) string {
	links := make([]string, len(tags))
	for i, t := range tags {
		links[i] = r.link(t, catalog.TagMarkdownPath(t))
	}
	return strings.Join(links, ", ")
}

func dateOrUnknown(d *catalog.Date) string {
	if d == nil {
		return "date not known"
	}
	return string(*d)
}
