package html

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// News returns the page of the news by month.
func (p *Pages) News() Page {
	month := func(n catalog.NewsEntry) string { return monthName(n.Date) }
	return Page{
		Lede:    "Releases, laws and changes that matter to programs that pay, newest first, each with its source. As of " + phrase.LongDay(p.cat.Calendar().AsOf) + ".",
		content: newsContent(p, runs(p.cat.NewsDocument().Entries, month)),
	}
}

// History returns the page of the days of the history, by month.
func (p *Pages) History() Page {
	return Page{
		Narrow:      true,
		Title:       "All edits",
		Description: "Every change to a record of this catalogue, day by day.",
		Lede:        "Every change to a record, newest first. The history of a record shows the changed words.",
		content:     historyContent(runs(p.cat.HistoryIndex().Days, func(d catalog.HistoryDayRef) string { return monthName(d.Date) })),
	}
}

// monthName returns the month of a day: November 2026.
func monthName(d catalog.Date) string { return d.Time().Format("January 2006") }

// HistoryDay returns the page of the changes of a day.
func (p *Pages) HistoryDay(doc *catalog.HistoryDayList) Page {
	changes := phrase.Count(doc.Count, "change", "changes")
	return Page{
		Narrow:      true,
		Title:       "Changes on " + phrase.LongDay(doc.Date),
		Description: changes + " on " + phrase.LongDay(doc.Date) + ", by record.",
		Crumbs:      []Link{{Label: "All edits", Path: catalog.HistoryPath}},
		Facts:       []string{doc.Date.Time().Weekday().String(), changes},
		content:     historyDayContent(doc),
	}
}

// Calendar returns the page of the days on which something expires, applies, closes, starts or ends.
func (p *Pages) Calendar() Page {
	doc := p.cat.Calendar()
	upcoming, past := doc.Upcoming()
	return Page{
		Narrow:  true,
		Lede:    "When drafts expire, laws apply, consultations close and support ends, as known on " + phrase.LongDay(doc.AsOf) + ".",
		content: calendarContent(doc.ICSURL, runs(upcoming, func(e catalog.CalendarEntry) string { return monthName(e.Date) }), past),
	}
}

// A changeGroup is the records of a day to which the same happened.
type changeGroup struct {
	Label   string
	Records []catalog.RecordedEvent
}

// changeGroups returns the changes of a day by their kind: edits of values, those of protocols first, before those of evidence alone.
func changeGroups(d *catalog.HistoryDayList) (groups []changeGroup) {
	for _, label := range []string{"Added", "Edited", phrase.EvidenceUpdated, "Read again"} {
		records := slices.DeleteFunc(slices.Clone(d.Events), func(e catalog.RecordedEvent) bool {
			is := phrase.Sentence(strings.ReplaceAll(e.Change, "-", " "))
			if text := phrase.Sentences(e.Change, e.Members); e.Change == "edited" && (len(text) == 0 || text[0] == phrase.EvidenceUpdated) {
				is = phrase.EvidenceUpdated
			}
			return is != label
		})
		slices.SortStableFunc(records, func(a, b catalog.RecordedEvent) int {
			isEntry := func(e catalog.RecordedEvent) int { return min(strings.Count(e.Kind, "library"), 1) }
			return isEntry(a) - isEntry(b)
		})
		if len(records) > 0 {
			groups = append(groups, changeGroup{label, records})
		}
	}
	return groups
}

// daySentences returns the changes of an event as sentences, with its day: a page has one line for equal ones.
func daySentences(e catalog.RecordEvent) string {
	return string(e.Date) + strings.Join(phrase.Sentences(e.Change, e.Members), ". ")
}

// Evidence returns the page of the evidence for a record, which its addresses name, and of its changes.
func (p *Pages) Evidence(id string) Page {
	doc := p.cat.EvidenceDocument(id)
	pg := Page{
		Title:       "History: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "History: " + doc.Title,
		Description: "What changed in " + doc.Title + " and when, with old and new values.",
	}
	if doc.HTMLURL != "" {
		pg.Crumbs = []Link{{Label: doc.Title, Path: strings.TrimPrefix(doc.HTMLURL, p.site.Base)}}
	}
	if len(doc.Evidence) > 0 {
		pg.Title, pg.Heading = "Evidence: "+doc.Title+" ("+doc.Record+")", "Evidence: "+doc.Title
		pg.Description = "The evidence for " + doc.Title + ": permanent addresses, copies and quotes, and the sources that disagree."
		pg.Lede = "The quotes behind this record, each with its source, the copy and the day we read it. Where sources disagree, the one that we follow comes first."
	}
	pg.Narrow, pg.content = true, evidenceContent(doc)
	return pg
}
