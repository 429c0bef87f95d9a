package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
)

// maxSpan is the most days list_changes looks at in one call.
const maxSpan = 31

// A feed is the change feed, encoded change by change.
type feed struct {
	days      []catalog.Date // newest first
	byDate    map[catalog.Date][]change
	addresses map[string]string // by id, of what is no library entry; Markdown where there is some
}

type change struct {
	kind string
	piece
}

func newFeed(c *catalog.Catalog) *feed {
	f := &feed{days: c.ChangeDays(), byDate: make(map[catalog.Date][]change), addresses: make(map[string]string)}
	for _, d := range f.days {
		for _, ch := range c.Changes(d).Entries {
			f.byDate[d] = append(f.byDate[d], change{ch.Kind, piece{encode(ch), changeLine(ch)}})
			if ch.Kind != "library" {
				f.addresses[ch.ID] = cmp.Or(ch.MDURL, ch.URL)
			}
		}
	}
	return f
}

// choose gives the changes of some days and kinds, newest day first.
func (f *feed) choose(from, to catalog.Date, kinds []string) (chosen []change) {
	if from == to && kinds == nil {
		return f.byDate[from]
	}
	for _, d := range f.days {
		if d < from || d > to {
			continue
		}
		for _, ch := range f.byDate[d] {
			if kinds == nil || slices.Contains(kinds, ch.kind) {
				chosen = append(chosen, ch)
			}
		}
	}
	return chosen
}

// changeLine says in a line of a list what the JSON of a change says.
func changeLine(ch catalog.Change) []byte {
	words := []string{
		"- id: " + ch.ID, "kind: " + ch.Kind, "**" + ch.Title + "**", ch.URL,
	}
	if ch.MDURL != "" {
		words = append(words, "md_url: "+ch.MDURL)
	}
	if ch.Category != "" {
		words = append(words, "category: "+ch.Category)
	}
	published := ""
	if ch.DatePublished != nil {
		published = string(*ch.DatePublished)
	}
	words = append(words, "date_published: "+orUnknown(published), "verified_at: "+string(ch.VerifiedAt))
	if ch.Note != "" {
		words = append(words, "note: "+ch.Note)
	}
	return appendEscaped(nil, strings.Join(words, "; ")+"\n")
}

func (t *Tools) listChanges() *tool {
	latest := string(t.latest())
	return &tool{
		name: "list_changes", title: "List changes by date",
		about: "Lists what was verified on a UTC day, or in a span of at most 31 days: entries, articles, datasets, support, bots. " +
			"Use it to learn what is new; without arguments it gives the newest day with changes. " +
			"To browse the library use list_entries instead. " +
			fmt.Sprintf("Example: {\"date\":%q}. ", latest) +
			"Next, pass ids of kind library to get_entry.",
		params: []param{
			{name: "date", kind: date, example: fmt.Sprintf("%q", latest)},
			{name: "from", kind: date, example: fmt.Sprintf("%q,\"to\":%q", latest, latest), about: "Until to, or today."},
			{name: "to", kind: date, example: fmt.Sprintf("%q,\"from\":%q", latest, latest)},
			{name: "kind", kind: list, allowed: catalog.ChangeKinds, max: len(catalog.ChangeKinds), example: `["library"]`},
			limitParam(), cursorParam(),
		},
		output: object([]string{"date", "total", "count", "entries"},
			prop("date", isText), prop("total", isNumber), prop("count", isNumber),
			prop("entries", listOf(object([]string{"id", "kind", "title", "url", "verified_at"}, prop("date_published", textOrNil)))),
			prop("next_cursor", isText)),
		run: t.runListChanges,
	}
}

// latest is the newest day that has changes.
func (t *Tools) latest() catalog.Date {
	if len(t.feed.days) == 0 {
		return catalog.DateOf(t.o.Now())
	}
	return t.feed.days[0]
}

func (t *Tools) runListChanges(_ context.Context, in args, _ Caller) (*Answer, error) {
	from, to, err := t.span(in)
	if err != nil {
		return nil, err
	}
	kinds := in.list("kind")
	chosen := t.feed.choose(from, to, kinds)
	p := t.changesPage(from, to, kinds, len(chosen))
	if p.offset, err = t.offset(in.text("cursor"), p.query, len(chosen)); err != nil {
		return nil, err
	}
	p.limit = in.number("limit", standardLimit)
	title := string(from)
	if from != to {
		title += "/" + string(to) // an ISO 8601 interval
	}
	head := `"date":"` + title + `"`
	if len(chosen) == 0 {
		near := t.nearestDays(to)
		head += `,"days_with_changes":` + string(encode(near))
		title += " (days with changes: " + joinDates(near) + ")"
	}
	return p.write("Changes of "+title, head, func(i int) piece { return chosen[i].piece }), nil
}

// changesPage is the first page of list_changes over some days and kinds.
func (t *Tools) changesPage(from, to catalog.Date, kinds []string, total int) page {
	slices.Sort(kinds)
	query := queryID("list_changes", string(from), string(to), strings.Join(kinds, ","))
	return page{tool: "list_changes", total: total, query: query, next: func(n int) string { return t.cursor(query, n) }}
}

// span reads which days to look at.
func (t *Tools) span(in args) (from, to catalog.Date, err error) {
	day, from, to := catalog.Date(in.text("date")), catalog.Date(in.text("from")), catalog.Date(in.text("to"))
	switch {
	case day == "" && from == "" && to == "":
		return t.latest(), t.latest(), nil
	case day != "" && (from != "" || to != ""):
		return "", "", t.badSpan("Give either date, or from with to, not both.")
	case day != "":
		from, to = day, day
	case from == "":
		return "", "", t.badSpan("to needs from.")
	}
	today := catalog.DateOf(t.o.Now())
	if to == "" {
		to = max(from, today)
	}
	switch {
	case from > to:
		return "", "", t.badSpan("from %s lies after to %s. Swap them.", from, to)
	case to.Time().Sub(from.Time()) >= maxSpan*24*time.Hour:
		return "", "", t.badSpan("The span from %s to %s is longer than %d days. Ask for a part of it; its newest days with changes: %s.",
			from, to, maxSpan, joinDates(t.daysWithin(from, to)))
	case from > today:
		return "", "", t.badSpan("%s lies in the future; today is %s (UTC).", from, today)
	}
	return from, to, nil
}

// badSpan is a refusal with examples of days that have changes.
func (t *Tools) badSpan(format string, a ...any) error {
	to := t.latest()
	return refusal(fmt.Sprintf(format, a...) + fmt.Sprintf(` Examples: {"date":%q} or {"from":%q,"to":%q}`,
		to, catalog.DateOf(to.Time().AddDate(0, 0, -6)), to))
}

const daysShown = 5 // of those with changes

// daysWithin gives the newest days with changes in a span.
func (t *Tools) daysWithin(from, to catalog.Date) []catalog.Date {
	days := []catalog.Date{}
	for _, d := range t.feed.days {
		if from <= d && d <= to && len(days) < daysShown {
			days = append(days, d)
		}
	}
	return days
}

// nearestDays gives the newest days with changes up to a day, or the newest of all.
func (t *Tools) nearestDays(to catalog.Date) []catalog.Date {
	if near := t.daysWithin("", to); len(near) > 0 {
		return near
	}
	return append([]catalog.Date{}, t.feed.days[:min(daysShown, len(t.feed.days))]...)
}

func joinDates(days []catalog.Date) string {
	words := make([]string, len(days))
	for i, d := range days {
		words[i] = string(d)
	}
	return orNone(strings.Join(words, ", "))
}
