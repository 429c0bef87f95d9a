package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/tools"
)

// A polled is the answer of events/poll.
type polled struct {
	ResultType string
	Events     []struct {
		EventID   string
		Name      string
		Timestamp string
		Data      struct {
			Record, Change string
			Members        []catalog.MemberChange
		}
	}
	Cursor     string
	Truncated  bool
	HasMore    bool
	NextPollMs int
}

// poll polls once; params are those beside the name of the event.
func poll(t *testing.T, s *Server, modern bool, params string) polled {
	t.Helper()
	rep := send(s, request(modern, body(modern, "events/poll", `"name":"record.changed"`+params)))
	var got polled
	err := json.Unmarshal(rep.Result, &got)
	if err != nil || got.ResultType != "complete" || got.Cursor == "" || got.NextPollMs <= 0 || got.Events == nil {
		t.Fatalf("events/poll {%s}: %v %s", params, err, rep.Body)
	}
	return got
}

// pollAll polls until there are no more events, and returns their ids.
func pollAll(t *testing.T, s *Server, cursor, params string) (ids []string) {
	t.Helper()
	for {
		got := poll(t, s, true, `,"cursor":`+quoted(cursor)+params)
		for _, e := range got.Events {
			ids = append(ids, e.EventID)
		}
		if cursor = got.Cursor; !got.HasMore {
			again := poll(t, s, true, `,"cursor":`+quoted(cursor)+params)
			if len(again.Events) > 0 || again.Cursor != cursor {
				t.Errorf("after the last event there is %+v", again)
			}
			return ids
		}
	}
}

// TestEvents holds the rules of the extension for events (SEP-3415) for a server that is polled: it is declared, its type
// of event has schemas, polls from any cursor return every later line of the history once, in its order, as the
// document of its day has it, and a filter leaves out the others.
func TestEvents(t *testing.T) {
	s := serverOver(t, Options{})
	c, _ := realData(t)
	var discovered struct {
		Capabilities struct{ Extensions map[string]map[string]any }
	}
	err := json.Unmarshal(send(s, request(true, body(true, "server/discover", ""))).Result, &discovered)
	if err != nil || discovered.Capabilities.Extensions[tools.EventsExtension] == nil {
		t.Errorf("the extension is not declared: %v", err)
	}
	var list struct {
		ResultType string
		Events     []struct {
			Name, Description          string
			Delivery                   []string
			InputSchema, PayloadSchema map[string]any
		}
	}
	err = json.Unmarshal(send(s, request(true, body(true, "events/list", ""))).Result, &list)
	if err != nil || list.ResultType != "complete" || len(list.Events) != 1 || cmp.Diff([]string{"poll"}, list.Events[0].Delivery) != "" ||
		list.Events[0].InputSchema["type"] != "object" || list.Events[0].PayloadSchema["type"] != "object" {
		t.Errorf("events/list: %v %+v", err, list)
	}

	var ids, protocols []string
	for _, day := range slices.Backward(c.HistoryDays()) {
		for _, e := range c.History(day).Events {
			id := string(day) + "#" + e.Anchor
			if ids = append(ids, id); e.Kind == "protocol" && e.Change == "edited" {
				protocols = append(protocols, id)
			}
		}
	}
	const start = `2026-11-01`
	if diff := cmp.Diff(ids, pollAll(t, s, start, "")); diff != "" {
		t.Errorf("events (-history +polled):\n%s", diff)
	}
	if diff := cmp.Diff(ids[700:], pollAll(t, s, ids[699], `,"maxEvents":7`)); diff != "" {
		t.Errorf("events from the middle (-history +polled):\n%s", diff)
	}
	const edited = `,"maxEvents":3,"arguments":{"kind":"protocol","change":["edited"]}`
	if diff := cmp.Diff(protocols, pollAll(t, s, start, edited)); diff != "" {
		t.Errorf("edited facts (-history +polled):\n%s", diff)
	}
	first := poll(t, s, false, `,"cursor":"`+start+`","maxEvents":1`)
	want := c.History(catalog.Date(ids[0][:10])).Events[0]
	e := first.Events[0]
	if e.Name != "record.changed" || e.Timestamp != ids[0][:10]+"T00:00:00Z" || e.Data.Record != want.Record ||
		len(e.Data.Members) != len(want.Members) || first.Truncated {
		t.Errorf("the first event is %+v", first)
	}
	now := poll(t, s, true, "")
	if len(now.Events) > 0 || now.Cursor != ids[len(ids)-1] || now.HasMore || now.Truncated {
		t.Errorf("from now on: %+v", now)
	}
	if now := poll(t, s, true, `,"cursor":null`); now.Cursor != ids[len(ids)-1] {
		t.Errorf("a null cursor: %+v", now)
	}
}

