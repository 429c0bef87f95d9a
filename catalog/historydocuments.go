package catalog

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A HistoryIndex lists the days of the history, newest first.
type HistoryIndex struct {
	Head
	Count int             `json:"count"`
	Days  []HistoryDayRef `json:"days"`
}

// A HistoryDayRef is a day of the history with its addresses.
type HistoryDayRef struct {
	Date    Date           `json:"date"`
	Count   int            `json:"count"` // of events
	Changes map[string]int `json:"changes"`
	JSONURL string         `json:"json_url"`
	HTMLURL string         `json:"html_url"`
}

// A HistoryDayList is the changes of a day.
type HistoryDayList struct {
	Head
	Date   Date            `json:"date"`
	Count  int             `json:"count"`
	Events []RecordedEvent `json:"entries"`
}

// A HistoryTarget is a record that the history is about. Its addresses are empty when it is not published any more.
type HistoryTarget struct {
	Record     string `json:"record"`
	Kind       string `json:"kind"`
	Title      string `json:"title"`
	HTMLURL    string `json:"html_url"`
	JSONURL    string `json:"json_url"`
	HistoryURL string `json:"history_url"`
}

// A RecordedEvent is an event of a day.
type RecordedEvent struct {
	HistoryTarget
	Change  string         `json:"change"`
	Members []MemberChange `json:"members"`
	Anchor  string         `json:"-"` // on the page of the day
}

// A RecordEvent is an event of a record.
type RecordEvent struct {
	Date    Date           `json:"date"`
	Change  string         `json:"change"`
	Members []MemberChange `json:"members"`
}

// HistoryDays returns the days of the history, newest first.
func (c *Catalog) HistoryDays() []Date { return c.history.days }

// HistoryEvents returns the events of a day in the order in which they were recorded.
func (c *Catalog) HistoryEvents(day Date) []HistoryEvent {
	return Convert(c.history.byDay[day], func(e *DatedEvent) HistoryEvent { return *e.HistoryEvent })
}

// HistoryIndex returns the document that lists the days of the history.
func (c *Catalog) HistoryIndex() *HistoryIndex {
	doc := &HistoryIndex{Head: c.head("history-index", c.HistoryDay()), Count: len(c.history.days), Days: []HistoryDayRef{}}
	for _, d := range c.history.days {
		ref := HistoryDayRef{d, len(c.history.byDay[d]), make(map[string]int), c.Site().URL(HistoryDayJSONPath(d)),
			c.Site().URL(HistoryDayPath(d))}
		for _, e := range c.history.byDay[d] {
			ref.Changes[e.Change]++
		}
		doc.Days = append(doc.Days, ref)
	}
	return doc
}

// History returns the document of the changes of a day. A day without changes has count 0.
func (c *Catalog) History(day Date) *HistoryDayList {
	events := c.history.byDay[day]
	return &HistoryDayList{
		Head: c.head("history-day", min(day, c.newest)),
		Date: day, Count: len(events), Events: Convert(events, c.RecordedEvent),
	}
}

// RecordedEvent returns an event as the document of its day has it.
func (c *Catalog) RecordedEvent(e *DatedEvent) RecordedEvent {
	return RecordedEvent{c.Record(e.Record), e.Change, e.Members, e.anchor()}
}

// HistoryRecordIDs returns every record of the history as its addresses have it, sorted.
func (c *Catalog) HistoryRecordIDs() []string {
	ids := Convert(slices.Collect(maps.Keys(c.history.byRecord)), HistoryPathID)
	slices.Sort(ids)
	return ids
}

// HistoryPathID returns a record of the history as its addresses have it: with a dot, which no id contains, for the
// colon.
func HistoryPathID(record string) string { return strings.Replace(record, ":", ".", 1) }

// HistoryPathRecord returns the record that HistoryPathID returned an id for.
func HistoryPathRecord(pathID string) string { return strings.Replace(pathID, ".", ":", 1) }

// HasHistory reports whether the history has a record, which is given as its addresses have it.
func (c *Catalog) HasHistory(pathID string) bool {
	return !strings.Contains(pathID, ":") && len(c.history.byRecord[HistoryPathRecord(pathID)]) > 0
}

// Record returns a record, which is given as the history names it, as it is published today. Its title and
// addresses are those of its page.
func (c *Catalog) Record(record string) HistoryTarget {
	kind, id := HistoryRecord(record)
	t := HistoryTarget{Record: record, Kind: kind, Title: id, HistoryURL: c.Site().URL(c.EvidenceJSONPath(HistoryPathID(record)))}
	if w, ok := c.Withdrawn(record); ok {
		t.Title = w.Title
	}
	if r, ok := c.record(record); ok {
		page, document := recordPaths(record)
		t.Title, t.HTMLURL, t.JSONURL = r.Title, c.Site().URL(page), c.Site().URL(document)
	}
	return t
}

// A Withdrawal is a record that is no longer published, and the reason. Its addresses answer with the reason.
type Withdrawal struct {
	Record     string  `json:"record"` // as the history names it; of WithdrawnKinds
	Title      string  `json:"title" form:"title"`
	Day        Date    `json:"day"`
	Reason     string  `json:"reason" form:"summary"` // a sentence
	ReplacedBy *string `json:"replaced_by"`           // the record that replaces it
}

// WithdrawnKinds are the kinds of the records that can be withdrawn.
var WithdrawnKinds = []string{"library", "profile", "article"}

// Withdrawn returns the withdrawal of a record, which is given as the history names it.
func (c *Catalog) Withdrawn(record string) (Withdrawal, bool) {
	return find(c.records.Withdrawn, func(w Withdrawal) bool { return w.Record == record })
}

// WithdrawnAt returns the withdrawal of the record whose page, JSON or Markdown was at a path.
func (c *Catalog) WithdrawnAt(path string) (Withdrawal, bool) {
	return find(c.records.Withdrawn, func(w Withdrawal) bool {
		page, document := recordPaths(w.Record)
		return path == page || path == strings.TrimSuffix(page, "/") || path == MarkdownPath(page) || path == document
	})
}

// WithdrawalText returns the withdrawal in a few sentences.
func (c *Catalog) WithdrawalText(w Withdrawal) string {
	text := w.Title + " was withdrawn on " + string(w.Day) + ". " + w.Reason
	if w.ReplacedBy != nil {
		t := c.Record(*w.ReplacedBy)
		text += " It is replaced by " + t.Title + ": " + t.HTMLURL
	}
	return text
}

// Text returns the value of a member as people read it: a string without its quotes, anything else as JSON, null as "".
func (m MemberChange) Text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}
