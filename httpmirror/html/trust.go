package html

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Trust returns the page of the trust checklist. Each error code is the anchor that problem documents name.
func (p *Pages) Trust() Page {
	doc := p.cat.Trust()
	return Page{
		Title:       doc.Title,
		Lede:        doc.Summary,
		Description: doc.Summary,
		Verified:    phrase.OneDay(doc.VerifiedAt),
		content:     trustContent(doc, newFreshness(p.cat.Freshness()), p.identity, p.identity.ReportURL(doc.Title, p.site.URL(catalog.TrustPath))),
	}
}

// Bot returns the page about the link checker.
func (p *Pages) Bot() Page {
	data := botPage{p.cat.BotDocument(), len(p.cat.Entries())}
	return Page{
		Title:       data.Bot.Title,
		Description: "The program that checks the links of the library, how it behaves, and how to opt out of its visits.",
		Lede:        data.Bot.Purpose,
		Verified:    phrase.OneDay(data.Bot.VerifiedAt),
		content:     botContent(data),
	}
}
