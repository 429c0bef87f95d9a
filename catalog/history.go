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

// A datedEvent is an event of the history with its day.
type datedEvent struct {
	*HistoryEvent
	day Date
	nth int // among the events of its record on that day, from 1
}

// A history is the events by day and by record.
type history struct {
	days     []Date                  // newest first
	byDay    map[Date][]datedEvent   // in the order in which they were recorded
	byRecord map[string][]datedEvent // newest first
	added    Date                    // newest day on which a record was added
	feeds    []*Feed
	feedDays []Date // days that have ever been in the change feed
}

// A Feed is the events of the history to which a reader can subscribe: all of them, those of the facts of a protocol, or
// those of the records that carry a tag.
type Feed struct {
	ID     string // as the addresses of its archives have it: "all", "protocol-l402", "tag-l402"
	Title  string
	Atom   string       // path of its newest events as Atom
	JSON   string       // the same as JSON Feed
	Page   string       // path of the page about what it follows
	events []datedEvent // oldest first
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
	h := history{byDay: make(map[Date][]datedEvent), byRecord: make(map[string][]datedEvent)}
	feedDays := make(map[Date]bool)
	for _, r := range slices.SortedFunc(slices.Values(records), func(a, b HistoryRecords) int { return cmp.Compare(a.Date, b.Date) }) {
		for i := range r.Events {
			e := datedEvent{&r.Events[i], r.Date, 1}
			if earlier := h.byRecord[e.Record]; len(earlier) > 0 && earlier[len(earlier)-1].day == r.Date {
				e.nth += earlier[len(earlier)-1].nth
			}
			h.byDay[r.Date], h.byRecord[e.Record] = append(h.byDay[r.Date], e), append(h.byRecord[e.Record], e)
			if e.Change == "added" {
				h.added = r.Date
			}
			h.addFeedDays(feedDays, e.HistoryEvent)
		}
	}
	for _, list := range h.byRecord {
		slices.Reverse(list)
	}
	h.days = slices.Sorted(maps.Keys(h.byDay))
	slices.Reverse(h.days)
	h.feedDays = slices.Collect(maps.Keys(feedDays))
	return h
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
	if list := h.byRecord[record]; len(list) > 0 {
		return list[0].day
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
