package catalog

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A HistoryEvent is a change to one record, as a line of the history. Lines are only ever added.
type HistoryEvent struct {
	Record  string         `json:"record"` // library entries have their own id, other records <kind>:<slug>
	Change  string         `json:"change"` // one of HistoryChanges
	Members []MemberChange `json:"members"`
}

// A MemberChange is a member of a record before and after a change. A member that is not there is null. Members within
// a fact have a dot in their names, sections of a text the heading in brackets.
type MemberChange struct {
	Name string          `json:"name"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// HistoryChanges are the kinds of change: a record is added; its content is edited; or its source is read again, and
// says the same as before.
var HistoryChanges = []string{"added", "edited", "read-again"}

// HistoryRecords are the events of one day, in the order in which they were recorded.
type HistoryRecords struct {
	Date   Date
	Events []HistoryEvent
}

// A DatedEvent is an event of the history with its day.
type DatedEvent struct {
	*HistoryEvent
	Day   Date
	nth   int // among the events of its record on that day, from 1
	place int // among the events of that day, from 0
}

// anchor returns the name of the event on the page of its day: the record and, after the first, how many times it has
// changed that day so far. Lines are only added to a day, so that an anchor always leads to the same event.
func (e *DatedEvent) anchor() string {
	anchor := strings.Replace(e.Record, ":", "_", 1)
	if e.nth > 1 {
		anchor += "__" + strconv.Itoa(e.nth)
	}
	return anchor
}

// A history is the events by day and by record.
type history struct {
	days     []Date                   // newest first
	byDay    map[Date][]*DatedEvent   // in the order in which they were recorded
	byRecord map[string][]*DatedEvent // newest first
	added    Date                     // newest day on which a record was added
	feeds    map[string]*Feed         // "all", "protocol-l402", "tag-l402"
	feedDays []Date                   // days that have ever been in the change feed
}

// A Feed is the events of the history to which a reader can subscribe: all of them, those of the facts of a protocol,
// or those of the records that carry a tag.
type Feed struct {
	Title  string
	Atom   string        // path of its newest events as Atom
	JSON   string        // the same as JSON Feed
	Page   string        // path of the page about its subject
	events []*DatedEvent // the newest, newest first
}

// VerifiedMember reports whether a member is the day on which something was read.
func VerifiedMember(name string) bool {
	return name == "verified_at" || name == "updated" || strings.HasSuffix(name, ".verified_at")
}

// DigestMember reports whether the history records a member by the digest of its value: evidence, statements, questions
// of the record and of its passages, and the list of repositories, which have documents of their own.
func DigestMember(name string) bool {
	name, _, _ = strings.Cut(name, "[")
	return slices.Contains([]string{"evidence", "statements", "questions", "passages", "repositories"}, name)
}

func newHistory(records []HistoryRecords) history {
	h := history{byDay: make(map[Date][]*DatedEvent), byRecord: make(map[string][]*DatedEvent)}
	feedDays := make(map[Date]bool)
	for _, r := range slices.SortedFunc(slices.Values(records),
		func(a, b HistoryRecords) int { return cmp.Compare(a.Date, b.Date) }) {
		for i := range r.Events {
			e := &DatedEvent{&r.Events[i], r.Date, 1, len(h.byDay[r.Date])}
			if earlier := h.byRecord[e.Record]; len(earlier) > 0 && earlier[len(earlier)-1].Day == r.Date {
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

// addFeedDays adds the days under which the change feed has listed a record. Records about protocols are not in it.
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
		return list[0].Day
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

// FeedSize is the most events of a feed: its newest. The history has all.
const FeedSize = 250

// A FeedEvent is an event as feeds show it.
type FeedEvent struct {
	RecordedEvent
	Day     Date
	Place   int      // among the events of the day, from 0; events are only added
	Summary string   // of the record; "" when it has none or is not published any more
	Source  string   // address of the source, of a library entry
	Tags    []string // of the record
}

// Feed returns a feed: "all", or protocol- and the id of a protocol with a page, or tag- and a tag. Others are nil.
func (c *Catalog) Feed(id string) *Feed { return c.history.feeds[id] }

// FeedEvents returns the newest events of a feed, newest first.
func (c *Catalog) FeedEvents(f *Feed) []FeedEvent {
	return Convert(f.events, func(e *DatedEvent) FeedEvent {
		r, _ := c.record(e.Record)
		return FeedEvent{c.RecordedEvent(e), e.Day, e.place, r.summary, r.source, c.recordTags(e.Record)}
	})
}

// recordTags returns the tags that a record of the history carries today.
func (c *Catalog) recordTags(record string) []string {
	if kind, id := HistoryRecord(record); aboutProtocol(kind) {
		return []string{id} // the tag of a protocol is about its facts
	}
	r, _ := c.record(record)
	return r.tags
}

// addFeeds finds the events of every feed.
func (c *Catalog) addFeeds() {
	feeds := map[string]*Feed{"all": {Title: "changes", Atom: AtomPath, JSON: JSONFeedPath, Page: HistoryPath}}
	for _, id := range c.ProtocolPageIDs() {
		feeds["protocol-"+id] = &Feed{Title: "changes to the facts about " + c.ProtocolName(id), Atom: ProtocolAtomPath(id),
			JSON: ProtocolJSONFeedPath(id), Page: ProtocolPath(id)}
	}
	for _, t := range c.tags {
		feeds["tag-"+t.ID] = &Feed{Title: "changes to what carries the tag " + t.ID, Atom: TagAtomPath(t.ID),
			JSON: TagJSONFeedPath(t.ID), Page: TagPath(t.ID)}
	}
	c.history.feeds = feeds
	add := func(id string, e *DatedEvent) {
		if f := feeds[id]; f != nil && len(f.events) < FeedSize {
			f.events = append(f.events, e)
		}
	}
	// The tags are those that the record carried before or after the event, read off the history from its end, and not
	// off the records of today: a record that loses a tag stays in the feed that followed it until then, and one that is
	// given a tag brings nothing into its feed that was before.
	after := make(map[string][]string) // of records whose tags have changed
	for _, day := range c.history.days {
		for _, e := range slices.Backward(c.history.byDay[day]) {
			carried, known := after[e.Record]
			if !known {
				carried = c.recordTags(e.Record)
			}
			for _, m := range e.Members {
				if m.Name == "tags" {
					var before []string
					_ = json.Unmarshal(m.Old, &before) // null before the record was there
					after[e.Record] = before
					carried = slices.Concat(carried, before)
					slices.Sort(carried)
					carried = slices.Compact(carried)
				}
			}
			add("all", e)
			if kind, id := HistoryRecord(e.Record); aboutProtocol(kind) {
				add("protocol-"+id, e)
			}
			for _, t := range carried {
				add("tag-"+t, e)
			}
		}
	}
}
