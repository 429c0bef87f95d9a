package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	Change string          `json:"change"` // one of catalog.HistoryChanges
	Title  string          `json:"title,omitempty"`
	Member string          `json:"member,omitempty"`
	Was    json.RawMessage `json:"was,omitempty"`
	Is     json.RawMessage `json:"is,omitempty"`

	rank int // the most important first
}

const (
	changeEdited    = "edited"
	changeAdded     = "added"
	changeReadAgain = "read-again"

	recentDays = 7
	maxChanged = 240 // bytes of a value before or after a change
)

// editRanks order edits by the kind of the record: a fact of a protocol matters more than a link.
var editRanks = map[string]int{"protocol": 0, "profile": 1, "dataset": 2, "library": 3, "support": 4, "flow": 5}

const (
	rankAdded   = 6
	rankOther   = 7
	rankText    = 10 // of members that are prose, added to the rank of the kind
	rankReading = 30
)

func listChanges(d *data) *tool {
	latest, kind := quoted(string(d.latest())), quoted(catalog.Sample(d.kinds(catalog.HistoryKinds), kindProtocol))
	return &tool{
		signature: signature{
			name: "list_changes",
			params: []param{
				{name: "since", kind: kindDate, example: latest, about: "First day; default: the last week."},
				{name: "until", kind: kindDate, example: latest, about: "Last day."},
				d.recordParam(), d.historyKindParam(),
				{name: "readings", kind: kindBool, example: `true`, about: "Also records read again without a change."},
				limitParam(), cursorParam(),
			},
		},
		title: "List changes",
		about: "Lists changes to the data, was and is" + textIf(d.hasProtocols(), ", facts of protocols first") + ". " +
			"Use it for news or for a former value. " +
			`Example: {"since":` + latest + `,"kind":[` + kind + `]}.`,
		output: pageSchema(object(texts("date", "record", "change")...),
			prop("counts", &schema{Type: "object", AdditionalProperties: integerSchema})),
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listChanges(in) },
	}
}

// recordParam selects one record of the history.
func (d *data) recordParam() param {
	return param{name: "record", min: 2, max: maxName, example: quoted(d.examples.Record),
		about: "Only this record" + textIf(d.hasProtocols(), ", or all about this protocol") + "."}
}

// historyKindParam selects kinds of records of the history.
func (d *data) historyKindParam() param {
	kinds := d.kinds(catalog.HistoryKinds)
	return param{name: "kind", kind: kindList, orOne: true, allowed: kinds, max: len(kinds),
		example: "[" + quoted(kinds[0]) + "]", about: "Any of these."}
}

// selects reports whether a record of the history is of one of the kinds, nil for any, and the named one or about the
// named protocol, "" for any.
func selects(kinds []string, name, record string) bool {
	kind, id := catalog.HistoryRecord(record)
	return (kinds == nil || slices.Contains(kinds, kind)) &&
		(name == "" || record == name || id == name || "protocol:"+id == name)
}

// A changeFilter selects changes.
type changeFilter struct {
	since, until catalog.Date
	record       string   // with or without its kind; "": all
	kinds        []string // any of these; nil: all
	readings     bool
}

func (d *data) listChanges(in arguments) (*mcp.CallToolResult, error) {
	f := changeFilter{
		catalog.Date(in.text("since")), catalog.Date(in.text("until")),
		strings.TrimPrefix(strings.ToLower(in.text("record")), "library:"), in.list("kind"), in.set("readings"),
	}
	today := d.today()
	switch {
	case f.since > today:
		return nil, d.spanError("since %s is in the future; today is %s (UTC).", f.since, today)
	case f.until != "" && f.since > f.until:
		return nil, d.spanError("since %s is later than until %s. Swap them.", f.since, f.until)
	case f.record != "" && !d.hasRecord(f.record):
		names := slices.Concat(d.ids, d.protocols.ids,
			catalog.Convert(d.catalog.HistoryRecordIDs(), catalog.HistoryPathRecord))
		return nil, inputError(fmt.Sprintf("There is no record %s%s. search finds ids.", quote(f.record),
			didYouMean(f.record, names)))
	}
	if f.until == "" {
		f.until = today
	}
	if f.since == "" {
		f.since = catalog.DateOf(min(d.latest(), f.until).Time().AddDate(0, 0, 1-recentDays))
		if f.record != "" {
			f.since = "0001-01-01"
		}
	}
	return d.changesPage(f, in.number("limit", standardLimit), in.text("cursor"),
		"Next page: call list_changes with the same arguments and cursor %q.")
}

// hasRecord reports whether the history has changes of a name, or a record of that name is published or withdrawn.
func (d *data) hasRecord(name string) bool {
	_, withdrawn := d.catalog.Withdrawn(name)
	return withdrawn || d.catalog.Record(name).HTMLURL != "" || slices.Contains(d.protocols.ids, name) ||
		slices.ContainsFunc(d.allChanges(), func(ch change) bool { return selects(nil, name, ch.Record) })
}

