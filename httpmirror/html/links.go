package html

import "almanac/catalog"

// Links returns the page of the findings of the link checker's last round.
func (p *Pages) Links() Page {
	data := linksPage{LinkDocument: p.cat.LinkDocument()}
	for _, f := range data.Entries {
		e, _ := p.cat.Entry(f.ID) // the document lists only entries that exist
		data.Findings = append(data.Findings, linkFinding{f, e.Title, catalog.EntryPath(e.ID), catalog.LinkFindingKinds[f.Kind]})
	}
	return Page{
		Title:       "Link check",
		Description: "When the links of the library were last checked, and which of them need attention.",
		Lede:        "What the link checker found on its last round, when this page was made.",
		content:     linksContent(data),
	}
}
