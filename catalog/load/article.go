package load

import "almanac/catalog"

func lintArticles(l *faultList, articles []located[*catalog.Article], t *targets) {
	for _, a := range articles {
		at, record := linter{l, a.path, ""}, a.record
		at.id(record.ID, fileID(a.path))
		at.text("title", record.Title, maxTitle)
		at.text("summary", record.Summary, maxSummary)
		at.optionalDate("date_published", record.DatePublished)
		at.date("verified_at", record.VerifiedAt)
		at.list("tags", record.Tags)
		at.tags(record.Tags, t)
		at.refer("protocols", record.Protocols, t.protocols, "protocol")
		at.refer("entries", record.Entries, t.entries, "library entry")
		at.listed("entries", record.Entries, entryLink.linked(record.Body, t))
		at.listed("protocols", record.Protocols, protocolLink.linked(record.Body, t))
		linter{l, beside(a.path, "article.md"), ""}.markdown(record.Body, t)
	}
}
