package html

import (
	"strings"

	"almanac/catalog"
)

// Links returns the page of the findings of the link checker's last round.
func (p *Pages) Links() Page {
	data := linksPage{LinkDocument: p.cat.LinkDocument()}
	for _, f := range data.Entries {
		record := p.cat.Record(f.ID) // the document lists only addresses of records that exist
		if record.Kind != "library" {
			record.Title += ", " + f.URL // other records cite several addresses
		}
		data.Findings = append(data.Findings, linkFinding{f, record.Title, strings.TrimPrefix(record.HTMLURL, p.cat.Site().Base), catalog.LinkFindingKinds[f.Kind]})
	}
	return Page{
		Title:       "Link check",
		Description: "When the addresses that records cite were last checked, and which of them need attention.",
		Lede:        "What the link checker found on its last round, when this page was made.",
		content:     linksContent(data),
	}
}
