package catalog

import (
	"fmt"
	"time"
)

// A Date is an ISO 8601 calendar date, YYYY-MM-DD. It is a string so that its JSON form and its schema are those of a
// string. Dates compare as strings in calendar order; "" stands for an unknown date and comes before all others.
type Date string

// ParseDate reads a calendar date. A date that does not exist, such as 2026-02-30, is an error.
func ParseDate(s string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q is not a calendar date; write YYYY-MM-DD, for example 2026-11-21", s)
	}
	return Date(s), nil
}

// DateOf returns the calendar date of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time returns midnight UTC of d, or the zero time when d is not a date.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// orEmpty returns the string that s points to, or "" when it is unknown.
func orEmpty[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}
