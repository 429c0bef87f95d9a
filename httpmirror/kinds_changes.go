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
				ids = append(ids, paging.IDs(string(d), len(splitDay(c, c.Changes(d)).entries), paging.DaySize)...)
			}
			return ids
		},
		has: func(r *renderer, id string) bool {
			return paging.Has(id, paging.DaySize, func(record string) (entries int, ok bool) {
				if !slices.Contains(r.cat.ChangeDays(), catalog.Date(record)) {
					return 0, false
				}
				return len(r.split(record).entries), true
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
			jsonForm("changes", catalog.ChangesJSONPath("{date}"), "change-list", nil).rendered(changesJSON),
			markdownForm("changesMarkdown", catalog.ChangesMarkdownPath("{date}"), func(r *renderer, w *markdown.Writer, id string) error {
				doc, others, part := r.day(id)
				r.markdown.Day(w, doc, others, part.Whole())
				return nil
			}),
			pageForm("changesPage", catalog.ChangesPath("{date}"), func(r *renderer, id string) (html.Page, error) {
				doc, others, part := r.day(id)
				return r.html.Day(doc, others, part)
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

func changesJSON(r *renderer, w *markdown.Writer, id string) error {
	doc, _, part := r.day(id)
	changes := doc.Entries
	if part.Number > 1 {
		changes = changes[len(changes)-part.Total():][part.From-1 : part.To]
	}
	doc.Count, doc.Entries = len(changes), []catalog.Change{}
	return writeList(w, doc, len(changes), func(i int) ([]byte, error) { return encodeElement(&changes[i]) })
}

// day returns the change feed of a day, its changes that are not entries, which stand on the first page only, and the
// part of its entries that an id of the kind names.
func (r *renderer) day(id string) (doc *catalog.ChangeList, others []catalog.Change, part paging.Part) {
	record, number := paging.Split(id)
	split := r.split(record)
	if number == 1 {
		others = split.others
	}
	whole := *split.whole
	return &whole, others, paging.New(record, number, split.entries, paging.DaySize)
}

// split returns the changes of a day. They are kept, because a long day has many parts; of days without changes, which are rendered when
// they are asked for, nothing is.
func (r *renderer) split(day string) splitChanges {
	if s, ok := r.days.Load(day); ok {
		return s.(splitChanges)
	}
	s := splitDay(r.cat, r.cat.Changes(catalog.Date(day)))
	if s.whole.Count > 0 {
		r.days.Store(day, s)
	}
	return s
}

// splitChanges are the changes of a day: the entries, which the feed lists last, and the others.
type splitChanges struct {
	whole   *catalog.ChangeList
	entries []*catalog.Entry
	others  []catalog.Change
}

func splitDay(c *catalog.Catalog, doc *catalog.ChangeList) splitChanges {
	s := splitChanges{whole: doc}
	for _, ch := range doc.Entries {
		if e, ok := c.Entry(ch.ID); ok && ch.Kind == "library" {
			s.entries = append(s.entries, e)
		} else {
			s.others = append(s.others, ch)
		}
	}
	return s
}

func daysKind() *kind {
	return &kind{
		name: "changeDays", title: "Days with changes", summary: "The days with changes", tag: "facts",
		description: "The days on which something was verified, newest first, with counts and addresses.",
		day:         whole((*catalog.Catalog).FeedDay),
		forms: []form{
			jsonForm("changeDays", catalog.ChangesIndexJSONPath, "change-index", func(r *renderer, _ string) (any, error) { return r.cat.ChangeIndex(), nil }),
			markdownForm("changeDaysMarkdown", catalog.ChangesIndexMarkdownPath, func(r *renderer, w *markdown.Writer, _ string) error {
				r.markdown.Changes(w)
				return nil
			}),
			pageForm("changeDaysPage", catalog.ChangesIndexPath, func(r *renderer, _ string) (html.Page, error) { return r.html.Changes(), nil }),
		},
		also:       allChanges,
		navigation: "Changes",
		resource:   "library://changes",
		llms: func(*renderer, string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Interfaces", Label: "Changes", Text: "the days with changes; " + catalog.ChangesMarkdownPath("YYYY-MM-DD") + " has what was verified on a day"}
		},
	}
}
