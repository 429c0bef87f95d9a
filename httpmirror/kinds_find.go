package httpmirror

import (
	"bytes"
	"context"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/wirejson"
)

// findKinds are the search for people.
func findKinds() []*kind {
	index := form{label: "JSON", path: catalog.FindJSONPath, mediaType: file.JSON, schema: "search-index",
		operation: "searchIndex",
		summary:   "The index of the free search, for programs that search by themselves", render: writeFindDocument}
	return []*kind{{
		name: "find", title: "Search", summary: "The search for people", tag: "library",
		description: "The index of the free search: the names of all records with their addresses.",
		forms: []form{
			pageForm("findPage", catalog.FindPath, func(r *renderer, _ string) (html.Page, error) { return r.html.Find(), nil }),
			index,
			markdownForm("findMarkdown", catalog.MarkdownPath(catalog.FindPath), func(r *renderer, w *markdown.Writer, _ string) {
				r.markdown.Write(w, "find", nil)
			}),
		},
		llms: llmsLine("Interfaces", "Search", "find a record by title, ID, tag or question, free"),
	}, {
		name: "notFound", title: "Nothing is published here",
		summary: "The answer of file hosts to an unknown address", tag: "discovery",
		description: "The page with which hosts of plain files answer unknown addresses.",
		forms: []form{rawForm("notFound", catalog.NotFoundPath, file.HTML, func(r *renderer, _ string) ([]byte, error) {
			var b bytes.Buffer
			err := r.html.Write(&b, r.html.NotFound(nil))
			return b.Bytes(), err
		})},
	}}
}

// writeFindDocument writes the index, without indentation because pages load it.
func writeFindDocument(r *renderer, w *markdown.Writer, _ string) error {
	x, err := r.names.get()
	if err != nil {
		return err
	}
	doc, err := x.FindDocument(context.Background())
	if err != nil {
		return err
	}
	body, err := wirejson.Compact(doc)
	w.Write(body)
	w.WriteByte('\n')
	return err
}
