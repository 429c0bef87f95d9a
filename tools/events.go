package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// EventsExtension is the extension by which clients learn of events (SEP-3415, Events Extension). Clients poll: the
// history of the data is published, so that a cursor is the name of one of its events, and the server keeps nothing for
// anyone. Webhooks need an authenticated principal, which a payment is not.
const EventsExtension = "io.modelcontextprotocol/events"

// The methods of the extension that are served.
const (
	ListEvents = "events/list"
	PollEvents = "events/poll"
)

// codeNotFound is the error of the extension for an event type that does not exist. SEP-3415 asks for this number, and
// calls it provisional.
const codeNotFound = -32023

// The bounds of the answer to a poll, and when to ask again in milliseconds: the data changes about once a day.
const (
	standardEvents = 50
	maxEvents      = 100
	maxEventBytes  = 256 << 10
	nextPollMillis = 300_000
)

// recordChanged is the one type of event: a line of the history.
const recordChanged = "record.changed"

func (d *data) recordChanged() *signature {
	return &signature{name: recordChanged, params: []param{
		d.recordParam(), d.historyKindParam(),
		{name: "change", kind: kindList, orOne: true, allowed: catalog.HistoryChanges, max: len(catalog.HistoryChanges),
			example: `["edited"]`, about: "Any of these."},
	}}
}

// PollEventsParams are the params of PollEvents.
type PollEventsParams struct {
	mcp.ParamsBase
	Name         string          `json:"name"`
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	Cursor       *string         `json:"cursor,omitempty"` // nil: from now on
	MaxAgeMillis *int64          `json:"maxAgeMs,omitempty"`
	MaxEvents    *int            `json:"maxEvents,omitempty"`
}

// An eventType is a type of event as ListEvents returns it.
type eventType struct {
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Delivery      []string `json:"delivery"`
	InputSchema   *schema  `json:"inputSchema"`
	PayloadSchema *schema  `json:"payloadSchema"`
}

type listEventsResult struct {
	mcp.ResultBase
	Events []eventType `json:"events"`
	cacheable
}

type pollEventsResult struct {
	mcp.ResultBase
	ResultType     string       `json:"resultType"`
	Events         []occurrence `json:"events"`
	Cursor         string       `json:"cursor"`
	Truncated      bool         `json:"truncated"`
	HasMore        bool         `json:"hasMore"`
	NextPollMillis int          `json:"nextPollMs"`
}

// An occurrence is an event as clients receive it. Its time is the beginning of its day, since the history has days.
type occurrence struct {
	ID        string          `json:"eventId"`
	Name      string          `json:"name"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"` // as the document of the day has it
}

// RegisterEvents adds the methods of the events to a server. tools returns those with the data; it is called for each
// request.
func RegisterEvents(s *mcp.Server, tools func() *Tools) {
	addMethod(s, ListEvents, func(p *listParams) (*listEventsResult, error) {
		if p != nil && p.Cursor != "" {
			return nil, invalidParams("cursor %s is not valid: all types of event are on one page", quote(p.Cursor))
		}
		return tools().listedEvents(), nil
	})
	addMethod(s, PollEvents, func(p *PollEventsParams) (*pollEventsResult, error) { return tools().poll(p) })
}

// listedEvents describes the type of event.
func (d *data) listedEvents() *listEventsResult {
	member := object(append(texts("name"), prop("old", &schema{}), prop("new", &schema{}))...)
	payload := texts("record", "kind", "title", "html_url", "json_url", "history_url", "change")
	return &listEventsResult{Events: []eventType{{
		Name:        recordChanged,
		Description: "A record was added, edited or read again at its source; with the old and new values of each member.",
		Delivery:    []string{"poll"},
		InputSchema: d.recordChanged().schema(), PayloadSchema: object(append(payload, prop("members", listOf(member)))...),
	}}, cacheable: publicCache}
}

// poll returns the events after a cursor that the arguments select, the oldest first.
func (d *data) poll(p *PollEventsParams) (*pollEventsResult, error) {
	if p == nil || p.Name != recordChanged {
		return nil, &jsonrpc.Error{Code: codeNotFound, Message: "NotFound: the one type of event is " + recordChanged,
			Data: json.RawMessage(`{"kind":"event"}`)}
	}
	in, err := d.recordChanged().read(p.Arguments)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	most := standardEvents
	if p.MaxEvents != nil {
		most = min(*p.MaxEvents, maxEvents)
	}
	if most < 1 || p.MaxAgeMillis != nil && *p.MaxAgeMillis < 0 {
		return nil, invalidParams("maxEvents must be at least 1, and maxAgeMs at least 0")
	}
	out := &pollEventsResult{ResultType: "complete", Events: []occurrence{}, NextPollMillis: nextPollMillis}
	if p.Cursor == nil {
		out.Cursor = "0001-01-01" // of an empty history
		if all, _ := d.catalog.EventsAfter(""); len(all) > 0 {
			out.Cursor = all[len(all)-1].ID()
		}
		return out, nil
	}
	out.Cursor = *p.Cursor
	day, _, _ := strings.Cut(out.Cursor, "#")
	if _, err := catalog.ParseDate(day); err != nil {
		return nil, invalidParams("cursor %s is not one of this server's; without a cursor, polling starts from now",
			quote(out.Cursor))
	}
	events, gap := d.catalog.EventsAfter(out.Cursor)
	oldest, recent := d.oldest(p.MaxAgeMillis), 0
	for recent < len(events) && events[recent].Day < oldest {
		recent++
	}
	if recent > 0 {
		out.Cursor = events[recent-1].ID()
	}
	out.Truncated = gap || recent > 0
	d.fill(out, events[recent:], in, most)
	return out, nil
}

// oldest returns the first day of which events are wanted. It counts from the end of today, since an event has a day
// and no time.
func (d *data) oldest(ageMillis *int64) catalog.Date {
	const century = 100 * 365 * 24 * 3600 * 1000
	if ageMillis == nil || *ageMillis > century {
		return ""
	}
	return catalog.DateOf(d.today().Time().AddDate(0, 0, 1).Add(-time.Duration(*ageMillis) * time.Millisecond))
}

// fill adds the selected events to a result, as many as it may have, and its cursor.
func (d *data) fill(out *pollEventsResult, events []catalog.DatedEvent, in arguments, most int) {
	kinds, record, changes := in.list("kind"), strings.ToLower(in.text("record")), in.list("change")
	size := 0
	for _, e := range events {
		if selects(kinds, record, e.Record) && (changes == nil || slices.Contains(changes, e.Change)) {
			data := encode(d.catalog.RecordedEvent(e))
			size += len(data)
			if n := len(out.Events); n == most || n > 0 && size > maxEventBytes {
				out.HasMore = true
				return
			}
			out.Events = append(out.Events, occurrence{e.ID(), recordChanged, timestamp(e.Day.Time()), data})
		}
		out.Cursor = e.ID()
	}
}
