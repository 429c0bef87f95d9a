package httpmirror

import (
	"cmp"
	"fmt"
	"slices"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
)

// This file has the data of the files about the other files, which follow from the kinds.

// index returns the document of the home page: every list with its forms.
func (r *renderer) index() any {
	var docs []metadata.IndexItem
	for _, k := range r.kinds {
		page, ok := k.form(file.HTML)
		if k.ids != nil || !ok || page.page == nil || page.path == catalog.HomePath {
			continue
		}
		item := metadata.IndexItem{Name: k.name, Title: k.title, Description: k.description}
		for _, f := range k.forms {
			item.Forms = append(item.Forms, metadata.IndexForm{MediaType: file.BareType(f.mediaType),
				URL: r.cat.Site().URL(f.path)})
		}
		docs = append(docs, item)
	}
	return r.metadata.Document("index", docs)
}

// llmsLines returns the lines of llms.txt. Each leads to the Markdown form of a document, or to its first form.
func (r *renderer) llmsLines() []metadata.LLMLine {
	var lines []metadata.LLMLine
	for _, k := range r.kinds {
		if k.llms == nil || !k.isOffered(r.cat) {
			continue
		}
		f, ok := k.form(file.Markdown)
		if !ok {
			f = k.forms[0]
		}
		for _, id := range k.list(r.cat) {
			line := k.llms(r, id)
			line.Path = f.pathOf(id)
			lines = append(lines, line)
		}
	}
	return lines
}

// llmsFull returns the Markdown form of the kinds that belong to llms-full.txt.
func (r *renderer) llmsFull(string) ([]byte, error) {
	kinds := slices.DeleteFunc(slices.Clone(r.kinds), func(k *kind) bool { return k.full == 0 })
	slices.SortStableFunc(kinds, func(a, b *kind) int { return cmp.Compare(a.full, b.full) })
	text := []byte(r.metadata.Document("llms-head", catalog.Date("")))
	for _, k := range kinds {
		f, _ := k.form(file.Markdown)
		for _, id := range k.list(r.cat) {
			body, err := f.render(r, id)
			if err != nil {
				return nil, err
			}
			text = fmt.Appendf(text, "\n---\n\nFrom %s\n\n%s", markdown.Address(r.cat.Site().URL(f.pathOf(id))), body)
		}
	}
	return text, nil
}

// maxSitemap is the most addresses that one sitemap may hold (sitemaps.org, "Protocol").
const maxSitemap = 50_000

// A datedPage is a page with the newest day of its content; "" is that of the catalogue.
type datedPage struct {
	Path string
	Day  catalog.Date
}

// sitemap returns the list of the pages for search engines: the first ones, where there are more than it may hold.
func (r *renderer) sitemap(string) ([]byte, error) {
	pages := r.tasks(func(f *form) bool { return f.page != nil })
	return r.metadata.Document("urlset", catalog.Convert(pages[:min(maxSitemap, len(pages))], func(t task) datedPage {
		return datedPage{t.path, t.kind.day(r.cat, t.id)}
	})), nil
}
