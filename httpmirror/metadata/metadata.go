// Package metadata renders the files by which programs find and describe the others: schema.org data blocks, DCAT,
// Croissant, OpenAPI, feeds, the sitemap, llms.txt and the well-known addresses.
package metadata

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"almanac/catalog"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/phrase"
)

// A Renderer renders the files about a catalog. It is safe for concurrent use.
type Renderer struct {
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	version  string // of the program
	contact  string
}

// New returns a renderer for a version of the program. contact is the URI for security reports (RFC 9116); "" is none.
func New(c *catalog.Catalog, version, contact string) *Renderer {
	return &Renderer{c, c.Site(), c.Identity(), version, contact}
}

// An IndexItem is a document of the index with its forms.
type IndexItem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Forms       []IndexForm `json:"forms"`
}

// An IndexForm is one form of a document.
type IndexForm struct {
	MediaType string `json:"media_type"`
	URL       string `json:"url"`
}

// maxSitemap is the most addresses that one sitemap may hold (sitemaps.org, "Protocol").
const maxSitemap = 50_000

// SitemapParts returns over how many sitemaps a number of pages is spread.
func SitemapParts(pages int) int { return max(1, (pages+maxSitemap-1)/maxSitemap) }

// Sitemap returns the list of the pages at paths for search engines, or, when there are more of them than one sitemap
// may hold, the index of several.
func (r *Renderer) Sitemap(paths []string) []byte {
	parts := SitemapParts(len(paths))
	if parts == 1 {
		return r.sitemap("urlset", "url", paths)
	}
	index := make([]string, parts)
	for i := range index {
		index[i] = catalog.SitemapPartPath(fmt.Sprint(i + 1))
	}
	return r.sitemap("sitemapindex", "sitemap", index)
}

// SitemapPart returns one of several sitemaps, counted from 1.
func (r *Renderer) SitemapPart(paths []string, part int) []byte {
	return r.sitemap("urlset", "url", paths[(part-1)*maxSitemap:min(part*maxSitemap, len(paths))])
}

func (r *Renderer) sitemap(root, item string, paths []string) []byte {
	var x bytes.Buffer
	x.WriteString(xml.Header)
	fmt.Fprintf(&x, "<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", root)
	for _, p := range paths {
		fmt.Fprintf(&x, "<%s><loc>", item)
		xml.EscapeText(&x, []byte(r.site.URL(p))) // a bytes.Buffer does not fail
		fmt.Fprintf(&x, "</loc></%s>\n", item)
	}
	fmt.Fprintf(&x, "</%s>\n", root)
	return x.Bytes()
}

// LLMSections are the sections of llms.txt, in their order. A reader can skip the last one (llmstxt.org).
var LLMSections = [...]string{"Library", "Facts", "Articles", "Datasets", "Interfaces", "Optional"}

// An LLMLine is a line of llms.txt: a link and its content.
type LLMLine struct{ Section, Label, Path, Text string }

// LLMs writes the file for language models (llmstxt.org): the contents, with links.
func (r *Renderer) LLMs(w *markdown.Writer, lines []LLMLine) {
	r.LLMsHead(w, r.cat.CountsDay())
	for _, section := range LLMSections {
		w.Printf("\n## %s\n\n", section)
		if section == "Interfaces" {
			r.llmsInterfaces(w)
		}
		for _, l := range lines {
			if l.Section == section {
				w.Printf("- %s: %s\n", markdown.Link(l.Label, r.site.URL(l.Path)), markdown.Text(l.Text))
			}
		}
	}
}

// llmsInterfaces writes the interfaces that are not files.
func (r *Renderer) llmsInterfaces(w *markdown.Writer) {
	w.Printf("- %s: read-only tools over streamable HTTP, free\n", markdown.Link("MCP endpoint", r.site.MCPURL()))
	if len(r.cat.ProtocolPageIDs()) > 0 {
		w.Printf("- %s: the meaning of a 402, an invoice or a credential, sent as it is, free\n",
			markdown.Link("POST /v1/explain", r.site.API+catalog.ExplainAPIPath))
	}
	if r.cat.Payments() == catalog.PaymentsOff {
		return
	}
	o := r.cat.Terms()
	note := "." + o.DemoNote()
	w.Printf("- %s: paid search. %d satoshis buy %d requests for %d days. Ask without a credential for status 402 with a Lightning invoice, pay it, "+
		"then send `Authorization: L402 <macaroon>:<preimage>` with each of them%s The scheme `Payment` (MPP) works too. %s %s\n",
		markdown.Link("GET /v1/search?q=…", r.site.SearchURL()), o.PriceSats, o.Credits, o.ValidDays, note,
		catalog.X402Note, markdown.Link("Terms", r.site.URL(catalog.L402Path)))
}

// LLMsHead writes the beginning of llms.txt and llms-full.txt, whose newest day is day.
func (r *Renderer) LLMsHead(w *markdown.Writer, day catalog.Date) {
	w.Printf("# %s\n\n> %s\n\n", markdown.Text(r.identity.Name), markdown.Text(r.identity.Description))
	protocols := ""
	if n := r.cat.Protocols().Count; n > 0 {
		protocols = ", " + phrase.Count(n, "payment protocol", "payment protocols")
	}
	w.Printf("%s in %s%s. Every page has a Markdown and a JSON form: ask a page's address with `Accept: text/markdown` or "+
		"`Accept: application/json` to get it, or follow the page's Link header. The data are free. Generated at %s.\n",
		phrase.Count(len(r.cat.Entries()), "source", "sources"),
		phrase.Count(len(r.cat.Categories()), "category", "categories"),
		protocols, r.cat.Timestamp(day))
}
