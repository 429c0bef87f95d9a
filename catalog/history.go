package catalog

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A HistoryEvent is a change to one record, as a line of the history. Lines are only ever added.
type HistoryEvent struct {
	Record  string         `json:"record"` // library entries have their own id, other records <kind>:<slug>
	Change  string         `json:"change"` // one of HistoryChanges
	Members []MemberChange `json:"members"`
}

// A MemberChange is a member of a record before and after a change. A member that is not there is null. Members within a
// fact have a dot in their names, sections of a text the heading in brackets.
type MemberChange struct {
	Name string          `json:"name"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// HistoryChanges are the kinds of change: a record is added; its content is edited; or its source is read again, and says
// what it said before.
var HistoryChanges = []string{"added", "edited", "read-again"}

// HistoryKinds are the kinds of the records of the history.
var HistoryKinds = []string{"library", "protocol", "profile", "flow", "article", "dataset", "bot", "support"}

// HistoryRecords are the events of one day, in the order in which they were recorded.
type HistoryRecords struct {
	Date   Date
	Events []HistoryEvent
}

// An eventRef is the place of an event in the history. A large library has an event or more for each record, and several lists of them.
type eventRef struct {
	day   uint32 // by number, from the oldest
	index uint32 // among the events of the day
}

// A history is the events by day and by record.
type history struct {
	days     []Date // newest first
	byDay    map[Date][]HistoryEvent
	nth      map[eventRef]int // how many events the day has of its record so far, where that is more than one
	byRecord []eventRef       // sorted by record, the newest first
	added    Date             // newest day on which a record was added
	feeds    []*Feed
	feedDays []Date // days that have ever been in the change feed
}

// A Feed is the events of the history to which a reader can subscribe: all of them, those of the facts of a protocol, or
// those of the records that carry a tag.
type Feed struct {
	ID     string // as the addresses of its archives have it: "all", "protocol-l402", "tag-l402"
	Title  string
	Atom   string // path of its newest events as Atom
	JSON   string // the same as JSON Feed
	Page   string // path of the page about what it follows
	events []eventRef
}

// VerifiedMember reports whether a member is the day on which something was read.
func VerifiedMember(name string) bool {
	return name == "verified_at" || name == "updated" || strings.HasSuffix(name, ".verified_at")
}

// DigestMember reports whether the history records a member by the digest of its value: evidence, statements, questions and the list of
// repositories, which have documents of their own.
func DigestMember(name string) bool {
	name, _, _ = strings.Cut(name, "[")
	return name == "evidence" || name == "statements" || name == "questions" || name == "repositories"
}

func newHistory(records []HistoryRecords) history {
	h := history{byDay: make(map[Date][]HistoryEvent), nth: make(map[eventRef]int)}
	feedDays := make(map[Date]bool)
	events := 0
	for _, r := range records {
		if h.byDay[r.Date] == nil {
			h.byDay[r.Date] = r.Events
		} else {
			h.byDay[r.Date] = slices.Concat(h.byDay[r.Date], r.Events)
		}
		events += len(r.Events)
	}
	h.days = slices.Sorted(maps.Keys(h.byDay))
	h.byRecord = make([]eventRef, 0, events)
	for n, day := range h.days {
		count := make(map[string]int)
		for i := range h.byDay[day] {
			e, at := &h.byDay[day][i], eventRef{uint32(n), uint32(i)}
			if count[e.Record]++; count[e.Record] > 1 {
				h.nth[at] = count[e.Record]
			}
			h.byRecord = append(h.byRecord, at)
			if e.Change == "added" {
				h.added = max(h.added, day)
			}
			h.addFeedDays(feedDays, e)
		}
	}
	slices.Reverse(h.days)
	slices.SortFunc(h.byRecord, func(a, b eventRef) int {
		return cmp.Or(strings.Compare(h.event(a).Record, h.event(b).Record), cmp.Compare(b.day, a.day), cmp.Compare(b.index, a.index))
	})
	h.feedDays = slices.Collect(maps.Keys(feedDays))
	return h
}

// dayOf returns the day of an event.
func (h *history) dayOf(at eventRef) Date { return h.days[len(h.days)-1-int(at.day)] }

func (h *history) event(at eventRef) *HistoryEvent { return &h.byDay[h.dayOf(at)][at.index] }

// ref returns the place of an event of a day.
func (h *history) ref(day Date, index int) eventRef {
	return eventRef{uint32(len(h.days) - 1 - slices.Index(h.days, day)), uint32(index)}
}

// of returns the events of a record, the newest first.
func (h *history) of(record string) []eventRef {
	from, _ := slices.BinarySearchFunc(h.byRecord, record, func(at eventRef, record string) int { return strings.Compare(h.event(at).Record, record) })
	to := from
	for to < len(h.byRecord) && h.event(h.byRecord[to]).Record == record {
		to++
	}
	return h.byRecord[from:to]
}

// addFeedDays adds the days under which the change feed has listed a record. What is about a protocol is not in it.
func (h *history) addFeedDays(days map[Date]bool, e *HistoryEvent) {
	if kind, _ := HistoryRecord(e.Record); aboutProtocol(kind) {
		return
	}
	for _, m := range e.Members {
		for _, value := range []json.RawMessage{m.Old, m.New} {
			var d Date
			if VerifiedMember(m.Name) && json.Unmarshal(value, &d) == nil && d != "" {
				days[d] = true
			}
		}
	}
}

// revised returns the newest day on which the history has a change to a record, or "".
func (h *history) revised(record string) Date {
	if list := h.of(record); len(list) > 0 {
		return h.dayOf(list[0])
	}
	return ""
}

// aboutProtocol reports whether records of a kind of the history are about the protocol that is their id.
func aboutProtocol(kind string) bool {
	return kind == "protocol" || kind == "profile" || kind == "flow"
}

// HistoryRecord returns the kind and the id of a record that the history names.
func HistoryRecord(record string) (kind, id string) {
	kind, id, ok := strings.Cut(record, ":")
	if !ok {
		return "library", record
	}
	return kind, id
}
