package load

import (
	"strings"

	"almanac/catalog"
)

// CheckNewest checks that the newest value which the history records of a member is the one that the record has. So a change that is not
// recorded is found without an older version beside it, if the history knows the member, as it does the days of every record. It returns
// every breach at once, as Faults.
func (v *Version) CheckNewest() error {
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
	var l faultList
	for _, id := range sortedKeys(v.records) {
		record, now := v.records[id], make(map[string]string)
		for _, m := range record.changes(flatRecord{}) {
			now[m.Name] = string(m.New)
		}
		for _, name := range sortedKeys(newest[id]) {
			if was, is := newest[id][name], now[name]; was != is && (was != "null" || is != "") {
				l.add(record.file(name), "%s: is %.80s, and the history has %.80s as its newest value; run: almanac check -against OLD -record", name, is, was)
			}
		}
	}
	return l.err()
}

// CheckDays returns the days after today that records or the history state, as Faults: nobody has read, checked or changed anything on them.
func (v *Version) CheckDays(today catalog.Date) error {
	var l faultList
	for _, day := range v.history {
		if day.Date > today {
			l.add(HistoryFile(day.Date), "is after today, %s; record the changes under the day on which they are made", today)
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
				l.add(record.file(m.name), "%s: %s is after today, %s; write the day of the reading", m.name, day, today)
			}
		}
	}
	return l.err()
}
