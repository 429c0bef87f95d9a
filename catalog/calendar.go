package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A CalendarDate is the day of which a statement tells, and the change on that day.
type CalendarDate struct {
	Date Date   `json:"date"`
	Kind string `json:"kind" form:"calendar"` // one of CalendarKinds
}

// CalendarKinds are the changes of the calendar; fixtures/README.md has their meanings.
var CalendarKinds = []string{"applies", "closes", "ends", "expires", "starts"}

// A CalendarDocument is the days on which something expires, applies, closes, starts or ends, the earliest first.
type CalendarDocument struct {
	Head
	AsOf    Date            `json:"as_of"` // the newest day of the catalogue; later days are upcoming
	ICSURL  string          `json:"ics_url"`
	HTMLURL string          `json:"html_url"`
	Count   int             `json:"count"`
	Entries []CalendarEntry `json:"entries"`
}

// A CalendarEntry is a day of the calendar, with the statement that tells of it.
type CalendarEntry struct {
	CalendarDate
	Record    string         `json:"record"`    // id of the library entry
	Statement string         `json:"statement"` // id of its statement
	Title     string         `json:"title"`     // of the library entry
	Text      string         `json:"text"`
	URL       string         `json:"url"` // of the statement on the page of its entry
	Reading   ClassedReading `json:"reading"`
}

// HasCalendar reports whether a statement tells of a day.
func (c *Catalog) HasCalendar() bool {
	for _, statements := range c.statements {
		if slices.ContainsFunc(statements, func(s Statement) bool { return s.Calendar != nil }) {
			return true
		}
	}
	return false
}

// CalendarDay returns the newest day of the catalogue, which separates the upcoming days of the calendar from the past.
func (c *Catalog) CalendarDay() Date { return c.newest }

// Calendar returns the document of the calendar.
func (c *Catalog) Calendar() *CalendarDocument {
	doc := &CalendarDocument{
		Head: c.head("calendar", c.newest), AsOf: c.newest,
		ICSURL: c.Site().URL(CalendarICSPath), HTMLURL: c.Site().URL(CalendarPath), Entries: []CalendarEntry{},
	}
	for _, e := range c.records.Entries {
		for _, s := range c.Statements(e.ID) {
			if s.Calendar == nil {
				continue
			}
			names := func(r SourceReading) bool { return r.Holds && NamesDate(r.Quote, s.Calendar.Date) }
			naming := slices.IndexFunc(s.Readings, names)
			reading := s.Readings[max(naming, 0)]
			doc.Entries = append(doc.Entries, CalendarEntry{
				*s.Calendar, e.ID, s.ID, e.Title, s.Text, c.Site().URL(StatementPath(e.ID, s.ID)),
				ClassedReading{reading, c.records.Sites.Class(e.URL, reading)},
			})
		}
	}
	slices.SortStableFunc(doc.Entries, func(a, b CalendarEntry) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Statement, b.Statement))
	})
	doc.Count = len(doc.Entries)
	return doc
}

// Upcoming returns the entries after AsOf, the earliest first, and the others, the latest first.
func (d *CalendarDocument) Upcoming() (upcoming, past []CalendarEntry) {
	at := len(d.Entries)
	for at > 0 && d.Entries[at-1].Date > d.AsOf {
		at--
	}
	past = slices.Clone(d.Entries[:at])
	slices.Reverse(past)
	return d.Entries[at:], past
}

// datePunctuation matches the commas of a date, and the endings of its ordinals.
var datePunctuation = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b|,`)

// NamesDate reports whether a text in English names a day: 2026-08-02, 2 August 2026, August 2nd, 2026, or with the
// month in three letters. Of numbers in another order it accepts 26/03/2027, whose first can only be the day.
func NamesDate(text string, d Date) bool {
	plain := strings.Join(strings.Fields(datePunctuation.ReplaceAllString(strings.ToLower(text), "$1 ")), " ")
	t := d.Time()
	month := strings.ToLower(t.Month().String())
	forms := `%[1]d-%02[2]d-%02[3]d|%[1]d-%[2]d-%[3]d|0?%[3]d\.? (%[4]s|%.3[4]s\.?) %[1]d|(%[4]s|%.3[4]s\.?) 0?%[3]d %[1]d`
	if t.Day() > 12 {
		forms += `|%[3]d[./]0?%[2]d[./]%[1]d`
	}
	pattern := fmt.Sprintf(`(^|[^\d-])(`+forms+`)($|[^\d])`, t.Year(), t.Month(), t.Day(), month)
	named, err := regexp.MatchString(pattern, plain)
	return err == nil && named
}
