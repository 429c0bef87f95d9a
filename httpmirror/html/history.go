package html

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// News returns the page of the news.
func (p *Pages) News() Page {
	doc := p.cat.NewsDocument()
	return Page{
		Lede:    "What happened, newest first: each item with its source and why it matters.",
		content: newsContent(p, runs(doc.Entries, func(n catalog.NewsEntry) string { return monthName(n.Date) })),
	}
}

// History returns the page of the days of the history, by month.
func (p *Pages) History() Page {
	days := p.cat.HistoryIndex().Days
	return Page{
		Title:       "All edits",
		Description: "Every change to a record of this catalogue, day by day.",
		Lede:        "Every change to a record, newest first. The history of a record shows the changed words.",
		content:     historyContent(runs(days, func(d catalog.HistoryDayRef) string { return monthName(d.Date) })),
	}
}

// monthName returns the month of a day: November 2026.
func monthName(d catalog.Date) string { return d.Time().Format("January 2006") }

// HistoryDay returns the page of the changes of a day.
func (p *Pages) HistoryDay(doc *catalog.HistoryDayList) Page {
	changes := phrase.Count(doc.Count, "change", "changes")
	return Page{
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
		Lede: "When drafts expire, laws apply, consultations close and support ends. Upcoming means after " +
			phrase.LongDay(doc.AsOf) + ".",
		Facts: []string{
			phrase.Count(len(upcoming), "upcoming day", "upcoming days"), phrase.Count(len(past), "past day", "past days"),
		},
		content: calendarContent(doc.ICSURL, runs(upcoming, func(e catalog.CalendarEntry) string { return monthName(e.Date) }), past),
	}
}

// An eventGroup is events of a day of which a page only names the records.
type eventGroup struct {
	title   string
	records []catalog.RecordedEvent // the first event of each
}

func (g *eventGroup) add(e catalog.RecordedEvent) {
	if !slices.ContainsFunc(g.records, func(r catalog.RecordedEvent) bool { return r.Record == e.Record }) {
		g.records = append(g.records, e)
	}
}

// briefEvents returns the events of a day that a page shows in brief (records that were added, read again, or of which
// only evidence, statements or questions changed), and those that it shows member by member.
func briefEvents(events []catalog.RecordedEvent) (brief []eventGroup, edited []catalog.RecordedEvent) {
	groups := []eventGroup{{title: "Added"}, {title: "Evidence, statements or questions changed"}, {title: "Read again"}}
	for _, e := range events {
		values := slices.ContainsFunc(e.Members, func(m catalog.MemberChange) bool {
			return !catalog.VerifiedMember(m.Name) && !catalog.DigestMember(m.Name)
		})
		switch {
		case e.Change == "added":
			groups[0].add(e)
		case e.Change == "edited" && values:
			edited = append(edited, e)
		case e.Change == "edited":
			groups[1].add(e)
		default:
			groups[2].add(e)
		}
	}
	return slices.DeleteFunc(groups, func(g eventGroup) bool { return len(g.records) == 0 }), edited
}

// Evidence returns the page of the evidence for a record, which its addresses name, and of its changes.
func (p *Pages) Evidence(id string) Page {
	doc, _ := p.cat.EvidenceDocument(id)
	pg := Page{
		Title:       "History: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "History: " + doc.Title,
		Description: "What changed in " + doc.Title + " and when, with old and new values.",
	}
	if doc.HTMLURL != "" {
		pg.Crumbs = []Link{{Label: doc.Title, Path: strings.TrimPrefix(doc.HTMLURL, p.site.Base)}}
	}
	if doc.Count > 0 {
		pg.Title, pg.Heading = "Evidence: "+doc.Title+" ("+doc.Record+")", "Evidence: "+doc.Title
		pg.Description = "The evidence for " + doc.Title + ": permanent addresses, copies and quotes, and the sources that disagree."
		pg.Lede = "The quotes behind this record, each with its source, the copy and the day we read it. Where sources disagree, the one that we follow comes first."
	}
	pg.content = evidenceContent(doc)
	return pg
}
