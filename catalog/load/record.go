package load

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// A Version is one state of the curated files, for comparing it with another.
type Version struct {
	records map[string]flatRecord
	history []catalog.HistoryRecords
	checked map[string]catalog.Date // days of the last link checks, by entry
	tags    set                     // that entries carry
}

func newVersion(src *source) *Version {
	v := &Version{flatten(src), src.History, make(map[string]catalog.Date), newTargets(src).records["tag"]}
	for _, e := range src.Entries {
		v.checked[e.ID] = e.LastChecked
	}
	return v
}

// CheckHistory checks that the history of the new version records every change between the two, member by member, and
// no other; and that nothing that it recorded before is gone or different. It returns every breach at once, as Faults.
// A published day is closed from the day after the next, so that each place on earth can end its day.
func CheckHistory(old, new *Version, today catalog.Date) error {
	var faults Faults
	for _, day := range new.history {
		before := old.events(day.Date)
		if closed := len(before) > 0 && today != "" && day.Date < catalog.DateOf(today.Time().AddDate(0, 0, -1)); closed && len(day.Events) > len(before) {
			faults.add(HistoryFile(day.Date), "has lines that were added after the day was published; restore the file, and record the changes under %s", today)
		}
	}
	for _, day := range old.history {
		if now := new.events(day.Date); len(now) < len(day.Events) || !reflect.DeepEqual(day.Events, now[:len(day.Events)]) {
			faults.add(HistoryFile(day.Date), "has lost or changed lines that are published; the history only grows: restore the file")
		}
	}
	if len(faults) > 0 {
		return faults.err()
	}
	checkRead(&faults, old, new)
	recorded := recordedChanges(old, new)
	for _, id := range sortedKeys(new.records) {
		record := new.records[id]
		for _, c := range record.changes(old.records[id]) {
			if isLabel(c.Name) && (string(c.Old) == "null" || string(c.New) == "null") {
				delete(recorded[id], c.Name)
				continue // a tag that is new or gone is told by the entries that carry it
			}
			if m, ok := recorded[id][c.Name]; !ok || string(m.Old) != string(c.Old) || string(m.New) != string(c.New) {
				if _, was := old.records[id]; was || catalog.VerifiedMember(c.Name) {
					faults.add(record.file(c.Name), "%s: has changed and the history does not record it; run: almanac check -against OLD -record", c.Name)
				}
			}
			delete(recorded[id], c.Name)
		}
		for _, name := range sortedKeys(recorded[id]) {
			faults.add(record.file(name), "%s: the history records a change that the file does not have; correct the file and run: almanac check -against OLD -record", name)
		}
	}
	return faults.err()
}

// isLabel reports whether a member is the label of a tag, or the texts of the site as a whole.
func isLabel(name string) bool { return name == "site" || strings.HasPrefix(name, "tags[") }

// checkRead adds the facts whose values changed although nobody read their sources for it: their evidence is the same,
// or older than those of the published version.
func checkRead(faults *Faults, old, new *Version) {
	var published catalog.Date
	for _, d := range old.history {
		published = max(published, d.Date)
	}
	for _, id := range sortedKeys(new.records) {
		record, was := new.records[id], old.records[id]
		if kind, _ := catalog.HistoryRecord(id); kind != "protocol" || was.members == nil {
			continue
		}
		for _, m := range record.members {
			fact, isValue := strings.CutSuffix(m.name, ".value")
			if !isValue || was.value(m.name) == m.value {
				continue
			}
			evidence := evidenceName(fact)
			if record.value(evidence) == was.value(evidence) || record.member(evidence).read < published {
				faults.add(record.file(m.name), "%s: the value changed without a new reading; read the source and add what it says to %s, or restore the value",
					fact, record.file(evidence))
			}
		}
	}
}

// Record returns the lines that the history of the new version lacks to record every change since the old one, as the
// bytes of the file of a day. Without an old version, they cover every record that is new to the history. The result is
// nil when there is nothing to record.
func Record(old, new *Version, day catalog.Date) ([]byte, error) {
	old = cmp.Or(old, &Version{records: new.records, history: new.history})
	for _, d := range new.history {
		if d.Date > day {
			return nil, fmt.Errorf("the history has %s, which is after %s; a day can only be added at its end", d.Date, day)
		}
	}
	var unread Faults
	if checkRead(&unread, old, new); len(unread) > 0 {
		return nil, unread.err()
	}
	known := make(set)
	for _, d := range new.history {
		for _, e := range d.Events {
			known[e.Record] = true
		}
	}
	recorded := recordedChanges(old, new)
	var events []catalog.HistoryEvent
	for _, id := range sortedKeys(new.records) {
		record, was := new.records[id], old.records[id]
		if !known[id] {
			events = append(events, addedEvent(id, record, was))
			if len(was.members) == 0 {
				continue
			}
		}
		if members := unrecorded(record.changes(was), recorded[id]); len(members) > 0 {
			events = append(events, catalog.HistoryEvent{Record: id, Change: changeOf(members), Members: members})
		}
	}
	if len(events) == 0 {
		return nil, nil
	}
	return encodeEvents(append(new.events(day), events...)), nil
}

// addedEvent returns the first event of a record: the days on which it was read at first.
func addedEvent(id string, record, was flatRecord) catalog.HistoryEvent {
	if len(was.members) > 0 {
		record = was
	}
	e := catalog.HistoryEvent{Record: id, Change: "added"}
	for _, c := range record.changes(flatRecord{}) {
		if catalog.VerifiedMember(c.Name) {
			e.Members = append(e.Members, c)
		}
	}
	return e
}

// unrecorded returns the changes that the history does not record; of one that it records in part, the rest.
func unrecorded(changes []catalog.MemberChange, recorded map[string]catalog.MemberChange) []catalog.MemberChange {
	var list []catalog.MemberChange
	for _, c := range changes {
		if m, ok := recorded[c.Name]; ok {
			c.Old = m.New
		}
		if string(c.Old) != string(c.New) {
			list = append(list, c)
		}
	}
	return list
}

// changeOf returns the kind of a change: a record of which only the days differ was read again.
func changeOf(members []catalog.MemberChange) string {
	for _, m := range members {
		if !catalog.VerifiedMember(m.Name) && !strings.HasPrefix(m.Name, "evidence[") {
			return "edited"
		}
	}
	return "read-again"
}

// recordedChanges returns the changes that the history of the new version records beyond that of the old one: of each
// record each member, from its first value to its last.
func recordedChanges(old, new *Version) map[string]map[string]catalog.MemberChange {
	recorded := make(map[string]map[string]catalog.MemberChange)
	for _, day := range new.history {
		for _, e := range day.Events[min(len(old.events(day.Date)), len(day.Events)):] {
			if e.Change == "added" && len(old.records[e.Record].members) > 0 {
				continue // the history begins after the record
			}
			if recorded[e.Record] == nil {
				recorded[e.Record] = make(map[string]catalog.MemberChange)
			}
			for _, m := range e.Members {
				if before, ok := recorded[e.Record][m.Name]; ok {
					m.Old = before.Old
				}
				recorded[e.Record][m.Name] = m
			}
		}
	}
	for _, members := range recorded {
		maps.DeleteFunc(members, func(_ string, m catalog.MemberChange) bool { return string(m.Old) == string(m.New) })
	}
	return recorded
}

// events returns the events of a day.
func (v *Version) events(day catalog.Date) []catalog.HistoryEvent {
	for _, d := range v.history {
		if d.Date == day {
			return slices.Clone(d.Events)
		}
	}
	return nil
}
