package html

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Evidence returns the page of what was read for a record.
func (p *Pages) Evidence(doc *catalog.EvidenceDocument) Page {
	readings := 0
	for _, m := range doc.Members {
		readings += len(m.Readings)
	}
	return Page{
		Title:       "Evidence: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "Evidence: " + doc.Title,
		Description: "What was read for " + doc.Title + ": permanent addresses, copies and quotes, and what other texts say.",
		Lede:        "The texts that were read for this record: where, in which copy, on which day, and the words that show each statement. Where texts contradict each other, the reading that the record follows comes first.",
		Facts:       []string{doc.Record, phrase.Count(readings, "reading", "readings")},
		content:     evidenceContent(doc),
	}
}
