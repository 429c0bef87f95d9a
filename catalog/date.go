package catalog

import (
	"fmt"
	"time"
)

// A Date is an ISO 8601 calendar date, YYYY-MM-DD (SPEC.md, "Resources and their fields").
// It is a string so that its JSON form and its schema are those of a string; Load checks that
// each one exists in the calendar. Dates of this form compare as strings in calendar order.
type Date string

// ParseDate reads a calendar date. A date that does not exist, such as 2026-02-30, is an error.
func ParseDate(s string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q is not a calendar date; write YYYY-MM-DD, for example 2026-11-21", s)
	}
	return Date(s), nil
}

// DateOf gives the UTC calendar date of t.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time gives midnight UTC of d, or the zero time when d is not a date.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}
