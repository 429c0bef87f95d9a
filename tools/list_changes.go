package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// A change is one member of a record before and after an event of the history, or a record that was added or read
// again.
type change struct {
	Date   catalog.Date    `json:"date"`
	Record string          `json:"record"`
	Change string          `json:"change"` // one of changeKinds
	Title  string          `json:"title,omitempty"`
	Member string          `json:"member,omitempty"`
	Was    json.RawMessage `json:"was,omitempty"`
	Is     json.RawMessage `json:"is,omitempty"`

	kind string // as search has it
	rank int    // the most important first
}

// The kinds of change.
const (
	changeRelease = "release" // of a protocol
	changeFact    = "fact"    // a value, an address, a date
	changeAdded   = "added"   // a record
	changeWording = "wording" // of a text of our own
	changeUpkeep  = "upkeep"  // sources, quotes, questions, labels: what a reader of the data need not follow
	changeReading = "reading" // a source was read again, and says the same
)

var changeKinds = []string{changeRelease, changeFact, changeAdded, changeWording, changeUpkeep, changeReading}

// news are the kinds of change that are listed unless others are asked for.
var news = changeKinds[:3]

const (
	recentDays = 7
	maxChanged = 240 // bytes of a value before or after a change
)

// historyKinds are the kinds of records of the history, the most important first.
var historyKinds = []string{kindProtocol, "article", "dataset", kindEntry, "support", "bot"}

// searchKindOf returns the kind of a record of the history, as search has it.
func searchKindOf(kind string) string {
	switch kind {
	case "library":
		return kindEntry
	case "profile", "flow":
		return kindProtocol
	}
	return kind
}

func listChanges(d *data) *tool {
	kinds := d.kinds(historyKinds)
	latest := quoted(string(d.latest()))
	return &tool{
		signature: signature{
			name: "list_changes",
			params: []param{
				{name: "since", kind: kindDate, example: latest, about: "First day; default: the last week."},
				{name: "until", kind: kindDate, example: latest, about: "Last day."},
				{name: "record", min: 2, max: maxName, example: quoted(d.examples.Record), aliases: []string{"id"},
					about: "Only this record" + textIf(d.hasProtocols(), ", or all about this protocol") + "."},
				{name: "category", allowed: d.catalog.CategoryIDs(), brief: true, example: quoted(d.examples.category),
					about: "Only its entries."},
				d.kindParam(kinds),
				{name: "change", kind: kindList, allowed: changeKinds, max: len(changeKinds), example: `["fact"]`,
					about: "Any of these; default: release, fact, added."},
				{name: "readings", kind: kindBool, unlisted: true, example: `true`, about: "Also records read again."},
				limitParam(), cursorParam(),
			},
			searchHint: toSearch,
		},
		title: "List changes",
		about: "Use it for what is new or what a value was before: new releases, changed facts (was, is) and new entries, since a day. " +
			`Example: {"since":` + latest + `,"kind":[` + quoted(kinds[0]) + `]}.`,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listChanges(in) },
	}
}

// kindParam selects records by kinds, in every tool alike.
func (d *data) kindParam(kinds []string) param {
	return param{name: "kind", aliases: []string{"kinds"}, kind: kindList, allowed: kinds, max: len(kinds),
		example: "[" + quoted(kinds[0]) + "]", about: "Any of these.",
		means: map[string]string{"library": kindEntry, "profile": kindProtocol, "flow": kindProtocol}}
}

// selects reports whether a record of the history is the named one or about the named protocol.
func selects(name, record string) bool {
	_, id := catalog.HistoryRecord(record)
	return record == name || id == name || "protocol:"+id == name
}

// A changeFilter selects changes. Of its lists, nil is all.
type changeFilter struct {
	since, until  catalog.Date
	record        string // with or without its kind; "": all
	category      string
	kinds, change []string
}

