package html

import (
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/paging"
	"go.almanac.example/httpmirror/phrase"
)

// fullDays is the number of days of which the page of the history tells each change.
const fullDays = 14

// History returns the page of what changed, by month.
func (p *Pages) History() Page {
	records := "the articles, datasets and sources"
	if p.has(catalog.ProtocolsPath) {
		records = "the facts about payment protocols, articles, datasets and sources"
	}
	return Page{
		Title:       "What's new",
		Description: "What changed in " + records + ", month by month.",
		Lede:        "What changed in the catalogue, newest first. Each day links to the changed words.",
		content:     historyContent(p.news()),
	}
}

// A newsDay is the changes of a day.
type newsDay struct {
	Date  catalog.Date
	Lines []newsLine // of protocols, then of other records, without library entries
	Rest  string     // how many records were added, edited and read again
}

// A newsLine is the changes of some records. All records about a protocol are one.
type newsLine struct {
	Records   []Link
	Sentences []string
}

// news returns the days with changes, by month, newest first.
func (p *Pages) news() [][]newsDay {
	var days []newsDay
	for i, ref := range p.cat.HistoryIndex().Days {
		day := newsDay{Date: ref.Date, Rest: phrase.Sentence(phrase.HistoryCounts(ref)) + "."}
		if i < fullDays {
			day.Lines = p.newsLines(ref.Date)
		}
		days = append(days, day)
	}
	return runs(days, func(d newsDay) string { return monthName(d.Date) })
}

// monthName returns the month of a day: November 2026.
func monthName(d catalog.Date) string { return d.Time().Format("January 2006") }

// newsLines returns the changes of a day in records other than library entries, protocols first.
func (p *Pages) newsLines(day catalog.Date) (lines []newsLine) {
	events := slices.DeleteFunc(p.cat.History(day).Events, func(e catalog.RecordedEvent) bool {
		return e.Kind == "library" || e.Change == "read-again"
	})
	slices.SortStableFunc(events, byRank)
	at := make(map[string]int) // of lines by title
	for _, e := range events {
		record := Link{Label: e.Title, Path: strings.TrimPrefix(e.HTMLURL, p.site.Base)}
		if newsRank(e.Kind) == 0 {
			_, id := catalog.HistoryRecord(e.Record)
			record.Label = shortName(id, p.cat.ProtocolName(id))
		}
		i, ok := at[record.Label]
		if !ok {
			i = len(lines)
			at[record.Label], lines = i, append(lines, newsLine{Records: []Link{record}})
		}
		for _, s := range phrase.Sentences(e.Change, e.Members) {
			if e.Change == "added" {
				s = phrase.Sentence(e.Kind) + " added"
			}
			if !slices.Contains(lines[i].Sentences, s) && s != phrase.EvidenceUpdated {
				lines[i].Sentences = append(lines[i].Sentences, s)
			}
		}
	}
	return merged(lines)
}

// merged returns lines without those that tell nothing, and those that tell the same as one.
func merged(lines []newsLine) (list []newsLine) {
	for _, l := range lines {
		i := slices.IndexFunc(list, func(o newsLine) bool { return slices.Equal(o.Sentences, l.Sentences) })
		switch {
		case len(l.Sentences) == 0:
		case i >= 0:
			list[i].Records = append(list[i].Records, l.Records...)
		default:
			list = append(list, l)
		}
	}
	return list
}

// newsRank returns the place of a kind of record among news: protocols first, then texts, the site itself, and entries.
func newsRank(kind string) int {
	switch kind {
	case "protocol", "profile", "flow":
		return 0
	case "support":
		return 2
	case "library":
		return 3
	}
	return 1
}

func byRank(a, b catalog.RecordedEvent) int { return newsRank(a.Kind) - newsRank(b.Kind) }

// HistoryDay returns the page of the changes of a day.
func (p *Pages) HistoryDay(doc *catalog.HistoryDayList) Page {
	changes := phrase.Count(doc.Count, "change", "changes")
	return Page{
		Title:       "Changed on " + string(doc.Date),
		Description: changes + " on " + string(doc.Date) + ", with old and new values.",
		Crumbs:      []Link{{Label: "What's new", Path: catalog.HistoryPath}},
		Lede:        diffLegend,
		Facts:       []string{doc.Date.Time().Weekday().String(), changes},
		content:     historyDayContent(doc),
	}
}

