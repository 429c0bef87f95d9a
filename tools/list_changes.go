package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// reported are the kinds of change that are listed unless others are asked for; of one record, corrections are too.
var reported = changeKinds[:6]

const (
	recentDays = 30  // the prompt names them
	maxChanged = 240 // bytes of a value before or after a change
	maxDigest  = 8   // lines of a kind of change of the world, and of what is alone
	maxEdits   = 3   // of a kind of change of our data
)

func listChanges(d *data) *tool {
	kinds := d.kinds(historyKinds)
	return &tool{
		signature: signature{
			name: "list_changes",
			params: []param{
				dayParam("since", d.latest(), "Default: the last 30 days."), dayParam("until", d.latest(), "Last, also to come."),
				{name: "record", min: 2, max: maxName, example: quoted(d.examples.Record), aliases: []string{"id", "protocol"},
					about: "This record" + textIf(d.hasProtocols(), ", or all about this protocol or tag") + "."},
				{name: "category", allowed: d.catalog.CategoryIDs(), brief: true, example: quoted(d.examples.category),
					about: "Only its entries."},
				brief(d.tagParam()), brief(d.typeParam()), brief(d.kindParam(kinds)),
				{name: "change", kind: kindList, allowed: changeKinds, max: len(changeKinds), example: `["fact"]`,
					about: "Default: the first six."},
				{name: "readings", kind: kindBool, example: `true`}, // what is change reading too
				limitParam(maxLimit, standardLimit, "Most changes."), cursorParam(),
			},
		},
		title: "List changes",
		about: "For what happened or is new, deadlines to come, a former value: events of the world by their day, " +
			"then edits here (was, is). Many come as a digest; limit lists them. " +
			`Example: {"since":` + quoted(string(d.latest())) + `,"record":` + quoted(d.examples.Record) + `}.`,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listChanges(in) },
	}
}

// kindParam selects records by kinds, in every tool alike.
func (d *data) kindParam(kinds []string) param {
	return param{name: "kind", aliases: []string{"kinds"}, kind: kindList, allowed: kinds, max: len(kinds),
		example: "[" + quoted(kinds[0]) + "]", about: "Any of these.",
		means: otherKinds}
}

// A changeFilter selects changes. Of its lists, nil is all.
type changeFilter struct {
	since, until  catalog.Date
	record        string // with or without its kind; "": all
	kinds, change []string
	entries       filter
}

func (f *changeFilter) spans(day catalog.Date) bool {
	return day >= f.since && day != "" && day <= f.until
}

func (d *data) listChanges(in arguments) (*mcp.CallToolResult, error) {
	f := changeFilter{
		since: catalog.Date(in.text("since")), until: catalog.Date(in.text("until")),
		record: strings.TrimPrefix(strings.ToLower(in.text("record")), "library:"),
		kinds:  in.list("kind"), change: in.list("change"), entries: filter{category: in.text("category"), tags: in.list("tag"), types: in.list("type")},
	}
	digested := f.change == nil && in["limit"] == nil && in["cursor"] == nil && f.since <= d.today()
	if f.change == nil {
		f.change = reported
		if f.record != "" {
			f.change = changeKinds[:7]
		}
	}
	if in.set("readings") {
		f.change = append(slices.Clone(f.change), changeReading)
	}
	today := d.today()
	switch {
	case f.until != "" && f.since > f.until:
		return nil, checkDays(f.since, f.until)
	case f.record != "" && !d.hasRecord(f.record):
		names := slices.Concat(d.ids, d.protocols.ids, catalog.Convert(d.catalog.HistoryRecordIDs(), catalog.HistoryPathRecord))
		return nil, inputError(fmt.Sprintf("There is no record %s%s. search finds ids.", quote(f.record), didYouMean(f.record, names)))
	}
	if f.until == "" {
		if f.until = today; f.since > today { // all days to come
			f.until = "9999-12-31"
		}
	}
	if _, ok := d.catalog.Entry(f.record); ok {
		f.record = "library:" + f.record // which is no tag
	}
	if f.since == "" && f.record == "" {
		f.since = catalog.DateOf(min(d.latest(), f.until).Time().AddDate(0, 0, 1-recentDays))
	}
	return d.changesPage(f, in.number("limit", standardLimit), in.text("cursor"), digested)
}

