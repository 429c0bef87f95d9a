package httpmirror

import (
	"fmt"

	"almanac/catalog"
)

// llmsIndex is the file for language models (llmstxt.org): what is here, with links.
func (b *builder) llmsIndex() []byte {
	var w mdWriter
	b.llmsHead(&w)
	w.printf("\n## Library\n\n")
	for _, k := range b.cat.Categories() {
		w.printf("- %s: %s\n", mdLink(k.Label, k.MarkdownURL), countOf(k.Count, "source", "sources"))
	}
	link := func(label, path, what string) { w.printf("- %s: %s\n", mdLink(label, b.site.URL(path)), mdText(what)) }
	w.printf("\n## Facts\n\n")
	link("Protocol facts", catalog.ProtocolsMarkdownPath, "status codes, headers, rails, networks and flows of nine payment protocols, each fact with its source and date")
	link("Trust checklist", catalog.TrustMarkdownPath, "promises with a test for each, stable addresses, error codes, credit limits")
	w.printf("\n## Articles\n\n")
	for _, a := range b.cat.Articles() {
		link(a.Title, catalog.ArticleMarkdownPath(a.ID), a.Summary)
	}
	w.printf("\n## Datasets\n\n")
	for _, d := range b.cat.Datasets() {
		link(d.Title, catalog.DatasetReadmePath(d.ID), d.Summary)
	}
	w.printf("\n## Interfaces\n\n")
	w.printf("- %s: read-only tools over streamable HTTP, free\n", mdLink("MCP endpoint", b.site.MCPURL()))
	if b.cat.Payments() != catalog.PaymentsOff {
		o := b.cat.Terms()
		w.printf("- %s: paid search. %d satoshis buy %d requests for %d days. Ask without a credential for status 402 with a Lightning invoice, pay it, "+
			"then send `Authorization: L402 <macaroon>:<preimage>`\n", mdLink("GET /v1/search?q=…", b.site.SearchURL()), o.PriceSats, o.Credits, o.ValidDays)
	}
	link("OpenAPI", catalog.OpenAPIPath, "every address in OpenAPI 3.1")
	link("Changes", catalog.ChangesIndexJSONPath, "the days with changes; /api/changes/YYYY-MM-DD.json holds what was verified on a day")
	w.printf("\n## Optional\n\n")
	link("Everything in one file", catalog.LLMsFullPath, "the Markdown of all lists, facts and articles")
	link("Tags", catalog.TagsJSONPath, "the vocabulary with counts")
	link("Manifest", catalog.ManifestPath, "every file with its size, SHA-256 and media type")
	link("Support", catalog.SupportJSONPath, "voluntary tips; nothing depends on them")
	return w.Bytes()
}

func (b *builder) llmsHead(w *mdWriter) {
	w.printf("# %s\n\n> %s\n\n", siteName, siteDescription)
	w.printf("%s in %s, %s. Every page has a JSON twin, and most a Markdown one; ask a page's address with "+
		"`Accept: application/json` or `Accept: text/markdown` to get it. The data are free. Generated at %s.\n",
		countOf(len(b.cat.Entries()), "source", "sources"), countOf(len(b.cat.Categories()), "category", "categories"),
		countOf(b.cat.Protocols().Count, "payment protocol", "payment protocols"), b.cat.GeneratedAt())
}

// llmsFull is the text of the whole site: each file below a line that names its address.
func (b *builder) llmsFull() []byte {
	var w mdWriter
	b.llmsHead(&w)
	part := func(path string, body []byte) {
		fmt.Fprintf(&w, "\n---\n\nFrom %s\n\n", mdAddress(b.site.URL(path)))
		w.Write(body)
	}
	part(catalog.ProtocolsMarkdownPath, b.protocolsMarkdown())
	for _, a := range b.cat.Articles() {
		part(catalog.ArticleMarkdownPath(a.ID), b.articleMarkdown(a))
	}
	for _, k := range b.cat.Categories() {
		part(catalog.CategoryMarkdownPath(k.ID), b.categoryMarkdown(k))
	}
	for _, d := range b.cat.Datasets() {
		part(catalog.DatasetReadmePath(d.ID), b.readmeMarkdown(d))
	}
	part(catalog.TrustMarkdownPath, b.trustMarkdown())
	return w.Bytes()
}
