package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index/find"
)

// A change is news, a release, a source that was published, one member of a record before and after an event of the
// history, or a record that was added or read again.
type change struct {
	Date   catalog.Date    `json:"date"`
	DateIs string          `json:"date_is"` // what was on that day: one of the next, or of the calendar's kinds
	Record string          `json:"record"`
	Change string          `json:"change"` // one of changeKinds
	Title  string          `json:"title,omitempty"`
	Member string          `json:"member,omitempty"`
	Was    json.RawMessage `json:"was,omitempty"`
	Is     json.RawMessage `json:"is,omitempty"`
	Source string          `json:"source,omitempty"`

	day   catalog.Date // of the history; "" for what is not in it
	kind  string       // as search has it
	about []string     // protocols and tags, of news and of what was published
	items string       // of a list, what it gained and lost
	rank  int          // the most important first
}

// The meanings of the day of a change. The day of a reading says nothing of when the world changed.
const (
	dayHappened = "happened" // of the event itself
	dayRead     = "read"     // somebody read the source
	dayRecorded = "recorded" // a curator edited the files
)

// The kinds of change: events of the world first, then those of our data.
const (
	changeNews       = "news"       // an event, by the day of the event
	changeRelease    = "release"    // of a protocol, by its day
	changePublished  = "published"  // a source of the library, by its day
	changeCalendar   = "calendar"   // a rule that applies or ends, a deadline, by its day, which may be ahead
	changeFact       = "fact"       // a value that a new reading of another source, or copy, gives
	changeAdded      = "added"      // a record
	changeCorrection = "correction" // a value that we had wrong, or said otherwise: its source is the same
	changeWording    = "wording"    // of a text of our own
	changeUpkeep     = "upkeep"     // sources, quotes, values recorded for the first time: what a reader of the data need not follow
	changeReading    = "reading"    // a source was read again, and says the same
)

var changeKinds = []string{changeNews, changeRelease, changePublished, changeCalendar, changeFact, changeAdded, changeCorrection,
	changeWording, changeUpkeep, changeReading}

// reported are the kinds of change that are listed unless others are asked for; of one record, corrections are too.
var reported = changeKinds[:6]

const (
	recentDays = 30  // the prompt names them
	maxChanged = 240 // bytes of a value before or after a change
	maxDigest  = 8   // lines of a kind of change of the world
	maxEdits   = 3   // of one of our data
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
				{name: "since", kind: kindDate, example: latest, about: "First day; default: the last 30 days."},
				{name: "until", kind: kindDate, example: latest, about: "Last, also to come."},
				{name: "record", min: 2, max: maxName, example: quoted(d.examples.Record), aliases: []string{"id"},
					about: "Only this record" + textIf(d.hasProtocols(), ", or all about this protocol or tag") + "."},
				{name: "category", allowed: d.catalog.CategoryIDs(), brief: true, example: quoted(d.examples.category),
					about: "Only its entries."},
				brief(d.tagParam()), brief(d.typeParam()), brief(d.kindParam(kinds)),
				{name: "change", kind: kindList, allowed: changeKinds, max: len(changeKinds), example: `["fact"]`,
					about: "Any; default: the first six."},
				{name: "readings", kind: kindBool, example: `true`}, // what is change reading too
				limitParam(), cursorParam(),
			},
			searchHint: toSearch,
		},
		title: "List changes",
		about: "Use it for what happened or is new, deadlines to come, a former value. First events of the world by their day: " +
			"news, releases, sources published; then edits here: facts read differently (was, is), new entries. Many come as a digest; limit lists them. " +
			`Example: {"since":` + latest + `,"record":` + quoted(d.examples.Record) + `}.`,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return d.listChanges(in) },
	}
}

// kindParam selects records by kinds, in every tool alike.
func (d *data) kindParam(kinds []string) param {
	return param{name: "kind", aliases: []string{"kinds"}, kind: kindList, allowed: kinds, max: len(kinds),
		example: "[" + quoted(kinds[0]) + "]", about: "Any of these.",
		means: map[string]string{"library": kindEntry, "profile": kindProtocol, "flow": kindProtocol}}
}

