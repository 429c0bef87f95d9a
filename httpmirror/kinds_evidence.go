package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
)

// evidenceKind is what was read for a record. Its ids are those of the history's addresses, with a dot for the colon.
func evidenceKind() *kind {
	return &kind{
		name: "evidence", title: "Evidence", summary: "The evidence for a record", tag: "facts",
		description: "What was read for the statements of one record: permanent addresses, copies, quotes, and readings that contradict them.",
		ids:         (*catalog.Catalog).EvidenceIDs,
		has: func(r *renderer, id string) bool {
			_, ok := r.cat.Evidence(id)
			return ok
		},
		open: true,
		day: func(c *catalog.Catalog, id string) catalog.Date {
			e, _ := c.Evidence(id) // ids are those of the kind
			return e.ReadAt()
		},
		record: catalog.HistoryPathRecord,
		forms: documentForms("evidence", "evidence",
			[3]string{catalog.EvidenceJSONPath("{record}"), catalog.EvidenceMarkdownPath("{record}"), catalog.EvidencePath("{record}")},
			func(c *catalog.Catalog, id string) *catalog.EvidenceDocument {
				doc, _ := c.EvidenceDocument(id)
				return doc
			}, (*markdown.Renderer).Evidence, (*html.Pages).Evidence),
		resource: "library://evidence/{record}",
	}
}

// statementsKind is the statements about a library entry, which stand on the entry's page too.
func statementsKind() *kind {
	return &kind{
		name: "statements", title: "Statements", summary: "The statements about an entry", tag: "library",
		description: "Statements about the source of one entry, beyond its summary: dates, prices, names, limits and examples, each with a quote.",
		ids:         (*catalog.Catalog).StatementIDs,
		has: func(r *renderer, id string) bool {
			_, ok := r.cat.StatementDocument(id)
			return ok
		},
		open: true,
		day:  (*catalog.Catalog).StatementsDay,
		forms: []form{jsonForm("statements", catalog.StatementsJSONPath("{id}"), "statements", func(r *renderer, id string) (any, error) {
			doc, _ := r.cat.StatementDocument(id) // ids are those of the kind
			return doc, nil
		})},
	}
}