// TestEventGaps: a cursor whose event the history has lost says so and goes on with the next day; one that is newer
// than the history waits; maxAgeMs skips older days, and says so.
func TestEventGaps(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range []struct {
		params            string
		truncated, events bool
		cursor            string // "": any
	}{
		{`,"cursor":"2026-11-21#no-such-record"`, true, true, ""},
		{`,"cursor":"2026-11-20#mqtt-5"`, true, true, ""},
		{`,"cursor":"2026-11-21"`, false, true, ""},
		{`,"cursor":"2027-01-01#mqtt-5"`, false, false, "2027-01-01#mqtt-5"},
		{`,"cursor":"2026-11-21#mqtt-5__99","arguments":{"record":"no-such-record"}`, true, false, ""},
		{`,"cursor":"2026-11-01","maxAgeMs":300000`, true, true, ""}, // today's
		{`,"cursor":"2026-11-01","maxAgeMs":9007199254740991`, false, true, ""},
		{`,"cursor":"2026-11-01","maxEvents":100000`, false, true, ""},
	} {
		got := poll(t, s, true, c.params)
		if got.Truncated != c.truncated || (len(got.Events) > 0) != c.events || c.cursor != "" && got.Cursor != c.cursor ||
			len(got.Events) > 100 {
			t.Errorf("{%s}: truncated %v, %d events, cursor %s", c.params, got.Truncated, len(got.Events), got.Cursor)
		}
		if strings.Contains(c.params, "300000") && got.Events[0].EventID[:10] != string(catalog.DateOf(now)) {
			t.Errorf("{%s}: the first event is %s", c.params, got.Events[0].EventID)
		}
	}
}

// TestEventErrors: what is wrong with a poll is an error of the extension's, and the methods that are not served do not
// exist.
func TestEventErrors(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range []struct {
		method, params string
		code           int64
	}{
		{"events/poll", `"name":"email.received"`, -32023},
		{"events/poll", ``, -32023},
		{"events/poll", `"name":"record.changed","arguments":{"kind":"protocols"}`, -32602},
		{"events/poll", `"name":"record.changed","arguments":{"channel":"x"}`, -32602},
		{"events/poll", `"name":"record.changed","arguments":[]`, -32602},
		{"events/poll", `"name":"record.changed","cursor":"historyId_99842"`, -32602},
		{"events/poll", `"name":"record.changed","cursor":7`, -32602},
		{"events/poll", `"name":"record.changed","cursor":"2026-11-01","maxEvents":0`, -32602},
		{"events/poll", `"name":"record.changed","cursor":"2026-11-01","maxAgeMs":-1`, -32602},
		{"events/list", `"cursor":"x"`, -32602},
		{"events/stream", `"name":"record.changed"`, -32601},
		{"events/subscribe", `"name":"record.changed","delivery":{"mode":"webhook"}`, -32601},
	} {
		for _, modern := range []bool{false, true} {
			rep := send(s, request(modern, body(modern, c.method, c.params)))
			if rep.Error == nil || rep.Error.Code != c.code {
				t.Errorf("%s {%s}: %s", c.method, c.params, fmt.Sprintf("%.300s", rep.Body))
			}
		}
	}
}