// changesPage returns a page of the changes that pass; more says how to continue, see listPage.
func (d *data) changesPage(f changeFilter, limit int, cursor, more string) (*mcp.CallToolResult, error) {
	chosen, counts := d.changes(f)
	slices.Sort(f.kinds)
	title := "Changes since " + string(f.since)
	if f.since == f.until {
		title = "Changes on " + string(f.since)
	}
	if f.since == "0001-01-01" {
		title = "Changes"
	}
	title += " (" + cmp.Or(joinCounts(counts), "newest day with changes: "+string(d.latest())) + ")"
	return d.page(listPage{
		title: title, total: len(chosen), limit: limit, cursor: cursor, more: more, counts: counts,
		query: queryID("list_changes", string(f.since), string(f.until), f.record, strings.Join(f.kinds, ","),
			fmt.Sprint(f.readings)),
	}, func(i int) piece {
		ch := chosen[i]
		if ch.Change == changeAdded {
			ch.Title = d.catalog.Record(ch.Record).Title
		}
		return piece{encode(ch), ch.line()}
	})
}

// changes returns the changes that pass, the most important first, and how many there are of each kind and type; those
// that f.readings leaves out are counted too.
func (d *data) changes(f changeFilter) (chosen []change, counts map[string]int) {
	counts = make(map[string]int)
	for _, ch := range d.allChanges() {
		if ch.Date < f.since || ch.Date > f.until || !selects(f.kinds, f.record, ch.Record) {
			continue
		}
		kind, _ := catalog.HistoryRecord(ch.Record)
		counts[kind+" "+ch.Change]++
		if ch.Change != changeReadAgain || f.readings {
			chosen = append(chosen, ch)
		}
	}
	return chosen, counts
}

// readChanges returns the changes of the whole history, the most important first. It takes some milliseconds, so that
// it is done once.
func (d *data) readChanges() (list []change) {
	for _, day := range d.catalog.HistoryDays() {
		for _, e := range d.catalog.HistoryEvents(day) {
			kind, _ := catalog.HistoryRecord(e.Record)
			list = append(list, d.changesOf(day, &e, kind)...)
		}
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(string(b.Date), string(a.Date)))
	})
	return list
}

// changesOf returns the changes of an event: one for each edited member, or one for the record.
func (d *data) changesOf(day catalog.Date, e *catalog.HistoryEvent, kind string) (list []change) {
	if e.Change == changeEdited {
		for i := range e.Members {
			m := &e.Members[i]
			if catalog.VerifiedMember(m.Name) || strings.HasPrefix(m.Name, "evidence[") {
				continue // a reading
			}
			ch := change{Date: day, Record: e.Record, Change: changeEdited, Member: m.Name, rank: rankOther}
			if rank, ok := editRanks[kind]; ok {
				ch.rank = rank
			}
			if isProse(m.Name) || strings.HasSuffix(m.Name, ".source") || strings.HasSuffix(m.Name, ".quote") ||
				strings.HasSuffix(m.Name, ".read") {
				ch.rank += rankText
			}
			if !catalog.DigestMember(m.Name) { // whose digests tell nobody anything
				ch.Was, ch.Is = difference(m.Old, m.New)
			}
			list = append(list, ch)
		}
		if list != nil {
			return list
		}
	}
	ch := change{Date: day, Record: e.Record, Change: changeReadAgain, rank: rankReading}
	if e.Change == changeAdded {
		ch.Change, ch.rank = changeAdded, rankAdded
	}
	return append(list, ch)
}

// isProse reports whether a member is a text of our own and not a fact.
func isProse(member string) bool {
	name, _, _ := strings.Cut(member, "[")
	name, _, _ = strings.Cut(name, ".")
	return slices.Contains([]string{"summary", "body", "notes", "title", "description", "purpose", "behaviour",
		"entries", "checks"}, name)
}

// difference returns two values as short as shows how they differ: of lists the items that only one has, of texts the
// part from shortly before the first difference.
func difference(was, is json.RawMessage) (json.RawMessage, json.RawMessage) {
	var a, b []json.RawMessage
	if json.Unmarshal(was, &a) == nil && json.Unmarshal(is, &b) == nil && a != nil && b != nil {
		only := func(list, other []json.RawMessage) json.RawMessage {
			return encode(slices.DeleteFunc(slices.Clone(list), func(item json.RawMessage) bool {
				return slices.ContainsFunc(other, func(o json.RawMessage) bool { return bytes.Equal(o, item) })
			}))
		}
		was, is = only(a, b), only(b, a)
	}
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

// plainText returns a JSON string without its quotes, and any other value as it is.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return s
	}
	return string(raw)
}

// line returns the change as a line of a list.
func (ch *change) line() string {
	switch ch.Change {
	case changeEdited:
		if catalog.DigestMember(ch.Member) {
			return fmt.Sprintf("- %s %s %s changed\n", ch.Date, ch.Record, ch.Member)
		}
		return fmt.Sprintf("- %s %s %s: %s → %s\n", ch.Date, ch.Record, ch.Member, cmp.Or(plainText(ch.Was), "none"),
			cmp.Or(plainText(ch.Is), "none"))
	case changeAdded:
		return fmt.Sprintf("- %s %s added: %s\n", ch.Date, ch.Record, ch.Title)
	}
	return fmt.Sprintf("- %s %s read again\n", ch.Date, ch.Record)
}

// joinCounts returns names with their numbers, the greatest first.
func joinCounts(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	parts := catalog.Convert(names, func(name string) string { return fmt.Sprintf("%s %d", name, counts[name]) })
	return strings.Join(parts, ", ")
}

// spanError appends examples of days that have changes.
func (d *data) spanError(format string, a ...any) error {
	to := d.latest()
	weekBefore := catalog.DateOf(to.Time().AddDate(0, 0, 1-recentDays))
	return inputError(fmt.Sprintf(format, a...) +
		fmt.Sprintf(` Examples: {"since":"%s"} or {"since":"%s","until":"%s"}`, weekBefore, weekBefore, to))
}
