package html

import (
	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// Trust returns the page of the trust checklist. Each error code is the anchor that problem documents name.
func (p *Pages) Trust() Page {
	doc := p.cat.Trust()
	pg := Page{
		Path:        catalog.TrustPath,
		Title:       doc.Title,
		Lede:        doc.Summary,
		Description: doc.Summary,
		Verified:    phrase.OneDay(doc.VerifiedAt),
	}
	pg.content = trustContent(p, doc, pg)
	return pg
}

// Bot returns the page about the link checker.
func (p *Pages) Bot() Page {
	data := botPage{p.cat.BotDocument(), len(p.cat.Entries())}
	return Page{
		Narrow:      true,
		Title:       data.Bot.Title,
		Description: "The program that checks the links of the library, how it behaves, and how to opt out of its visits.",
		Lede:        data.Bot.Purpose,
		Verified:    phrase.OneDay(data.Bot.VerifiedAt),
		content:     botContent(data),
	}
}

// Connect returns the page of the ways to connect MCP hosts.
func (p *Pages) Connect() Page {
	return Page{
		Narrow:  true,
		Lede:    "Give your agent this address. Free, read-only, no login.",
		content: connectContent(p, p.cat.Connect()),
	}
}

// Privacy returns the page about what is kept of those who use the service.
func (p *Pages) Privacy() Page {
	return Page{
		Narrow:  true,
		Lede:    "What this service keeps of those who use it.",
		content: privacyContent(p.cat.Privacy()),
	}
}

// Links returns the page of the findings of the link checker's last round.
func (p *Pages) Links() Page {
	return Page{
		Narrow:  true,
		Lede:    "Findings of the link checker's last round.",
		content: linksContent(p, p.cat.LinkDocument()),
	}
}

// Support returns the page of the support document. It describes the paid interface where there is one, whether or not
// that can sell at the moment: only support.json follows the state of the node. Of sample data it shows nothing to pay
// to.
func (p *Pages) Support() Page {
	doc := phrase.Support(p.cat)
	pg := Page{Title: "Donate", Verified: phrase.OneDay(doc.Updated), content: supportContent(doc)}
	pg.Lede = "Donations are voluntary. All data are free, and nothing here depends on a payment."
	if p.cat.SupportIsSample() {
		pg.Lede, pg.content = phrase.SampleSupport, paidAPI(doc.PaidAPI)
	}
	pg.Description = pg.Lede
	return pg
}
