package httpmirror

import (
	"strings"

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
		open:        true,
		day: func(c *catalog.Catalog, id string) catalog.Date {
			e, _ := c.Evidence(id) // ids are those of the kind
			return e.ReadAt()
		},
		record: func(id string) string { return strings.Replace(id, ".", ":", 1) },
		forms: []form{
			jsonForm("evidence", catalog.EvidenceJSONPath("{record}"), "evidence", func(r *renderer, id string) (any, error) {
				doc, _ := r.cat.EvidenceDocument(id)
				return doc, nil
			}),
			markdownForm("evidenceMarkdown", catalog.EvidenceMarkdownPath("{record}"), func(r *renderer, w *markdown.Writer, id string) error {
				doc, _ := r.cat.EvidenceDocument(id)
				r.markdown.Evidence(w, doc)
				return nil
			}),
			pageForm("evidencePage", catalog.EvidencePath("{record}"), func(r *renderer, id string) (html.Page, error) {
				doc, _ := r.cat.EvidenceDocument(id)
				return r.html.Evidence(doc), nil
			}),
		},
		resource: "library://evidence/{record}",
	}
}