// Calendar returns the page of the days on which something expires, applies, closes, starts or ends.
func (p *Pages) Calendar() Page {
	doc := p.cat.Calendar()
	upcoming, past := doc.Upcoming()
	return Page{
		Title:       "Calendar",
		Description: "Days on which drafts expire, laws apply, consultations close and support ends, each with its source.",
		Lede: "When drafts expire, laws apply, consultations close and support ends. Upcoming means after " +
			phrase.LongDay(doc.AsOf) + ".",
		Facts: []string{
			phrase.Count(len(upcoming), "upcoming day", "upcoming days"), phrase.Count(len(past), "past day", "past days"),
		},
		content: calendarContent(runs(upcoming, func(e catalog.CalendarEntry) string { return monthName(e.Date) }), past),
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
	slices.SortStableFunc(edited, byRank)
	return slices.DeleteFunc(groups, func(g eventGroup) bool { return len(g.records) == 0 }), edited
}

// RecordHistory returns the page of the changes to a record.
func (p *Pages) RecordHistory(doc *catalog.RecordHistory) Page {
	return Page{
		Title:       "History: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "History: " + doc.Title,
		Description: "What changed in " + doc.Title + " and when, with old and new values.",
		Crumbs:      []Link{{Label: "What's new", Path: catalog.HistoryPath}},
		Lede:        diffLegend,
		Facts:       []string{doc.Record, phrase.Count(doc.Count, "change", "changes")},
		content:     recordHistoryContent(doc),
	}
}

// Evidence returns the page of the evidence for a record.
func (p *Pages) Evidence(doc *catalog.EvidenceDocument) Page {
	readings := 0
	for _, m := range doc.Members {
		readings += len(m.Readings)
	}
	return Page{
		Title:       "Evidence: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "Evidence: " + doc.Title,
		Description: "The evidence for " + doc.Title + ": permanent addresses, copies and quotes, and the sources that disagree.",
		Lede:        "The quotes behind this record, each with its source, the copy and the day we read it. Where sources disagree, the one that we follow comes first.",
		Facts:       []string{doc.Record, phrase.Count(readings, "reading", "readings")},
		content:     evidenceContent(doc),
	}
}

// Changes returns the calendar of changes.
func (p *Pages) Changes() Page {
	return Page{
		Title:       "What we checked",
		Description: "A calendar of everything that we verified, day by day, with feeds to follow.",
		Lede:        "What we checked, day by day. Or subscribe to the feed.",
		Verified:    phrase.Days(p.cat.ChangeDays()),
		content:     changesContent(p.cat),
	}
}

// Day returns the page of a day of the change feed: the changes that are not entries, which stand on the first page of
// the day, and the part's entries.
func (p *Pages) Day(doc *catalog.ChangeList, others []catalog.Change, part paging.Part) Page {
	records := phrase.Count(doc.Count, "record", "records")
	pg := Page{
		Title:       "Verified on " + string(doc.Date),
		Description: fmt.Sprintf("%s verified on %s: articles, datasets, documents and sources.", records, doc.Date),
		Crumbs:      []Link{{Label: "What we checked", Path: catalog.ChangesIndexPath}},
		Facts:       []string{doc.Date.Time().Weekday().String(), records},
	}
	data := dayPage{Total: doc.Count, Others: others}
	data.Pager = paged(&pg, part, func(id string) string { return catalog.ChangesPath(catalog.Date(id)) })
	data.Newer, data.Older = neighbours(p.cat.ChangeDays(), doc.Date)
	pg.content = dayContent(data)
	return pg
}

// months returns the days with changes, newest first, as months of weeks that begin on Monday (ISO 8601).
func months(cat *catalog.Catalog) (list []month) {
	for _, changed := range runs(cat.ChangeDays(), monthName) {
		t := changed[0].Time()
		first := t.AddDate(0, 0, 1-t.Day())
		days := make([]calendarDay, (int(first.Weekday())+6)%7)
		for t := first; t.Month() == first.Month(); t = t.AddDate(0, 0, 1) {
			date := catalog.DateOf(t)
			days = append(days, calendarDay{t.Day(), date, cat.ChangeCount(date)})
		}
		for len(days)%7 > 0 {
			days = append(days, calendarDay{})
		}
		list = append(list, month{monthName(changed[0]), slices.Collect(slices.Chunk(days, 7))})
	}
	return list
}