// selects reports whether a change is of the named record, or about the named protocol or tag.
func (ch *change) selects(name string) bool {
	kind, id := catalog.HistoryRecord(ch.Record)
	of, wanted, ok := strings.Cut(name, ":")
	if !ok {
		of, wanted = kind, name
	}
	return id == wanted && (of == kind || of == kindProtocol) || (!ok || of == kindProtocol) && slices.Contains(ch.about, wanted)
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
		kinds:  in.list("kind"), change: in.list("change"),
		entries: filter{category: in.text("category"), tags: in.list("tag"), types: in.list("type")},
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
		names := slices.Concat(d.ids, d.protocols.ids,
			catalog.Convert(d.catalog.HistoryRecordIDs(), catalog.HistoryPathRecord))
		return nil, inputError(fmt.Sprintf("There is no record %s%s. search finds ids.", quote(f.record),
			didYouMean(f.record, names)))
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
	var left []string
	for _, kind := range changeKinds {
		if n := counts[kind]; n > 0 && !slices.Contains(f.change, kind) {
			left = append(left, kind)
		}
	}
	out := pageAnswer{Since: f.since, Counts: counts, Total: len(chosen)}
	if left != nil {
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
	return d.page(out, limit, queryID("list_changes", fmt.Sprintf("%+v", f)), cursor, func(i int) json.RawMessage {
		ch := chosen[i]
		if ch.Change == changeAdded {
			ch.Title = d.catalog.Record(ch.Record).Title
			if e, ok := d.catalog.Entry(ch.Record); ok {
				ch.Source = e.URL
			}
		}
		return encode(ch)
	})
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

// readChanges returns the news, the releases and the changes of the whole history, the most important first. It takes
// some milliseconds, so that it is done once.
func (d *data) readChanges() (list []change) {
	for _, item := range d.catalog.News() {
		ch := change{Date: item.Date, DateIs: dayHappened, Record: "news", Change: changeNews, Title: item.Headline,
			about: slices.Clone(item.Protocols), Is: encode(find.Cut(item.Text, maxChanged)), Source: item.Source.URL}
		for word := range strings.FieldsSeq(strings.ToLower(item.Headline)) {
			if len(d.catalog.WithTag(word)) > 0 {
				ch.about = append(ch.about, word)
			}
		}
		if len(item.Protocols) > 0 {
			ch.kind = kindProtocol
		}
		list = append(list, ch)
	}
	for _, p := range d.catalog.Profiles() {
		for _, event := range p.Events {
			list = append(list, change{Date: event.Date, DateIs: dayHappened, Record: "protocol:" + p.ID, Change: changeRelease,
				kind: kindProtocol, Title: event.Version, Is: encode(event.Text), Source: event.Source})
		}
	}
	for _, e := range d.catalog.Entries() {
		if e.DatePublished != nil {
			list = append(list, change{Date: e.Published(), DateIs: dayHappened, Record: e.ID, Change: changePublished, kind: kindEntry,
				Title: e.Title, about: e.Tags, Source: e.URL})
		}
	}
	for _, e := range d.catalog.Calendar().Entries {
		list = append(list, change{Date: e.Date, DateIs: e.Kind, Record: e.Record, Change: changeCalendar, kind: kindEntry,
			Title: e.Text, Source: e.Reading.URL})
	}
	for _, day := range d.catalog.HistoryDays() {
		for _, e := range d.catalog.HistoryEvents(day) {
			list = append(list, changesOf(day, &e)...)
		}
	}
	for i := range list {
		ch := &list[i]
		ch.rank = slices.Index(changeKinds, ch.Change)*len(historyKinds) + slices.Index(historyKinds, ch.kind)
	}
	slices.SortStableFunc(list, func(a, b change) int {
		order := strings.Compare(string(b.Date), string(a.Date))
		if a.Change == changeCalendar && min(a.Date, b.Date) > d.catalog.CalendarDay() {
			order = -order // of the days to come, the next first
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), order)
	})
	return list
}

// changesOf returns the changes of an event: one for each edited member, or one for the record.
func changesOf(day catalog.Date, e *catalog.HistoryEvent) (list []change) {
	kind, _ := catalog.HistoryRecord(e.Record)
	ch := change{Date: day, DateIs: dayRead, day: day, Record: e.Record, Change: changeReading, kind: searchKindOf(kind)}
	isNew := slices.ContainsFunc(e.Members, func(m catalog.MemberChange) bool {
		return m.Name == "id" && string(m.Old) == "null"
	})
	if e.Change == "added" || isNew {
		ch.Change, ch.DateIs = changeAdded, dayRecorded
		return []change{ch}
	}
	for i := range e.Members {
		m := &e.Members[i]
		if e.Change != "edited" || catalog.VerifiedMember(m.Name) || strings.HasPrefix(m.Name, "evidence[") {
			continue // a reading
		}
		one := ch
		one.Member, one.Change = m.Name, changeOf(ch.kind, m)
		if !catalog.DigestMember(m.Name) { // whose digests tell nobody anything
			one.Was, one.Is = difference(m.Old, m.New)
			one.items, _ = phrase.ListChange(*m)
		}
		switch {
		case one.Change != changeFact:
			one.DateIs = dayRecorded
		case newSource(e, m.Name) == "":
			one.Change = changeCorrection
		default:
			one.Source = newSource(e, m.Name)
			if released := releaseDay.FindString(string(m.New)); released != "" && m.Name == "latest_release.value" {
				one.Date, one.DateIs = catalog.Date(released), dayHappened
			}
		}
		list = append(list, one)
	}
	if list == nil {
		return []change{ch}
	}
	return list
}

// releaseDay finds the day that a release names for itself.
var releaseDay = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// newSource returns the source of a value if it changed together with the value, and else "".
func newSource(e *catalog.HistoryEvent, member string) string {
	fact, isValue := strings.CutSuffix(member, ".value")
	for i := range e.Members {
		if m := &e.Members[i]; isValue && m.Name == fact+".source" && string(m.Old) != "null" {
			return plainText(m.New)
		}
	}
	return ""
}

// changeOf returns the kind of change of an edited member.
func changeOf(kind string, m *catalog.MemberChange) string {
	name, _, _ := strings.Cut(m.Name, "[")
	name, part, _ := strings.Cut(name, ".")
	fact := map[string][]string{
		kindEntry: {"url", "date_published", "type", "archive_url", "title"}, "dataset": {"columns", "rows"}, "support": {"methods"},
	}[kind]
	switch {
	case catalog.DigestMember(m.Name), slices.Contains([]string{"source", "quote", "read", "short", "classes"}, part),
		string(m.Old) == "null", name == "events":
		return changeUpkeep
	case slices.Contains([]string{"summary", "body", "readme", "notes", "title", "description", "purpose", "note",
		"behaviour"}, name):
		return changeWording
	case kind == kindProtocol && name != "steps", slices.Contains(fact, name):
		return changeFact
	}
	return changeUpkeep
}
