package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/paging"
	"almanac/problem"
)

// changeKinds are the change feed and the calendar.
var changeKinds = []*kind{
	{
		name: "changes", title: "Changes of a day", summary: "The records checked on a day", tag: "facts",
		description: "The records checked on a UTC day.",
		ids: func(c *catalog.Catalog) []string {
			var ids []string
			for _, d := range c.ChangeDays() {
				ids = append(ids, paging.IDs(string(d), c.ChangeCount(d)-c.ChangesOfEntries(d), paging.DaySize)...)
			}
			return ids
		},
		open:   true,
		format: "date",
		// A day on which nothing was verified is a document too: a program may ask for any day.
		unlisted: anyDay("change feed"),
		day: func(c *catalog.Catalog, id string) catalog.Date {
			day, _ := paging.Split(id)
			return c.ChangesDay(catalog.Date(day))
		},
		forms: []form{
			jsonForm("changes", catalog.ChangesJSONPath("{date}"), "change-list", changesJSON),
			markdownForm("changesMarkdown", catalog.MarkdownPath(catalog.ChangesPath("{date}")), func(r *renderer, id string) []byte {
				doc, others, part := r.day(id)
				return r.markdown.Document("changes", markdown.Day{ChangeList: doc, Others: others, Part: part.Unpaged()})
			}),
			pageForm("changesPage", catalog.ChangesPath("{date}"), func(r *renderer, id string) html.Page {
				doc, others, part := r.day(id)
				return r.html.Day(doc, others, part)
			}),
		},
		resource: "library://changes/{date}",
		latest:   func(c *catalog.Catalog) string { return string(c.FeedDay()) },
	},
	{
		name: "changeDays", title: "Days with changes", summary: "The days with changes", tag: "facts",
		description: "The days of checks, newest first, with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).FeedDay),
		forms: singleForms("changeDays", "change-index",
			paths{json: catalog.ChangesIndexJSONPath, page: catalog.ChangesIndexPath},
			(*catalog.Catalog).ChangeIndex, (*html.Pages).Changes),
		also:     allChanges,
		resource: "library://changes",
		llms: llmsLine("Interfaces", "Changes",
			"the days with changes; "+
				catalog.MarkdownPath(catalog.ChangesPath("YYYY-MM-DD"))+" has what was verified on a day"),
	},
	// The calendar, which only sites have whose statements tell of a day.
	{
		name: "calendar", title: "Calendar", tag: "facts",
		summary:     "The days on which something expires, applies, closes, starts or ends",
		description: "The days on which drafts expire, laws apply, consultations close and support ends, each with its source.",
		only:        func(c *catalog.Catalog, _ Options) bool { return c.HasCalendar() },
		day:         sharedDay((*catalog.Catalog).CalendarDay),
		forms: append(singleForms("calendar", "calendar",
			paths{json: catalog.CalendarJSONPath, page: catalog.CalendarPath},
			(*catalog.Catalog).Calendar, (*html.Pages).Calendar),
			rawForm("calendarICS", catalog.CalendarICSPath, file.Calendar, func(r *renderer, _ string) ([]byte, error) {
				return r.metadata.ICalendar(r.cat.Calendar()), nil
			}).labelled("iCalendar", file.Calendar, "The calendar as iCalendar (RFC 5545)")),
		resource: "library://calendar",
		llms: llmsLine("Facts", "Calendar",
			"days on which drafts expire, laws apply and support ends; "+catalog.CalendarICSPath+" to subscribe"),
	},
}

// anyDay returns the unlisted function of a kind that has a document for every day.
func anyDay(list string) func(id string) error {
	return func(id string) error {
		if _, err := catalog.ParseDate(id); err != nil {
			return problem.Errorf(problem.NotFound, "The %s has no such day: %v.", list, err)
		}
		return nil
	}
}

func changesJSON(r *renderer, id string) any {
	record, number := paging.Split(id)
	doc := r.cat.Changes(catalog.Date(record))
	if number > 1 {
		_, _, part := r.day(id)
		first := r.cat.ChangesOfEntries(catalog.Date(record)) + part.From - 1
		doc.Count, doc.Entries = len(part.Entries), doc.Entries[first:first+len(part.Entries)]
	}
	return doc
}

// day returns the change feed of a day without its changes, the part of the entries that an id of the kind names, and
// with the first part the changes that are not entries.
func (r *renderer) day(id string) (doc *catalog.ChangeList, others []catalog.Change, part paging.Part) {
	record, number := paging.Split(id)
	day := catalog.Date(record)
	doc = r.cat.ChangesHead(day)
	first := r.cat.ChangesOfEntries(day)
	entries := make([]*catalog.Entry, 0, doc.Count-first)
	for i := range doc.Count {
		if ch := r.cat.Change(day, i); i >= first {
			e, _ := r.cat.Entry(ch.ID)
			entries = append(entries, e)
		} else if number == 1 {
			others = append(others, ch)
		}
	}
	return doc, others, paging.New(record, number, entries, paging.DaySize)
}
