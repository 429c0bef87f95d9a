package load

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// historyFiles are the days of the history, each line an event. They are written by almanac check -record.
const historyFiles = "history/*.jsonl"

// HistoryFile returns the path of a day's history among the curated files.
func HistoryFile(d catalog.Date) string { return "history/" + string(d) + ".jsonl" }

// readHistory reads every day of the history.
func readHistory(r *reader) (days []catalog.HistoryRecords) {
	for _, p := range r.matches(historyFiles) {
		if data, ok := r.read(p); ok {
			day := catalog.Date(strings.TrimSuffix(path.Base(p), ".jsonl"))
			if events := r.decodeEvents(p, data); events != nil {
				days = append(days, catalog.HistoryRecords{Date: day, Events: events})
			}
		}
	}
	return days
}

// decodeEvents reads the lines of a day. A line is exactly the canonical form of its event.
func (r *reader) decodeEvents(p string, data []byte) []catalog.HistoryEvent {
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	events := make([]catalog.HistoryEvent, len(lines))
	var form []byte
	for i, line := range lines {
		e := &events[i]
		if err := r.decode(line, e); err != nil {
			r.faults.add(p, "line %d: %s; the history is written by almanac check -record and never by hand", i+1, plainJSONError(err))
			return nil
		}
		e.Members = slices.Clone(e.Members) // the decoder leaves room for more
		if r.judged {
			continue
		}
		var err error
		if form, err = wirejson.Append(form[:0], e); err != nil || !bytes.Equal(line, bytes.TrimSpace(form)) {
			r.faults.add(p, "line %d is not in canonical form; the history is written by almanac check -record and never by hand", i+1)
			return nil
		}
	}
	return events
}

func lintHistory(src *source, _ *targets) {
	added := make(set)
	for _, day := range src.History {
		at := linter{src.faults, HistoryFile(day.Date), ""}
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

// Check checks the history beside the records, and that no day is after today. It returns every breach at once, as
// Faults.
func (v *Version) Check(today catalog.Date) error {
	var faults Faults
	checkNewest(&faults, v)
	checkDays(&faults, v, today)
	return faults.err()
}

// checkNewest adds the members of records that have another value than the newest which the history records of them. So
// a change that is not recorded is found without an older version beside it, if the history knows the member, as it
// does the days of every record.
func checkNewest(faults *Faults, v *Version) {
	newest := make(map[string]map[string]string)
	for _, day := range v.history {
		for _, e := range day.Events {
			if newest[e.Record] == nil {
				newest[e.Record] = make(map[string]string)
			}
			for _, m := range e.Members {
				newest[e.Record][m.Name] = string(m.New)
			}
		}
	}
	for _, id := range sortedKeys(v.records) {
		record, now := v.records[id], make(map[string]string)
		for _, m := range record.changes(flatRecord{}) {
			now[m.Name] = string(m.New)
		}
		for _, name := range sortedKeys(newest[id]) {
			if record.path == withdrawnFile && name != withdrawnMember {
				continue // the history keeps them, and the record has no other member
			}
			if was, is := newest[id][name], now[name]; was != is && (was != "null" || is != "") {
				faults.add(record.file(name), "%s: is %.80s, and the history has %.80s as its newest value; run: almanac check -against OLD -record", name, is, was)
			}
		}
	}
}

// checkDays adds the days after today that records or the history state: nobody has read, checked or changed anything
// on them.
func checkDays(faults *Faults, v *Version, today catalog.Date) {
	for _, day := range v.history {
		if day.Date > today {
			faults.add(HistoryFile(day.Date), "is after today, %s; record the changes under the day on which they are made", today)
		}
	}
	for _, id := range sortedKeys(v.records) {
		record := v.records[id]
		for _, m := range record.members {
			day := m.read
			if catalog.VerifiedMember(m.name) {
				day = catalog.Date(strings.Trim(m.value, `"`))
			}
			if day > today {
				faults.add(record.file(m.name), "%s: %s is after today, %s; write the day of the reading", m.name, day, today)
			}
		}
	}
}
