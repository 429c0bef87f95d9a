package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
)

// maxSpan is the largest number of days that one call of list_changes covers.
const maxSpan = 31

func listChanges(d *data) *tool {
	latest := string(d.latest())
	return &tool{
		signature: signature{
			name: "list_changes",
			params: []param{
				{name: "date", kind: kindDate, example: fmt.Sprintf("%q", latest)},
				{name: "from", kind: kindDate, example: fmt.Sprintf("%q,\"to\":%q", latest, latest), about: "Until to, or today."},
				{name: "to", kind: kindDate, example: fmt.Sprintf("%q,\"from\":%q", latest, latest)},
				{name: "kind", kind: kindList, allowed: catalog.ChangeKinds, max: len(catalog.ChangeKinds), example: `["library"]`},
				limitParam(), cursorParam(),
			},
		},
		title: "List changes by date",
		about: "Lists what was verified on a UTC day, or in a span of at most 31 days. " +
			"Use it to learn what is new; without arguments it lists the newest day with changes. " +
			fmt.Sprintf("Example: {\"date\":%q}. ", latest) +
			"Next, pass ids of kind library to get_entry.",
		output: object([]string{"date", "total", "count", "entries"},
			prop("date", textSchema), prop("total", integerSchema), prop("count", integerSchema),
			prop("entries", listOf(object([]string{"id", "kind", "title", "url", "verified_at"}, prop("date_published", nullableText)))),
			prop("next_cursor", textSchema)),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) { return d.listChanges(in) },
	}
}

func (d *data) listChanges(in arguments) (*Answer, error) {
	from, to, err := d.readSpan(in)
	if err != nil {
		return nil, err
	}
	kinds := in.list("kind")
	chosen := d.changes.choose(from, to, kinds)
	p := d.changesPage(from, to, kinds, len(chosen))
	if p.offset, err = d.cursors.decode(in.text("cursor"), p.query, len(chosen)); err != nil {
		return nil, err
	}
	p.limit = in.number("limit", standardLimit)
	title := string(from)
	if from != to {
		title += "/" + string(to) // an ISO 8601 interval
	}
	head := `"date":"` + title + `"`
	if len(chosen) == 0 {
		near := d.changes.nearestDays(to)
		head += `,"days_with_changes":` + string(encode(near))
		title += " (days with changes: " + joinDates(near) + ")"
	}
	return p.answer("Changes of "+title, head, func(i int) piece { return chosen[i].piece }), nil
}

// changesPage is the first page of list_changes over some days and kinds.
func (d *data) changesPage(from, to catalog.Date, kinds []string, total int) listPage {
	slices.Sort(kinds)
	return listPage{tool: "list_changes", total: total, cursors: d.cursors,
		query: queryID("list_changes", string(from), string(to), strings.Join(kinds, ","))}
}

// readSpan reads which days to list.
func (d *data) readSpan(in arguments) (from, to catalog.Date, err error) {
	day, from, to := catalog.Date(in.text("date")), catalog.Date(in.text("from")), catalog.Date(in.text("to"))
	switch {
	case day == "" && from == "" && to == "":
		return d.latest(), d.latest(), nil
	case day != "" && (from != "" || to != ""):
		return "", "", d.spanError("Send either date, or from with to, not both.")
	case day != "":
		from, to = day, day
	case from == "":
		return "", "", d.spanError("to needs from.")
	}
	today := d.today()
	if to == "" {
		to = max(from, today)
	}
	switch {
	case from > to:
		return "", "", d.spanError("from %s is later than to %s. Swap them.", from, to)
	case to.Time().Sub(from.Time()) >= maxSpan*24*time.Hour:
		return "", "", d.spanError("The span from %s to %s is longer than %d days. Ask for a part of it; its newest days with changes: %s.",
			from, to, maxSpan, joinDates(d.changes.daysWithin(from, to)))
	case from > today:
		return "", "", d.spanError("%s is in the future; today is %s (UTC).", from, today)
	}
	return from, to, nil
}

// spanError appends examples of days that have changes.
func (d *data) spanError(format string, a ...any) error {
	to := d.latest()
	return inputError(fmt.Sprintf(format, a...) + fmt.Sprintf(` Examples: {"date":%q} or {"from":%q,"to":%q}`,
		to, catalog.DateOf(to.Time().AddDate(0, 0, -6)), to))
}