// hasRecord reports whether the history has changes of a name, or a record of that name is published or withdrawn.
func (d *data) hasRecord(name string) bool {
	_, withdrawn := d.catalog.Withdrawn(name)
	return withdrawn || d.catalog.Record(name).HTMLURL != "" || slices.Contains(d.protocols.ids, name) ||
		slices.ContainsFunc(d.allChanges(), func(ch change) bool { return ch.selects(name) })
}

// changesPage returns a page of the changes that pass, or a digest if it is asked for and they are more than a page.
func (d *data) changesPage(f changeFilter, limit int, cursor string, digested bool) (*mcp.CallToolResult, error) {
	chosen, counts := d.changes(f)
	left := slices.DeleteFunc(slices.Clone(changeKinds), func(kind string) bool { return counts[kind] == 0 || slices.Contains(f.change, kind) })
	out := pageAnswer{Since: f.since, Counts: counts, Total: len(chosen)}
	if len(left) > 0 {
		out.Note = "Left out: " + strings.Join(left, ", ") + "; change selects them."
	}
	if len(counts) == 0 {
		out.Note = fmt.Sprintf("No changes. The newest day with changes is %s; today is %s (UTC).", d.latest(), d.today())
	}
	if digested && len(chosen) > limit {
		out.Digest, out.Entries = digest(chosen), []json.RawMessage{}
		out.Note = strings.TrimSpace("limit lists them one by one. (read), (recorded): an edit here, by our day. " + out.Note)
		return newJSONAnswer(out), nil
	}
	slices.Sort(f.kinds)
	query := queryID("list_changes", fmt.Sprintf("%+v", f))
	return d.page(out, limit, query, cursor, func(i int) json.RawMessage { return encode(chosen[i]) })
}

// changes returns the changes that pass, the most important first, and how many there are of each kind of change, also
// of those that f.change leaves out.
func (d *data) changes(f changeFilter) (chosen []change, counts map[string]int) {
	counts = make(map[string]int)
	for _, ch := range d.allChanges() {
		if !f.spans(ch.Date) && !f.spans(ch.day) || f.kinds != nil && !slices.Contains(f.kinds, ch.kind) ||
			f.record != "" && !ch.selects(f.record) || !d.isIn(&f.entries, &ch) {
			continue
		}
		if counts[ch.Change]++; slices.Contains(f.change, ch.Change) {
			chosen = append(chosen, ch)
		}
	}
	return chosen, counts
}

// isIn reports whether a change is of an entry that passes a filter; a protocol has its id as tag.
func (d *data) isIn(f *filter, ch *change) bool {
	if e, ok := d.catalog.Entry(ch.Record); ok {
		return f.passes(e)
	}
	return f.category == "" && f.types == nil && !slices.ContainsFunc(f.tags, func(tag string) bool {
		return !ch.selects(tag)
	})
}

// digest returns the first changes of each kind in a line, and the numbers of the others; of records added only what fills
// a short digest.
func digest(chosen []change) (lines []string) {
	most := map[string]int{changeFact: maxEdits, changeCorrection: maxEdits, changeAdded: 0}
	for rest := chosen; len(rest) > 0; {
		kind := rest[0].Change
		shown, isEdit := most[kind]
		if shown = max(shown, maxDigest-len(lines)); !isEdit {
			shown = maxDigest
		}
		count := 0
		for ; count < len(rest) && rest[count].Change == kind; count++ {
			if count < shown {
				lines = append(lines, rest[count].line())
			}
		}
		if count > shown {
			lines = append(lines, fmt.Sprintf("%s: %d more", kind, count-shown))
		}
		rest = rest[count:]
	}
	return lines
}

// line returns a change in a line.
func (ch *change) line() string {
	const most = 80 // characters of a value
	value := func(raw json.RawMessage) string { return find.Cut(plainText(raw), most) }
	head := string(ch.Date) + textIf(ch.DateIs != dayHappened, " ("+ch.DateIs+")") + " " + ch.Change
	if ch.Record != ch.Change && ch.Change != changePublished {
		head += " " + ch.Record
	}
	text := ch.Title
	switch {
	case ch.items != "":
		text = strings.TrimSuffix(ch.Member, ".value") + ": " + ch.items
	case ch.Member != "":
		text = strings.TrimSuffix(ch.Member, ".value") + ": " + value(ch.Was) + " → " + value(ch.Is)
	case ch.Change == changeRelease:
		text += ": " + find.Cut(plainText(ch.Is), 2*most)
	}
	return strings.TrimSpace(head + ": " + text + " " + ch.Source)
}
