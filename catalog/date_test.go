package catalog_test

import (
	"testing"
	"time"

	"go.almanac.example/catalog"
)

func TestDates(t *testing.T) {
	for s, ok := range map[string]bool{
		"2026-11-21": true, "2024-02-29": true, "2026-02-29": false, "2026-02-30": false, "2026-13-01": false,
		"2026-11-1": false, "26-11-21": false, "2026-11-21T00:00:00Z": false, "": false, "today": false,
	} {
		if d, err := catalog.ParseDate(s); (err == nil) != ok || ok && string(d) != s {
			t.Errorf("%q: %q, %v", s, d, err)
		}
	}
	late := time.Date(2026, 11, 21, 23, 30, 0, 0, time.FixedZone("", -3600))
	if got := catalog.DateOf(late); got != "2026-11-22" {
		t.Errorf("the day of %v is %s, want the day in UTC", late, got)
	}
	if got := catalog.Date("2026-11-21").Time(); !got.Equal(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("time of a date: %v", got)
	}
	if !catalog.Date("nonsense").Time().IsZero() {
		t.Error("what is not a date has a time")
	}
}
