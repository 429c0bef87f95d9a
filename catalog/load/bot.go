package load

import (
	"regexp"

	"almanac/catalog"
)

// productPattern is the form of a product token (RFC 9309, section 2.2.1).
var productPattern = regexp.MustCompile(`^[A-Za-z_-]+$`)

func lintBots(l *faultList, bots []located[*catalog.Bot], broken set) {
	hasLinkChecker := broken[catalog.LinkCheckerID]
	for _, b := range bots {
		at, record := linter{l, b.path, ""}, b.record
		at.id(record.ID, fileID(b.path))
		at.text("title", record.Title, maxTitle)
		if !productPattern.MatchString(record.Product) {
			at.add("product", "%q is not a product token that robots.txt can name; use letters, hyphens and underscores", record.Product)
		}
		at.text("purpose", record.Purpose, maxParagraph)
		at.text("note", record.Note, maxSummary)
		at.paragraphs("behaviour", record.Behaviour)
		at.paragraphs("leave_alone", record.LeaveAlone)
		at.optionalDate("date_published", record.DatePublished)
		at.date("verified_at", record.VerifiedAt)
		hasLinkChecker = hasLinkChecker || record.ID == catalog.LinkCheckerID
	}
	if !hasLinkChecker {
		l.add("bots/"+catalog.LinkCheckerID+".json", "is missing; the link checker must say who it is")
	}
}
