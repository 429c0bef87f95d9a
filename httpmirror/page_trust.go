package httpmirror

import "almanac/catalog"

// trust renders the trust checklist. Each error code is the anchor that problem documents name.
func (p *pages) trust() error {
	doc := p.cat.Trust()
	return p.add("trust", page{
		Title:       doc.Title,
		Lede:        doc.Summary,
		Description: doc.Summary,
		Path:        catalog.TrustPath,
		Twins:       []twin{jsonTwin(catalog.TrustJSONPath), markdownTwin(catalog.TrustMarkdownPath)},
		Verified:    oneDay(doc.VerifiedAt),
	}, doc)
}

// A botPage is what the page about the link checker shows.
type botPage struct {
	*catalog.Bot
	UserAgent string
	Checked   int // entries whose link has been observed
	Total     int
}

// bot renders the page about the link checker.
func (p *pages) bot() error {
	b := p.cat.LinkChecker()
	data := botPage{Bot: b, UserAgent: b.UserAgent(p.site), Total: len(p.cat.Entries())}
	for _, e := range p.cat.Entries() {
		if e.HTTPStatus != 0 {
			data.Checked++
		}
	}
	return p.add("bot", page{
		Title:       b.Title,
		Description: "Who looks at the links of the library, how it behaves, and how to be left alone by it.",
		Lede:        b.Purpose,
		Path:        catalog.BotPath,
		Verified:    oneDay(b.VerifiedAt),
	}, data)
}
