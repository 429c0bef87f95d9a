package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

// historyFiles are the days of the history, each line an event. They are written by almanac check -record.
const historyFiles = "history/*.jsonl"

// HistoryFile returns the path of a day's history among the curated files.
func HistoryFile(d catalog.Date) string { return "history/" + string(d) + ".jsonl" }

// readHistory reads every day of the history.
func readHistory(r *reader) []catalog.HistoryRecords {
	paths, _ := fs.Glob(r.fsys, historyFiles) // the pattern is well formed
	slices.Sort(paths)
	var days []catalog.HistoryRecords
	for _, p := range paths {
		delete(r.left, p)
		data, err := r.bytes(p)
		if errors.Is(err, errRefused) {
			continue
		}
		if err != nil {
			r.faults.add(p, "cannot be read: %v", err)
			continue
		}
		day := catalog.HistoryRecords{Date: catalog.Date(strings.TrimSuffix(path.Base(p), ".jsonl"))}
		if r.before != nil && areEvents(data, r.before.HistoryEvents(day.Date)) {
			day.Events = r.before.HistoryEvents(day.Date)
		} else if day.Events = decodeEvents(&r.faults, p, data); day.Events != nil {
			r.keeper.events(day.Events)
		}
		if day.Events != nil {
			days = append(days, day)
		}
	}
	return days
}

// areEvents reports whether data are the lines of some events.
func areEvents(data []byte, events []catalog.HistoryEvent) bool {
	var line []byte
	for i := range events {
		line = append(bytes.TrimSpace(wirejson.Must(wirejson.Append(line[:0], &events[i]))), '\n')
		if !bytes.HasPrefix(data, line) {
			return false
		}
		data = data[len(line):]
	}
	return len(events) > 0 && len(data) == 0
}

// decodeEvents reads the lines of a day. A line is exactly the canonical form of its event.
func decodeEvents(l *faultList, p string, data []byte) []catalog.HistoryEvent {
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	events := make([]catalog.HistoryEvent, len(lines))
	var form []byte
	for i, line := range lines {
		e := &events[i]
		if err := json.Unmarshal(line, e); err != nil {
			l.add(p, "line %d: %s; the history is written by almanac check -record and never by hand", i+1, plainJSONError(err))
			return nil
		}
		var err error
		if form, err = wirejson.Append(form[:0], e); err != nil || !bytes.Equal(line, bytes.TrimSpace(form)) {
			l.add(p, "line %d is not in canonical form; the history is written by almanac check -record and never by hand", i+1)
			return nil
		}
	}
	return events
}

func lintHistory(l *faultList, days []catalog.HistoryRecords) {
	added := make(set)
	for _, day := range days {
		at := linter{l, HistoryFile(day.Date), ""}
		at.date("the name", day.Date)
		for _, e := range day.Events {
			at.oneOf("change of "+e.Record, e.Change, catalog.HistoryChanges)
			if len(e.Members) == 0 {
				at.add("members of "+e.Record, "is empty; an event has at least one member")
			}
			if first := e.Change == "added"; first == added[e.Record] {
				at.add("change of "+e.Record, "%q: a record is added once, before all its other changes", e.Change)
			}
			added[e.Record] = true
		}
	}
}

// encodeEvents returns the lines of events.
func encodeEvents(events []catalog.HistoryEvent) []byte {
	var b []byte
	for _, e := range events {
		b = append(bytes.TrimSpace(wirejson.Must(wirejson.Append(b, e))), '\n')
	}
	return b
}
