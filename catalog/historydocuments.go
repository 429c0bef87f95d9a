package catalog

import (
	"bytes"
	"encoding/json"
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

// A RecordHistory is the changes of a record, newest first.
type RecordHistory struct {
	Head
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

// HistoryEvents returns the events of a day in the order in which they were recorded.
func (c *Catalog) HistoryEvents(day Date) []HistoryEvent {
	events := make([]HistoryEvent, len(c.history.byDay[day]))
	for i, e := range c.history.byDay[day] {
		events[i] = *e.HistoryEvent
	}
	return events
}

// HistoryIndex returns the document that lists the days of the history.
func (c *Catalog) HistoryIndex() *HistoryIndex {
	doc := &HistoryIndex{Head: c.head("history-index", c.HistoryDay()),
		Count: len(c.history.days), Days: []HistoryDayRef{}}
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
	doc := &HistoryDayList{
		Head: c.head("history-day", min(day, c.newest)),
		Date: day, Count: len(events), Events: make([]RecordedEvent, len(events)),
	}
	for i, e := range events {
		doc.Events[i] = c.RecordedEvent(e)
	}
	return doc
}

// RecordedEvent returns an event as the document of its day has it.
func (c *Catalog) RecordedEvent(e DatedEvent) RecordedEvent {
	return RecordedEvent{c.Record(e.Record), e.Change, e.Members, e.anchor()}
}

// HistoryRecordIDs returns every record of the history as its addresses have it, sorted.
func (c *Catalog) HistoryRecordIDs() []string {
	var ids []string
	for record := range c.history.byRecord {
		ids = append(ids, HistoryPathID(record))
	}
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

// RecordHistory returns the document of the changes of a record, which is given as its addresses have it.
func (c *Catalog) RecordHistory(pathID string) (*RecordHistory, bool) {
	record := HistoryPathRecord(pathID)
	events := c.history.byRecord[record]
	if len(events) == 0 {
		return nil, false
	}
	doc := &RecordHistory{
		Head:          c.head("history-record", events[0].Day),
		HistoryTarget: c.Record(record), Count: len(events), Events: make([]RecordEvent, len(events)),
	}
	for i, e := range events {
		doc.Events[i] = RecordEvent{e.Day, e.Change, e.Members}
	}
	return doc, true
}

// Record returns a record, which is given as the history names it, as it is published today. Its title and
// addresses are those of its page.
func (c *Catalog) Record(record string) HistoryTarget {
	kind, id := HistoryRecord(record)
	t := HistoryTarget{Record: record, Kind: kind, Title: id,
		HistoryURL: c.Site().URL(RecordHistoryJSONPath(HistoryPathID(record)))}
	p, ok := recordPages[kind]
	if record == "support:trust-checklist" {
		p = trustPage
	}
	if !ok {
		return t
	}
	if w, ok := c.Withdrawn(record); ok {
		t.Title = w.Title
	}
	if title, ok := p.title(c, id); ok {
		t.Title, t.HTMLURL, t.JSONURL = title, c.Site().URL(p.html(id)), c.Site().URL(p.json(id))
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

// Withdrawals returns every withdrawal, sorted by record.
func (c *Catalog) Withdrawals() []Withdrawal { return c.records.Withdrawn }

// Withdrawn returns the withdrawal of a record, which is given as the history names it.
func (c *Catalog) Withdrawn(record string) (Withdrawal, bool) {
	return find(c.records.Withdrawn, func(w Withdrawal) bool { return w.Record == record })
}

// WithdrawnAt returns the withdrawal of the record whose page, JSON or Markdown was at a path.
func (c *Catalog) WithdrawnAt(path string) (Withdrawal, bool) {
	return find(c.records.Withdrawn, func(w Withdrawal) bool {
		kind, id := HistoryRecord(w.Record)
		p := recordPages[kind]
		page := strings.TrimSuffix(p.html(id), "/")
		return path == page || path == page+"/" || path == page+".md" || path == p.json(id)
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

// A recordPage is the title and the addresses of the records of a kind.
type recordPage struct {
	title      func(c *Catalog, id string) (string, bool) // false: it is not published
	html, json func(id string) string
}

// recordPages are the pages of the records by their kind in the history.
var recordPages = map[string]recordPage{
	"library":  {titled((*Catalog).Entry, func(e *Entry) string { return e.Title }), EntryPath, EntryJSONPath},
	"protocol": {titled((*Catalog).Protocol, func(p *Protocol) string { return p.Name }), ProtocolPath, ProtocolJSONPath},
	"profile": {titled((*Catalog).Profile, func(p *Profile) string { return p.Name + ", profile" }), ProtocolPath,
		ProtocolJSONPath},
	"flow": {titled((*Catalog).Flow, func(f *Flow) string { return f.Title + ", flow" }), ProtocolPath,
		ProtocolJSONPath},
	"article": {titled((*Catalog).Article, func(a *Article) string { return a.Title }), ArticlePath, ArticleJSONPath},
	"dataset": {titled((*Catalog).Dataset, func(d *Dataset) string { return d.Title }), DatasetPath, DatasetCardPath},
	"bot":     onePage(func(*Catalog) string { return "Link checker" }, BotPath, BotJSONPath),
	"support": onePage(func(*Catalog) string { return "Support document" }, SupportPath, SupportJSONPath),
}

// trustPage is that of the trust checklist, which the history has among the support documents.
var trustPage = onePage(func(c *Catalog) string { return c.records.Trust.Title }, TrustPath, TrustJSONPath)

// titled returns the title function of a kind whose records are found by their id.
func titled[T any](find func(*Catalog, string) (T, bool), title func(T) string) func(*Catalog, string) (string, bool) {
	return func(c *Catalog, id string) (string, bool) {
		record, ok := find(c, id)
		if !ok {
			return "", false
		}
		return title(record), true
	}
}

// onePage returns the page of a kind with one record.
func onePage(title func(*Catalog) string, html, json string) recordPage {
	at := func(path string) func(string) string { return func(string) string { return path } }
	return recordPage{func(c *Catalog, _ string) (string, bool) { return title(c), true }, at(html), at(json)}
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
