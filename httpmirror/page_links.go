package httpmirror

import "almanac/catalog"

// A linksPage is what the page about the last round of the link checker shows.
type linksPage struct {
	*catalog.LinkDocument
	Findings []linkFinding
}

// A linkFinding is a finding with the entry it is about.
type linkFinding struct {
	catalog.LinkFinding
	Title   string
	Path    string // of the entry's page
	Meaning string // of the kind
}

// links renders what the link checker met on its last round.
func (p *pages) links() error {
	data := linksPage{LinkDocument: p.cat.LinkDocument()}
	for _, f := range data.Entries {
		e, _ := p.cat.Entry(f.ID) // the document lists only entries that are there
		data.Findings = append(data.Findings, linkFinding{f, e.Title, catalog.EntryPath(e.ID), catalog.LinkFindingKinds[f.Kind]})
	}
	return p.add("linkcheck", page{
		Title:       "Links that need a look",
		Description: "When the links of the library were last checked, and which of them did not simply answer.",
		Lede:        "What the link checker met on its last round, as it was served.",
		Path:        catalog.LinksPath,
		Twins:       []twin{jsonTwin(catalog.LinksJSONPath)},
	}, data)
}
