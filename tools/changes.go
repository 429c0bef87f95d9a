package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

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

// historyKinds are the kinds of records of the history, the most important first.
var historyKinds = []string{kindProtocol, "article", "dataset", kindEntry, "support", "bot"}

// otherKinds are other names of kinds, which the history and the index have.
var otherKinds = map[string]string{"library": kindEntry, "profile": kindProtocol, "flow": kindProtocol}

// searchKindOf returns the kind of a record of the history, as search has it.
func searchKindOf(kind string) string { return cmp.Or(otherKinds[kind], kind) }

// selects reports whether a change is of the named record, or about the named protocol or tag.
func (ch *change) selects(name string) bool {
	kind, id := catalog.HistoryRecord(ch.Record)
	of, wanted, ok := strings.Cut(name, ":")
	if !ok {
		of, wanted = kind, name
	}
	return id == wanted && (of == kind || of == kindProtocol) || (!ok || of == kindProtocol) && slices.Contains(ch.about, wanted)
}

// readChanges returns the news, the releases and the changes of the whole history, the most important first. It takes
// some milliseconds, so that it is done once.
func (d *data) readChanges() (list []change) {
	for _, item := range d.catalog.News() {
		ch := change{Date: item.Date, DateIs: dayHappened, Record: "news", Change: changeNews, Title: item.Headline,
			kind: textIf(len(item.Protocols) > 0, kindProtocol), about: slices.Clone(item.Protocols), Is: encode(find.Cut(item.Text, maxChanged)), Source: item.Source.URL}
		for word := range strings.FieldsSeq(strings.ToLower(item.Headline)) {
			if len(d.catalog.WithTag(word)) > 0 {
				ch.about = append(ch.about, word)
			}
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
		ch := change{Date: e.Date, DateIs: e.Kind, Record: e.Record, Change: changeCalendar, kind: kindEntry, Title: e.Text, Source: e.Reading.URL}
		if entry, ok := d.catalog.Entry(e.Record); ok {
			ch.about = entry.Tags
		}
		list = append(list, ch)
	}
	for _, day := range d.catalog.HistoryDays() {
		for _, e := range d.catalog.HistoryEvents(day) {
			list = append(list, changesOf(day, &e)...)
		}
	}
	for i := range list {
		ch := &list[i]
		if ch.Change == changeAdded {
			ch.Title = d.catalog.Record(ch.Record).Title
			if e, ok := d.catalog.Entry(ch.Record); ok {
				ch.Source = e.URL
			}
		}
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
	case slices.Contains([]string{"summary", "body", "readme", "notes", "title", "description", "purpose", "note", "behaviour"}, name):
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
		text := find.Cut(strings.ToValidUTF8(s[min(from, len(s)):], ""), maxChanged)
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
