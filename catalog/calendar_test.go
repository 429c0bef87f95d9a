package catalog_test

import (
	"testing"

	"go.almanac.example/catalog"
)

// TestNamesDate: a day is named with its year and its month in words, or in the order of ISO 8601; nothing else is the same day.
func TestNamesDate(t *testing.T) {
	const day = catalog.Date("2026-08-02")
	for text, want := range map[string]bool{
		"applies from 2026-08-02.":                  true,
		`crEnd: "2026-8-2",`:                        true,
		"shall apply from 2 August 2026":            true,
		"by 02 Aug 2026 at the latest":              true,
		"by Aug. 2, 2026":                           true,
		"on August 2, 2026":                         true,
		"on August 2nd, 2026, and later":            true,
		"the 2nd August 2026":                       true,
		"<<NOTE: AUGUST 2, 2026 - [S. 1582]>>":      true,
		"from 12 August 2026":                       false,
		"from 22 August 2026":                       false,
		"2 August 20261":                            false,
		"12026-08-02":                               false,
		"2026-08-021":                               false,
		"from 2 August 2025, and later 2026":        false,
		"August 2026":                               false,
		"on 02/08/2026, which may be in February":   false,
		"on 26/08/2026":                             false,
		"on 2.8.2026":                               false,
		"Chapters I and II from 2 February 2026 on": false,
	} {
		if got := catalog.NamesDate(text, day); got != want {
			t.Errorf("NamesDate(%q) = %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"until 31 May 2027", "article 13 paragraph 4 | 31/05/2027", "31.05.2027"} {
		if !catalog.NamesDate(text, "2027-05-31") {
			t.Errorf("%q does not name 31 May 2027", text)
		}
	}
}

// TestCalendarIsComplete: every statement that has a day is in the calendar once, in the order of the days, with a reading that
// names the day and is of the source; the days after the newest of the data are upcoming.
func TestCalendarIsComplete(t *testing.T) {
	c := realCatalog(t)
	want := make(map[string]catalog.Date)
	for _, id := range c.StatementIDs() {
		for _, s := range c.Statements(id) {
			if s.Calendar != nil {
				want[id+"#"+s.ID] = s.Calendar.Date
			}
		}
	}
	doc := c.Calendar()
	if doc.Count != len(doc.Entries) || doc.Count != len(want) {
		t.Fatalf("count %d, %d entries, %d statements with a day", doc.Count, len(doc.Entries), len(want))
	}
	var before catalog.Date
	for _, e := range doc.Entries {
		key := e.Record + "#" + e.Statement
		if e.Date != want[key] || e.Date < before {
			t.Errorf("%s is on %s after %s, want %s", key, e.Date, before, want[key])
		}
		if !e.Reading.Holds || e.Reading.Class == catalog.ClassThirdParty || !catalog.NamesDate(e.Reading.Quote, e.Date) || !catalog.NamesDate(e.Text, e.Date) {
			t.Errorf("%s: the reading %+v or the text %q does not show %s", key, e.Reading, e.Text, e.Date)
		}
		delete(want, key)
		before = e.Date
	}
	upcoming, past := doc.Upcoming()
	if len(upcoming)+len(past) != doc.Count || len(upcoming) == 0 || upcoming[0].Date <= doc.AsOf || past[0].Date > doc.AsOf {
		t.Errorf("as of %s: %d upcoming, %d past", doc.AsOf, len(upcoming), len(past))
	}
}
