package html

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// History returns the list of the days of the history.
func (p *Pages) History() Page {
	doc := p.cat.HistoryIndex()
	return Page{
		Title:       "History",
		Description: "What was added, edited and read again, day by day and member by member.",
		Lede:        "What was added, edited and read again: every change with the old value and the new one. Lines are added and never removed.",
		Facts:       []string{phrase.Count(doc.Count, "day", "days")},
		content:     historyContent(doc.Days),
	}
}

// HistoryDay returns the page of what changed on a day.
func (p *Pages) HistoryDay(doc *catalog.HistoryDayList) Page {
	changes := phrase.Count(doc.Count, "change", "changes")
	return Page{
		Title:       "Changed on " + string(doc.Date),
		Description: changes + " on " + string(doc.Date) + ", with old and new values.",
		Crumbs:      []Link{{Label: "History", Path: catalog.HistoryPath}},
		Facts:       []string{doc.Date.Time().Weekday().String(), changes},
		content:     historyDayContent(doc),
	}
}

// RecordHistory returns the page of what changed in a record.
func (p *Pages) RecordHistory(doc *catalog.RecordHistory) Page {
	return Page{
		Title:       "History: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "History: " + doc.Title,
		Description: "What changed in " + doc.Title + " and when, with old and new values.",
		Crumbs:      []Link{{Label: "History", Path: catalog.HistoryPath}},
		Facts:       []string{doc.Record, phrase.Count(doc.Count, "change", "changes")},
		content:     recordHistoryContent(doc),
	}
}