func (d *data) listChanges(in arguments) (*mcp.CallToolResult, error) {
	f := changeFilter{
		since: catalog.Date(in.text("since")), until: catalog.Date(in.text("until")), category: in.text("category"),
		record: strings.TrimPrefix(strings.ToLower(in.text("record")), "library:"),
		kinds:  in.list("kind"), change: in.list("change"),
	}
	if f.change == nil {
		f.change = news
	}
	if in.set("readings") {
		f.change = append(slices.Clone(f.change), changeReading)
	}
	today := d.today()
	switch {
	case f.since > today:
		return nil, d.spanError("since %s is in the future; today is %s (UTC).", f.since, today)
	case f.until != "" && f.since > f.until:
		return nil, checkDays(f.since, f.until)
	case f.record != "" && !d.hasRecord(f.record):
		names := slices.Concat(d.ids, d.protocols.ids,
			catalog.Convert(d.catalog.HistoryRecordIDs(), catalog.HistoryPathRecord))
		return nil, inputError(fmt.Sprintf("There is no record %s%s. search finds ids.", quote(f.record),
			didYouMean(f.record, names)))
	}
	if f.until == "" {
		f.until = today
	}
	if f.since == "" && f.record == "" {
		f.since = catalog.DateOf(min(d.latest(), f.until).Time().AddDate(0, 0, 1-recentDays))
	}
	return d.changesPage(f, in.number("limit", standardLimit), in.text("cursor"))
}

// hasRecord reports whether the history has changes of a name, or a record of that name is published or withdrawn.
func (d *data) hasRecord(name string) bool {
	_, withdrawn := d.catalog.Withdrawn(name)
	return withdrawn || d.catalog.Record(name).HTMLURL != "" || slices.Contains(d.protocols.ids, name) ||
		slices.ContainsFunc(d.allChanges(), func(ch change) bool { return selects(name, ch.Record) })
}

// changesPage returns a page of the changes that pass.
func (d *data) changesPage(f changeFilter, limit int, cursor string) (*mcp.CallToolResult, error) {
	chosen, counts := d.changes(f)
	var left []string
	for _, kind := range changeKinds {
		if n := counts[kind]; n > 0 && !slices.Contains(f.change, kind) {
			left = append(left, fmt.Sprintf("%d %s", n, kind))
		}
	}
	note := ""
	if left != nil {
		note = "Left out: " + strings.Join(left, ", ") + ". change selects them."
	}
	if len(counts) == 0 {
		note = "No changes. The newest day with changes is " + string(d.latest()) + "."
	}
	slices.Sort(f.kinds)
	return d.page(listPage{
		total: len(chosen), limit: limit, cursor: cursor, note: note, counts: counts, since: f.since,
		query: queryID("list_changes", fmt.Sprintf("%+v", f)),
	}, func(i int) json.RawMessage {
		ch := chosen[i]
		if ch.Change == changeAdded {
			ch.Title = d.catalog.Record(ch.Record).Title
		}
		return encode(ch)
	})
}

// changes returns the changes that pass, the most important first, and how many there are of each kind of change, also
// of those that f.change leaves out.
func (d *data) changes(f changeFilter) (chosen []change, counts map[string]int) {
	counts = make(map[string]int)
	for _, ch := range d.allChanges() {
		if ch.Date < f.since || ch.Date > f.until || f.kinds != nil && !slices.Contains(f.kinds, ch.kind) ||
			f.record != "" && !selects(f.record, ch.Record) || f.category != "" && !d.isIn(f.category, &ch) {
			continue
		}
		if counts[ch.Change]++; slices.Contains(f.change, ch.Change) {
			chosen = append(chosen, ch)
		}
	}
	return chosen, counts
}

// isIn reports whether a change is one of an entry of a category.
func (d *data) isIn(category string, ch *change) bool {
	e, ok := d.catalog.Entry(ch.Record)
	return ok && e.Category == category
}

// readChanges returns the changes of the whole history, the most important first. It takes some milliseconds, so that
// it is done once.
func (d *data) readChanges() (list []change) {
	for _, day := range d.catalog.HistoryDays() {
		for _, e := range d.catalog.HistoryEvents(day) {
			list = append(list, changesOf(day, &e)...)
		}
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(string(b.Date), string(a.Date)))
	})
	return list
}

