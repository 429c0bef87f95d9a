package html

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// newestCount is how many sources the home page shows.
const newestCount = 6

// Home returns the home page: what this is, and the three ways in.
func (p *Pages) Home() Page {
	data := homePage{
		Name: serverName(p.identity.Name), Sources: len(p.cat.Entries()), Pages: len(p.cat.ProtocolPageIDs()),
		Articles: p.cat.Articles(), Categories: p.cat.Categories(),
		Terms: p.cat.Terms(), Sells: p.cat.Payments() != catalog.PaymentsOff,
		MCPURL: p.site.MCPURL(), FilesURL: p.site.URL(catalog.LibraryJSONLPath), SearchURL: p.site.SearchURL(),
	}
	data.Newest = newest(p.cat, newestCount)
	var verified phrase.Span
	for _, d := range p.cat.ChangeDays() {
		verified.Add(d)
	}
	for _, pr := range p.cat.Protocols().Protocols {
		data.Protocols = append(data.Protocols, newProtocolView(pr))
	}
	return Page{
		Title:       p.identity.Headline,
		Lede:        p.identity.Description + " Every entry and fact names the page it was read on, and the day. All data files are free, without a key.",
		Description: p.identity.Description,
		Facts: []string{
			phrase.Count(len(p.cat.Entries()), "source", "sources"), phrase.Count(data.Pages, "protocol", "protocols"),
			phrase.Count(len(data.Articles), "article", "articles"), phrase.Count(len(p.cat.Datasets()), "dataset", "datasets"),
		},
		Verified: verified,
		Home:     true,
		content:  homeContent(data),
	}
}

// serverName returns the name of the installation as clients of MCP name a server in their configuration.
func serverName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}

// newest returns the n entries that were published last. They are among the first of their categories, which begin with the newest.
func newest(cat *catalog.Catalog, n int) []*catalog.Entry {
	var list []*catalog.Entry
	for _, k := range cat.Categories() {
		if doc, ok := cat.CategoryList(k.ID); ok {
			list = append(list, doc.Entries[:min(n, len(doc.Entries))]...)
		}
	}
	slices.SortStableFunc(list, func(a, b *catalog.Entry) int { return cmp.Compare(b.Published(), a.Published()) })
	return list[:min(n, len(list))]
}
