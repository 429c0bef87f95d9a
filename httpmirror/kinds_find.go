package httpmirror

import (
	"context"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/wirejson"
)

// findKinds are the search for people.
var findKinds = []*kind{
	{
		name: "find", title: "Search", summary: "The search for people", tag: "library",
		description: "The index of the free search: the names of all records with their addresses.",
		forms: []form{
			pageForm("findPage", catalog.FindPath, func(r *renderer, _ string) html.Page { return r.html.Find() }),
			{label: "JSON", path: catalog.FindJSONPath, mediaType: file.JSON, schema: "search-index",
				operation: "searchIndex", summary: "The index of the free search, for programs that search by themselves",
				render: (*renderer).findDocument},
			markdownForm("findMarkdown", catalog.MarkdownPath(catalog.FindPath), func(r *renderer, _ string) []byte {
				return r.markdown.Document("find", nil)
			}),
		},
		llms: llmsLine("Interfaces", "Search", "find a record by title, ID, tag or question, free"),
	},
	{
		name: "notFound", title: "Nothing is published here",
		summary: "The answer of file hosts to an unknown address", tag: "discovery",
		description: "The page with which hosts of plain files answer unknown addresses.",
		forms: []form{rawForm("notFound", catalog.NotFoundPath, file.HTML, func(r *renderer, _ string) ([]byte, error) {
			return r.html.Render(r.html.NotFound(nil))
		})},
	},
}

// findDocument returns the index, without indentation because pages load it.
func (r *renderer) findDocument(string) ([]byte, error) {
	x, err := r.names()
	if err != nil {
		return nil, err
	}
	doc, err := x.FindDocument(context.Background())
	if err != nil {
		return nil, err
	}
	body, err := wirejson.Compact(doc)
	return append(body, '\n'), err
}
