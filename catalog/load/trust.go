package load

import (
	"fmt"

	"almanac/catalog"
)

func lintTrust(l *faultList, r catalog.TrustRecord) {
	at := linter{l, trustFile, ""}
	at.text("title", r.Title, maxTitle)
	at.text("summary", r.Summary, maxParagraph)
	at.text("note", r.Note, maxSummary)
	at.text("credit_note", r.CreditNote, maxParagraph)
	at.optionalDate("date_published", r.DatePublished)
	at.date("verified_at", r.VerifiedAt)
	if len(r.Checks) == 0 {
		at.add("checks", "is empty; write what the service promises")
	}
	for i, k := range r.Checks {
		name := fmt.Sprintf("checks[%d].", i)
		at.slug(name+"id", k.ID)
		at.text(name+"title", k.Title, maxTitle)
		at.text(name+"promise", k.Promise, maxParagraph)
		at.text(name+"test", k.Test, maxParagraph)
	}
}