// changesOf returns the changes of an event: one for each edited member, or one for the record.
func changesOf(day catalog.Date, e *catalog.HistoryEvent) (list []change) {
	kind, _ := catalog.HistoryRecord(e.Record)
	ch := change{Date: day, Record: e.Record, Change: changeReading, kind: searchKindOf(kind)}
	rank := func(ch change) change {
		ch.rank = slices.Index(changeKinds, ch.Change)*len(historyKinds) + slices.Index(historyKinds, ch.kind)
		return ch
	}
	isNew := slices.ContainsFunc(e.Members, func(m catalog.MemberChange) bool {
		return m.Name == "id" && string(m.Old) == "null"
	})
	if e.Change == "added" || isNew {
		ch.Change = changeAdded
		return []change{rank(ch)}
	}
	for i := range e.Members {
		m := &e.Members[i]
		if e.Change != "edited" || catalog.VerifiedMember(m.Name) || strings.HasPrefix(m.Name, "evidence[") {
			continue // a reading
		}
		one := ch
		one.Member, one.Change = m.Name, changeOf(ch.kind, m)
		switch {
		case catalog.DigestMember(m.Name): // whose digests tell nobody anything
		case one.Change == changeRelease:
			var event catalog.ProtocolEvent
			if json.Unmarshal(m.New, &event) == nil {
				one.Title, one.Is = event.Version, encode(fmt.Sprintf("%s: %s (%s)", event.Date, event.Text, event.Source))
			}
		default:
			one.Was, one.Is = difference(m.Old, m.New)
		}
		list = append(list, rank(one))
	}
	if list == nil {
		return []change{rank(ch)}
	}
	return list
}

// changeOf returns the kind of change of an edited member.
func changeOf(kind string, m *catalog.MemberChange) string {
	name, _, _ := strings.Cut(m.Name, "[")
	name, part, _ := strings.Cut(name, ".")
	fact := map[string][]string{
		kindEntry: {"url", "date_published", "type", "archive_url", "title"}, "dataset": {"columns", "rows"}, "support": {"methods"},
	}[kind]
	switch {
	case name == "events" && string(m.Old) == "null":
		return changeRelease
	case catalog.DigestMember(m.Name), slices.Contains([]string{"source", "quote", "read", "short", "classes"}, part):
		return changeUpkeep
	case slices.Contains([]string{"summary", "body", "readme", "notes", "title", "description", "purpose", "note",
		"behaviour"}, name):
		return changeWording
	case kind == kindProtocol && name != "steps", slices.Contains(fact, name):
		return changeFact
	}
	return changeUpkeep
}

// difference returns two values as short as shows how they differ: of lists the items that only one has, of texts the
// part from shortly before the first difference.
func difference(was, is json.RawMessage) (json.RawMessage, json.RawMessage) {
	was, is = onlyItems(was, is)
	before, after := plainText(was), plainText(is)
	if len(before) <= maxChanged && len(after) <= maxChanged {
		return was, is
	}
	common := 0
	for common < min(len(before), len(after)) && before[common] == after[common] {
		common++
	}
	from := max(0, min(common, len(before), len(after))-maxChanged/4)
	part := func(s string) json.RawMessage {
		if s == "null" {
			return json.RawMessage(s)
		}
		at := from
		for at < len(s) && !utf8.RuneStart(s[at]) {
			at++
		}
		text := excerpt(s[at:], maxChanged)
		if from > 0 {
			text = "… " + text
		}
		return encode(text)
	}
	return part(before), part(after)
}

// onlyItems returns of two lists the items that only one has, and other values as they are.
func onlyItems(was, is json.RawMessage) (json.RawMessage, json.RawMessage) {
	var a, b []json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil || a == nil || b == nil {
		return was, is
	}
	only := func(list, other []json.RawMessage) json.RawMessage {
		return encode(slices.DeleteFunc(slices.Clone(list), func(item json.RawMessage) bool {
			return slices.ContainsFunc(other, func(o json.RawMessage) bool { return bytes.Equal(o, item) })
		}))
	}
	return only(a, b), only(b, a)
}

// plainText returns a JSON string without its quotes, and any other value as it is.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return s
	}
	return string(raw)
}

// spanError appends examples of days that have changes.
func (d *data) spanError(format string, a ...any) error {
	to := d.latest()
	weekBefore := catalog.DateOf(to.Time().AddDate(0, 0, 1-recentDays))
	return inputError(fmt.Sprintf(format, a...) +
		fmt.Sprintf(` Examples: {"since":"%s"} or {"since":"%s","until":"%s"}`, weekBefore, weekBefore, to))
}
