package html

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Choose returns the page that finds protocols by what somebody needs.
func (p *Pages) Choose() Page {
	return Page{
		Title:       "Choose a payment protocol",
		Description: "Which payment protocols fit what an agent can pay with, when it is asked, and whether accounts or people may be needed; each reason with its source.",
		Lede:        "Say what you need, and see which protocols fit, which do not and why. Every reason is a value with its source; where the sources do not say, neither does this page.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Verified:    phrase.SpanOf(p.cat.Profiles(), (*catalog.Profile).VerifiedAt),
		content:     chooseContent(p.cat.Chooser()),
	}
}
