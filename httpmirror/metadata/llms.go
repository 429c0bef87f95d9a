package metadata

import (
	"almanac/catalog"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/phrase"
)

// LLMSections are the sections of llms.txt, in their order. The last one is for what a reader can skip (llmstxt.org).
var LLMSections = [...]string{"Library", "Facts", "Articles", "Datasets", "Interfaces", "Optional"}

// An LLMLine is a line of llms.txt: a link and what is there.
type LLMLine struct{ Section, Label, Path, Text string }

// LLMs writes the file for language models (llmstxt.org): what is here, with links.
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
	if r.cat.Payments() == catalog.PaymentsOff {
		return
	}
	o := r.cat.Terms()
	note := "." + o.DemoNote()
	w.Printf("- %s: paid search. %d satoshis buy %d requests for %d days. Ask without a credential for status 402 with a Lightning invoice, pay it, "+
		"then send `Authorization: L402 <macaroon>:<preimage>` with each of them%s The scheme `Payment` (MPP) works too. %s %s\n",
		markdown.Link("GET /v1/search?q=…", r.site.SearchURL()), o.PriceSats, o.Credits, o.ValidDays, note, catalog.X402Note, markdown.Link("Terms", r.site.URL(catalog.L402Path)))
}

// LLMsHead writes the beginning of llms.txt and llms-full.txt, whose newest day is day.
func (r *Renderer) LLMsHead(w *markdown.Writer, day catalog.Date) {
	w.Printf("# %s\n\n> %s\n\n", markdown.Text(r.identity.Name), markdown.Text(r.identity.Description))
	w.Printf("%s in %s, %s. Every page has a Markdown and a JSON form: ask a page's address with `Accept: text/markdown` or "+
		"`Accept: application/json` to get it, or follow the page's Link header. The data are free. Generated at %s.\n",
		phrase.Count(len(r.cat.Entries()), "source", "sources"), phrase.Count(len(r.cat.Categories()), "category", "categories"),
		phrase.Count(r.cat.Protocols().Count, "payment protocol", "payment protocols"), r.cat.Timestamp(day))
}
