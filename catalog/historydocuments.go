package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A HistoryIndex lists the days of the history, newest first.
type HistoryIndex struct {
	Envelope
	Schema string          `json:"$schema"`
	Count  int             `json:"count"`
	Days   []HistoryDayRef `json:"days"`
}

// A HistoryDayRef is a day of the history with its addresses.
type HistoryDayRef struct {
	Date    Date           `json:"date"`
	Count   int            `json:"count"` // of events
	Changes map[string]int `json:"changes"`
	JSONURL string         `json:"json_url"`
	HTMLURL string         `json:"html_url"`
}

// A HistoryDayList is what changed on a day.
type HistoryDayList struct {
	Envelope
	Schema string          `json:"$schema"`
	Date   Date            `json:"date"`
	Count  int             `json:"count"`
	Events []RecordedEvent `json:"entries"`
}

// A RecordHistory is what changed in a record, newest first.
type RecordHistory struct {
	Envelope
	Schema string `json:"$schema"`
	HistoryTarget
	Count  int           `json:"count"`
	Events []RecordEvent `json:"entries"`
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

// HistoryIndex returns the document that lists the days of the history.
func (c *Catalog) HistoryIndex() *HistoryIndex {
	doc := &HistoryIndex{Envelope: c.envelope(c.HistoryDay()), Schema: c.Site().URL(SchemaPath("history-index")), Count: len(c.history.days), Days: []HistoryDayRef{}}
	for _, d := range c.history.days {
		ref := HistoryDayRef{d, len(c.history.byDay[d]), make(map[string]int), c.Site().URL(HistoryDayJSONPath(d)), c.Site().URL(HistoryDayPath(d))}
		for _, e := range c.history.byDay[d] {
			ref.Changes[e.Change]++
		}
		doc.Days = append(doc.Days, ref)
	}
	return doc
}

// History returns the document of what changed on a day. A day without changes has count 0.
func (c *Catalog) History(day Date) *HistoryDayList {
	events := c.history.byDay[day]
	doc := &HistoryDayList{
		Envelope: c.envelope(min(day, c.newest)), Schema: c.Site().URL(SchemaPath("history-day")),
		Date: day, Count: len(events), Events: make([]RecordedEvent, len(events)),
	}
	for i := range events {
		doc.Events[i] = c.recordedEvent(c.history.ref(day, i))
	}
	return doc
}

// recordedEvent returns an event of a day. Its anchor has the record and, after the first, how many times it has changed that
// day so far: lines are only added to a day, so that an anchor always leads to the same event.
func (c *Catalog) recordedEvent(at eventRef) RecordedEvent {
	e := c.history.event(at)
	anchor := strings.Replace(e.Record, ":", "_", 1)
	if nth := c.history.nth[at]; nth > 1 {
		anchor += "__" + strconv.Itoa(nth)
	}
	return RecordedEvent{c.historyTarget(e.Record), e.Change, e.Members, anchor}
}

// HistoryRecordIDs returns every record of the history as its addresses have it, sorted.
func (c *Catalog) HistoryRecordIDs() []string {
	ids := make([]string, len(c.history.byRecord))
	for i, at := range c.history.byRecord {
		ids[i] = HistoryPathID(c.history.event(at).Record)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// HistoryPathID returns a record of the history as its addresses have it: with a dot, which no id contains, for the colon.
func HistoryPathID(record string) string { return strings.Replace(record, ":", ".", 1) }

// HasHistory reports whether the history has a record, which is given as its addresses have it.
func (c *Catalog) HasHistory(pathID string) bool {
	return len(c.history.of(strings.Replace(pathID, ".", ":", 1))) > 0
}

// RecordHistory returns the document of what changed in a record, which is given as its addresses have it.
func (c *Catalog) RecordHistory(pathID string) (*RecordHistory, bool) {
	record := strings.Replace(pathID, ".", ":", 1)
	events := c.history.of(record)
	if len(events) == 0 {
		return nil, false
	}
	doc := &RecordHistory{
		Envelope: c.envelope(c.history.dayOf(events[0])), Schema: c.Site().URL(SchemaPath("history-record")),
		HistoryTarget: c.historyTarget(record), Count: len(events), Events: make([]RecordEvent, len(events)),
	}
	for i, at := range events {
		e := c.history.event(at)
		doc.Events[i] = RecordEvent{c.history.dayOf(at), e.Change, e.Members}
	}
	return doc, true
}

// Record returns a record, which is given as the history names it, with what is published about it today. Its title and
// addresses are those of its page.
func (c *Catalog) Record(record string) HistoryTarget { return c.historyTarget(record) }

// historyTarget returns a record of the history with what is published about it today.
func (c *Catalog) historyTarget(record string) HistoryTarget {
	kind, id := HistoryRecord(record)
	t := HistoryTarget{Record: record, Kind: kind, Title: id, HistoryURL: c.Site().URL(RecordHistoryJSONPath(HistoryPathID(record)))}
	published := func(title, html, json string) {
		t.Title, t.HTMLURL, t.JSONURL = title, c.Site().URL(html), c.Site().URL(json)
	}
	switch kind {
	case "library":
		if e, ok := c.Entry(id); ok {
			published(e.Title, EntryPath(id), EntryJSONPath(id))
		}
	case "protocol":
		if p, ok := c.Protocol(id); ok {
			published(p.Name, ProtocolPath(id), ProtocolJSONPath(id))
		}
	case "profile":
		if p, ok := c.Profile(id); ok {
			published(p.Name+", profile", ProtocolPath(id), ProtocolJSONPath(id))
		}
	case "flow":
		if f, ok := c.Flow(id); ok {
			published(f.Title+", flow", ProtocolPath(id), ProtocolJSONPath(id))
		}
	case "article":
		if a, ok := c.Article(id); ok {
			published(a.Title, ArticlePath(id), ArticleJSONPath(id))
		}
	case "dataset":
		if d, ok := c.Dataset(id); ok {
			published(d.Title, DatasetPath(id), DatasetCardPath(id))
		}
	case "bot":
		published("Link checker", BotPath, BotJSONPath)
	case "support":
		if id == "trust-checklist" {
			published(c.trust.Title, TrustPath, TrustJSONPath)
		} else {
			published("Support document", SupportPath, SupportJSONPath)
		}
	}
	return t
}

// Text returns the value of a member as people read it: a string without its quotes, anything else as JSON, null as "".
func (m MemberChange) Text(value json.RawMessage) string {
	if len(value) == 0 || value[0] != '"' && string(value) != "null" {
		return string(value)
	}
	if value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	var s string
	_ = json.Unmarshal(value, &s) // a line of the history is valid JSON
	return s
}
