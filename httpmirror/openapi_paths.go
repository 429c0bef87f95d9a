package httpmirror

import (
	"path"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// A route is an address of the mirror, or the shape of one, as the OpenAPI document tells of it.
type route struct {
	id, tag, path, summary, mediaType string
	schema                            string   // of the JSON document; "" for other forms
	twins                             []string // further media types that the address answers with
}

// fixedRoutes are the addresses of DESIGN.md, section 2, that every installation has, in its order.
func fixedRoutes() []route {
	const json, markdown, html = file.JSON, "text/markdown", "text/html"
	both, page := []string{json, markdown}, []string{json}
	return []route{
		{"home", "library", catalog.HomePath, "What this is", html, "", []string{markdown, file.Atom, file.JSONFeed, file.JSONLD}},
		{"categoryList", "library", catalog.CategoryJSONPath("{category}"), "The entries of a category", json, "library", nil},
		{"categoryMarkdown", "library", catalog.CategoryMarkdownPath("{category}"), "The entries of a category as Markdown", markdown, "", nil},
		{"categoryPage", "library", catalog.CategoryPath("{category}"), "The entries of a category as a page", html, "library", both},
		{"categories", "library", catalog.LibraryJSONPath, "The categories with counts", json, "category-index", nil},
		{"libraryPage", "library", catalog.LibraryPath, "The categories as a page", html, "category-index", page},
		{"tagList", "library", catalog.TagJSONPath("{tag}"), "The entries that carry a tag", json, "tag-list", nil},
		{"tagMarkdown", "library", catalog.TagMarkdownPath("{tag}"), "The entries that carry a tag as Markdown", markdown, "", nil},
		{"tagPage", "library", catalog.TagPath("{tag}"), "The entries that carry a tag as a page", html, "tag-list", both},
		{"tags", "library", catalog.TagsJSONPath, "All tags with counts", json, "tag-index", nil},
		{"tagsPage", "library", catalog.TagsPath, "All tags as a page", html, "tag-index", page},
		{"entryPage", "library", catalog.EntryPath("{id}"), "One entry as a page", html, "entry", page},
		{"entry", "library", catalog.EntryJSONPath("{id}"), "One entry", json, "entry", nil},
		{"protocolFacts", "facts", catalog.ProtocolsJSONPath, "The protocol facts", json, "protocol-facts", nil},
		{"protocolFactsMarkdown", "facts", catalog.ProtocolsMarkdownPath, "The protocol facts as Markdown", markdown, "", nil},
		{"protocolsPage", "facts", catalog.ProtocolsPath, "The protocols side by side", html, "protocol-facts", both},
		{"protocolPage", "facts", catalog.ProtocolPath("{protocol}"), "The facts about one protocol as a page", html, "", nil},
		{"changes", "facts", catalog.ChangesJSONPath("{date}"), "What was verified on a day", json, "change-list", nil},
		{"changesPage", "facts", catalog.ChangesPath("{date}"), "What was verified on a day as a page", html, "change-list", page},
		{"changeDays", "facts", catalog.ChangesIndexJSONPath, "The days with changes", json, "change-index", nil},
		{"changeDaysPage", "facts", catalog.ChangesIndexPath, "The days with changes as a page", html, "change-index", []string{json, file.Atom, file.JSONFeed}},
		{"atomFeed", "facts", catalog.AtomPath, "The newest changes as Atom 1.0", file.Atom, "", nil},
		{"jsonFeed", "facts", catalog.JSONFeedPath, "The newest changes as JSON Feed 1.1", file.JSONFeed, "", nil},
		{"support", "support", catalog.SupportJSONPath, "How to tip, which nothing depends on", json, "support", nil},
		{"supportPage", "support", catalog.SupportPath, "How to tip as a page", html, "support", page},
		{"qr", "support", catalog.QRPath("{method}"), "The QR picture of a way to tip", "image/svg+xml", "", nil},
		{"datasets", "texts", catalog.DatasetsJSONPath, "The datasets", json, "dataset-index", nil},
		{"datasetsPage", "texts", catalog.DatasetsPath, "The datasets as a page", html, "dataset-index", page},
		{"datasetCard", "texts", catalog.DatasetCardPath("{dataset}"), "The card of a dataset", json, "dataset-card", nil},
		{"datasetReadme", "texts", catalog.DatasetReadmePath("{dataset}"), "The README of a dataset", markdown, "", nil},
		{"datasetPage", "texts", catalog.DatasetPath("{dataset}"), "A dataset as a page", html, "dataset-card", []string{json, markdown, file.JSONLD}},
		{"datasetCroissant", "texts", catalog.DatasetCroissantPath("{dataset}"), "Croissant 1.0 metadata of a dataset", file.JSONLD, "", nil},
		{"libraryReadme", "texts", catalog.LibraryReadmePath, "What the library files hold", markdown, "", nil},
		{"articles", "texts", catalog.ArticlesJSONPath, "The articles", json, "article-index", nil},
		{"articlesPage", "texts", catalog.ArticlesPath, "The articles as a page", html, "article-index", page},
		{"articlePage", "texts", catalog.ArticlePath("{article}"), "An article as a page", html, "", []string{markdown}},
		{"articleMarkdown", "texts", catalog.ArticleMarkdownPath("{article}"), "An article as Markdown", markdown, "", nil},
		{"trust", "facts", catalog.TrustJSONPath, "The trust checklist", json, "trust", nil},
		{"trustMarkdown", "facts", catalog.TrustMarkdownPath, "The trust checklist as Markdown", markdown, "", nil},
		{"trustPage", "facts", catalog.TrustPath, "The trust checklist as a page", html, "trust", both},
		{"links", "facts", catalog.LinksJSONPath, "What the link checker met on its last round", json, "links", nil},
		{"linksPage", "facts", catalog.LinksPath, "What the link checker met, as a page", html, "links", page},
		{"bot", "discovery", catalog.BotPath, "Who our link checker is", html, "", nil},
		{"schema", "discovery", catalog.SchemaPath("{schema}"), "The JSON Schema of a kind of document", file.Schema, "", nil},
		{"aiCatalog", "discovery", catalog.AICatalogPath, "Where the tool server's card is", file.AICatalog, "", nil},
		{"openapi", "discovery", catalog.OpenAPIPath, "This document", json, "", nil},
		{"llms", "discovery", catalog.LLMsPath, "What is here, for language models", markdown, "", nil},
		{"llmsFull", "discovery", catalog.LLMsFullPath, "The text of the site in one file", markdown, "", nil},
		{"robots", "discovery", catalog.RobotsPath, "What crawlers may do", "text/plain", "", nil},
		{"sitemap", "discovery", catalog.SitemapPath, "The pages", file.XML, "", nil},
		{"dcat", "discovery", catalog.DCATPath, "The datasets in DCAT 3", file.JSONLD, "", nil},
		{"manifest", "discovery", catalog.ManifestPath, "Every file with size and hash", json, "manifest", nil},
	}
}

// routes are the addresses of this installation.
func (b *builder) routes() []route {
	list := fixedRoutes()
	return append(list, b.installationRoutes()...)
}

// installationRoutes are the addresses that depend on the datasets and on how the installation is
// set up.
func (b *builder) installationRoutes() []route {
	var list []route
	for _, d := range b.cat.Datasets() {
		for _, f := range d.Files {
			mediaType, _, _ := strings.Cut(f.MediaType, ";")
			list = append(list, route{path.Base(f.Path), "texts", f.Path, d.Title, mediaType, "", nil})
		}
	}
	if b.o.Contact != "" {
		list = append(list, route{"security", "discovery", catalog.SecurityPath, "Where to report a weakness", "text/plain", "", nil})
	}
	if b.cat.Payments() != catalog.PaymentsOff {
		list = append(list, route{"l402", "discovery", catalog.L402Path, "What the paid interface costs and how to call it", file.JSON, "l402", nil})
	}
	return list
}

// openapiPaths describes each address. One path may be a page and a file of its own.
func (b *builder) openapiPaths() object {
	var paths object
	for _, r := range b.routes() {
		paths = paths.with(r.path, object{{"get", b.fileOperation(r)}})
	}
	mcp := []object{{{"url", b.site.MCP}}}
	paths = paths.with(catalog.MCPPath, object{{"servers", mcp}, {"post", toolsOperation()}})
	paths = paths.with(catalog.ServerCardPath, object{{"servers", mcp}, {"get", object{
		{"operationId", "serverCard"}, {"summary", "The card of the tool server"}, {"tags", []string{"tools"}},
		{"responses", responses(object{
			{"description", "The card."},
			{"content", object{{"application/mcp-server-card+json", object{{"schema", object{{"type", "object"}}}}}}},
		}, "304", "NotModified", "404", "Problem")},
	}}})
	if b.cat.Payments() != catalog.PaymentsOff {
		api := []object{{{"url", b.site.API}}}
		paths = paths.with(catalog.SearchPath, object{{"servers", api}, {"get", b.searchOperation()}})
		paths = paths.with(catalog.CreditsPath, object{{"servers", api}, {"get", b.creditsOperation()}})
	}
	return paths
}

func (b *builder) fileOperation(r route) object {
	content := object{{r.mediaType, object{{"schema", r.schemaFor(r.mediaType)}}}}
	for _, t := range r.twins {
		content = content.with(t, object{{"schema", r.schemaFor(t)}})
	}
	op := object{{"operationId", r.id}, {"summary", r.summary}, {"tags", []string{r.tag}}}
	if p := b.pathParameters(r.path); p != nil {
		op = op.with("parameters", p)
	}
	return op.with("responses", responses(object{{"description", r.summary + "."}, {"content", content}}, "304", "NotModified", "404", "Problem"))
}

func (r route) schemaFor(mediaType string) object {
	if mediaType == file.JSON && r.schema != "" {
		return schemaRef(r.schema)
	}
	if strings.HasSuffix(mediaType, "json") {
		return object{{"type", "object"}}
	}
	return stringSchema()
}

// pathParameters describes what stands in braces in a path.
func (b *builder) pathParameters(path string) []object {
	var list []object
	for rest := path; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return list
		}
		name, tail, _ := strings.Cut(after, "}")
		schema, example := b.pathValues(name)
		list = append(list, parameter(name, "path", "The "+name+".", true, schema, example))
		rest = tail
	}
}

func (b *builder) pathValues(name string) (schema object, example string) {
	var values []string
	switch name {
	case "category":
		values = b.categoryIDs()
	case "tag":
		for _, t := range b.cat.Tags() {
			values = append(values, t.ID)
		}
	case "protocol":
		values = catalog.ProtocolIDs
	case "dataset":
		for _, d := range b.cat.Datasets() {
			values = append(values, d.ID)
		}
	case "article":
		for _, a := range b.cat.Articles() {
			values = append(values, a.ID)
		}
	case "method":
		for _, m := range b.cat.Support().Methods {
			values = append(values, m.Name())
		}
	case "schema":
		values = catalog.SchemaNames()
	case "date":
		if days := b.cat.ChangeDays(); len(days) > 0 {
			example = string(days[0])
		}
		return dateSchema(), example
	case "id":
		if entries := b.cat.Entries(); len(entries) > 0 {
			example = entries[0].ID
		}
		return stringSchema(), example
	}
	if len(values) == 0 {
		return stringSchema(), ""
	}
	return enumSchema(values), values[0]
}
