package httpmirror

import (
	"html/template"
	"slices"

	"almanac/catalog"
)

// newestCount is how many sources the home page shows.
const newestCount = 6

// A homePage is what the home page shows.
type homePage struct {
	Articles   []*catalog.Article
	Categories []catalog.Category
	Protocols  []protocolView
	Newest     []template.HTML // rows
	Offer      catalog.Terms
	Sells      bool // searches are for sale on this installation
	MCPURL     string
	FilesURL   string
	SearchURL  string
}

// home renders the home page: what this is, and the three ways in.
func (p *pages) home() error {
	data := homePage{
		Articles: p.cat.Articles(), Categories: p.cat.Categories(),
		Offer: p.cat.Terms(), Sells: p.cat.Payments() != catalog.PaymentsOff,
		MCPURL: p.site.MCPURL(), FilesURL: p.site.URL(catalog.LibraryJSONLPath), SearchURL: p.site.SearchURL(),
	}
	for _, e := range newest(p.cat, newestCount) {
		data.Newest = append(data.Newest, p.rows[e])
	}
	var verified span
	for _, d := range p.cat.ChangeDays() {
		verified.add(d)
	}
	for _, pr := range p.cat.Protocols().Protocols {
		data.Protocols = append(data.Protocols, newProtocolView(pr))
	}
	return p.add("home", page{
		Title:       "how machines pay, checked at the source",
		Heading:     "How machines pay, checked at the source",
		Lede:        "An open catalogue of payment protocols for machines and protocols for agents. Every entry and every fact names the page it was read on, and the day. All data files are free, without a key.",
		Description: "Open reference data about machine-to-machine payment protocols and agent protocols. Every entry and fact names its source and the day it was read there.",
		Path:        catalog.HomePath,
		Twins: []twin{{"llms.txt", "text/markdown", catalog.LLMsPath, false}, {"Atom feed", "application/atom+xml", catalog.AtomPath, false},
			{"JSON Feed", "application/feed+json", catalog.JSONFeedPath, false}, {"DCAT", "application/ld+json", catalog.DCATPath, false}},
		Facts: []string{
			countOf(len(p.cat.Entries()), "source", "sources"), countOf(len(data.Protocols), "protocol", "protocols"),
			countOf(len(data.Articles), "article", "articles"), countOf(len(p.cat.Datasets()), "dataset", "datasets"),
		},
		Verified: verified,
		Home:     true,
	}, data)
}

// newest gives the entries published last.
func newest(cat *catalog.Catalog, n int) []*catalog.Entry {
	list := slices.Clone(cat.Entries())
	slices.SortStableFunc(list, func(a, b *catalog.Entry) int {
		switch {
		case a.Published() > b.Published():
			return -1
		case a.Published() < b.Published():
			return 1
		}
		return 0
	})
	return list[:min(n, len(list))]
}
