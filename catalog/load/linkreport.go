package load

import (
	"slices"
	"strings"

	"almanac/catalog"
)

// EncodeLinkReport returns the report of the link checker as its file is kept.
func EncodeLinkReport(r *catalog.LinkReport) []byte { return canonical(r) }

func lintLinkReport(l *faultList, r *catalog.LinkReport) {
	at := linter{l, LinkReportFile, ""}
	at.timestamp("checked_at", r.CheckedAt)
	for i, f := range r.Findings {
		at.prefix = "findings[" + strings.TrimSpace(f.ID) + "]."
		_, id := catalog.HistoryRecord(f.ID)
		at.slug("id", id)
		at.url("url", f.URL)
		at.text("detail", f.Detail, maxSummary)
		at.timestamp("checked_at", f.CheckedAt)
		if f.Status < 0 || f.Status > 999 {
			at.add("status", "%d is not a status that a server can send; use that of the last answer, or 0 for none", f.Status)
		}
		at.oneOf("kind", f.Kind, sortedKeys(catalog.LinkFindingKinds))
		if slices.ContainsFunc(r.Findings[:i], func(g catalog.LinkFinding) bool { return g.ID == f.ID && g.URL == f.URL }) {
			at.add("id", "occurs twice with this address; remove one")
		}
	}
}
