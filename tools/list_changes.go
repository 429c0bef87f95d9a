package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

func listChanges(d *data) *tool {
	latest := string(d.latest())
	return &tool{
		signature: signature{
			name: "list_changes",
			params: []param{
				{name: "date", kind: kindDate, example: fmt.Sprintf("%q", latest), about: "This day."},
				{name: "since", kind: kindDate, example: fmt.Sprintf("%q", latest), about: "This day and later."},
				{name: "from", kind: kindDate, example: fmt.Sprintf("%q,\"to\":%q", latest, latest), about: "First day."},
				{name: "to", kind: kindDate, example: fmt.Sprintf("%q,\"from\":%q", latest, latest), about: "Last day."},
				{name: "kind", kind: kindList, allowed: catalog.ChangeKinds, max: len(catalog.ChangeKinds), example: `["library"]`, about: "Any of these."},
				{name: "change", allowed: changeTypes, example: `"added"`, about: "Only this type."},
				limitParam(), cursorParam(),
			},
		},
		title: "List changes",
		about: "Lists the records read on a UTC day, since one, or in a span, new ones apart from those read again, with counts. " +
			"Use it for what is new; without arguments it lists the newest day. " +
			fmt.Sprintf("Example: {\"since\":%q,\"change\":\"added\"}.", latest),
		output: pageSchema(changeSchema(), prop("date", textSchema), prop("counts", countsSchema)),
		run:    func(_ context.Context, in arguments, _ Caller) (*Answer, error) { return d.listChanges(in) },
	}
}

// changeSchema is the schema of a change.
func changeSchema() *schema {
	return object(append(texts("id", "kind", "title", "url", "verified_at", "change"), prop("date_published", nullableText))...)
}

func (d *data) listChanges(in arguments) (*Answer, error) {
	from, to, err := d.readSpan(in)
	if err != nil {
		return nil, err
	}
	f := changeFilter{from, to, in.list("kind"), in.text("change")}
	chosen, summary := d.changes.choose(f)
	p := d.changesPage(f, chosen.len())
	if p.offset, err = d.cursors.decode(in.text("cursor"), p.query, chosen.len()); err != nil {
		return nil, err
	}
	p.limit = in.number("limit", standardLimit)
	title := string(from)
	if from != to {
		title += "/" + string(to) // an ISO 8601 interval
	}
	head := `"date":"` + title + `",` + summary.json
	if chosen.len() == 0 {
		near := d.changes.nearestDays(to)
		head += `,"days_with_changes":` + string(encode(near))
		title += " (days with changes: " + joinDates(near) + ")"
	} else {
		title += " (" + summary.text + ")"
	}
	return p.answer("Changes of "+title, head, func(i int) piece { return d.changes.piece(chosen.at(i)) }), nil
}

// changesPage is the first page of list_changes over some changes.
func (d *data) changesPage(f changeFilter, total int) listPage {
	slices.Sort(f.kinds)
	return listPage{tool: "list_changes", total: total, cursors: d.cursors,
		query: queryID("list_changes", string(f.from), string(f.to), strings.Join(f.kinds, ","), f.change)}
}

// readSpan reads which days to list.
func (d *data) readSpan(in arguments) (from, to catalog.Date, err error) {
	day, since := catalog.Date(in.text("date")), catalog.Date(in.text("since"))
	from, to = catalog.Date(in.text("from")), catalog.Date(in.text("to"))
	switch {
	case day == "" && since == "" && from == "" && to == "":
		return d.latest(), d.latest(), nil
	case day != "" && (since != "" || from != "" || to != ""), since != "" && (from != "" || to != ""):
		return "", "", d.spanError("Send one of date, since, or from with to, not both.")
	case day != "":
		from, to = day, day
	case since != "":
		from = since
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
	case from > today:
		return "", "", d.spanError("%s is in the future; today is %s (UTC).", from, today)
	}
	return from, to, nil
}

// spanError appends examples of days that have changes.
func (d *data) spanError(format string, a ...any) error {
	to := d.latest()
	weekBefore := catalog.DateOf(to.Time().AddDate(0, 0, -6))
	return inputError(fmt.Sprintf(format, a...) + fmt.Sprintf(` Examples: {"date":%q}, {"since":%q} or {"from":%q,"to":%q}`,
		to, weekBefore, weekBefore, to))
}
