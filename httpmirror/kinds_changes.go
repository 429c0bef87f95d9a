package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/paging"
	"almanac/problem"
)

// changeKinds are the change feed.
func changeKinds() []*kind { return []*kind{dayKind(), daysKind()} }

func dayKind() *kind {
	return &kind{
		name: "changes", title: "Changes of a day", summary: "What was verified on a day", tag: "facts",
		description: "What was verified on a UTC day.",
		ids: func(c *catalog.Catalog) []string {
			var ids []string
			for _, d := range c.ChangeDays() {
				ids = append(ids, paging.IDs(string(d), c.ChangeCount(d)-c.ChangesOfEntries(d), paging.DaySize)...)
			}
			return ids
		},
		has: func(r *renderer, id string) bool {
			return paging.Has(id, paging.DaySize, func(record string) (entries int, ok bool) {
				if !slices.Contains(r.cat.ChangeDays(), catalog.Date(record)) {
					return 0, false
				}
				return r.cat.ChangeCount(catalog.Date(record)) - r.cat.ChangesOfEntries(catalog.Date(record)), true
			})
		},
		open:   true,
		format: "date",
		// A day on which nothing was verified is a document too: a program may ask for any day.
		unlisted: func(id string) error {
			if _, err := catalog.ParseDate(id); err != nil {
				return problem.Errorf(problem.NotFound, "The change feed has no such day: %v.", err)
			}
			return nil
		},
		day: changesDay,
		forms: []form{
			jsonForm("changes", catalog.ChangesJSONPath("{date}"), "change-list", changesJSON),
			markdownForm("changesMarkdown", catalog.ChangesMarkdownPath("{date}"),
				func(r *renderer, w *markdown.Writer, id string) {
					doc, others, part := r.day(id)
					r.markdown.Day(w, doc, onFirst(others, part), part.Unpaged())
				}),
			pageForm("changesPage", catalog.ChangesPath("{date}"), func(r *renderer, id string) (html.Page, error) {
				doc, others, part := r.day(id)
				return r.html.Day(doc, onFirst(others, part), part), nil
			}),
		},
		resource: "library://changes/{date}",
		latest: func(c *catalog.Catalog) string {
			for _, d := range c.ChangeDays() {
				return string(d)
			}
			return ""
		},
	}
}

func changesJSON(r *renderer, id string) (any, error) {
	record, number := paging.Split(id)
	doc := r.cat.Changes(catalog.Date(record))
	if number > 1 {
		_, others, part := r.day(id)
		first := len(others) + part.From - 1
		doc.Count, doc.Entries = len(part.Entries), doc.Entries[first:first+len(part.Entries)]
	}
	return doc, nil
}

// day returns the change feed of a day without its changes, the changes that are not entries,
// and the part of the entries that an id of the kind names.
func (r *renderer) day(id string) (doc *catalog.ChangeList, others []catalog.Change, part paging.Part) {
	record, number := paging.Split(id)
	day := catalog.Date(record)
	doc = r.cat.ChangesHead(day)
	first := r.cat.ChangesOfEntries(day)
	entries := make([]*catalog.Entry, 0, doc.Count-first)
	for i := range doc.Count {
		if ch := r.cat.Change(day, i); i < first {
			others = append(others, ch)
		} else {
			e, _ := r.cat.Entry(ch.ID)
			entries = append(entries, e)
		}
	}
	return doc, others, paging.New(record, number, entries, paging.DaySize)
}

// onFirst returns the changes that are not entries for the first page of a day, and none for the others.
func onFirst(others []catalog.Change, part paging.Part) []catalog.Change {
	if part.Number > 1 {
		return nil
	}
	return others
}

func daysKind() *kind {
	return &kind{
		name: "changeDays", title: "Days with changes", summary: "The days with changes", tag: "facts",
		description: "The days on which something was verified, newest first, with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).FeedDay),
		forms: singleForms("changeDays", "change-index",
			paths{catalog.ChangesIndexJSONPath, catalog.ChangesIndexMarkdownPath, catalog.ChangesIndexPath},
			(*catalog.Catalog).ChangeIndex, (*markdown.Renderer).Changes, (*html.Pages).Changes),
		also:       allChanges,
		navigation: "Changes",
		resource:   "library://changes",
		llms: func(*renderer, string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Interfaces", Label: "Changes", Text: "the days with changes; " +
				catalog.ChangesMarkdownPath("YYYY-MM-DD") + " has what was verified on a day"}
		},
	}
}
