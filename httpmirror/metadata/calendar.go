package metadata

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"almanac/catalog"
)

// calendarLine is the most octets of a line of iCalendar (RFC 5545, section 3.1).
const calendarLine = 75

// calendarText escapes the characters that have a meaning in the texts of iCalendar (RFC 5545, section 3.3.11).
var calendarText = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`)

// ICalendar returns the calendar as iCalendar (RFC 5545): an event of a whole day for each entry. Its UID is that of
// the statement, at any address of the site, so that a date that moves is not a second event; DTSTAMP is the day of the
// reading.
func (r *Renderer) ICalendar(d *catalog.CalendarDocument) []byte {
	var b bytes.Buffer
	site := calendarText.Replace(r.cat.Identity().Name)
	for _, l := range [][2]string{
		{"BEGIN", "VCALENDAR"}, {"VERSION", "2.0"}, {"PRODID", "-//" + site + "//calendar//EN"},
		{"NAME", site + ": calendar"}, {"X-WR-CALNAME", site + ": calendar"},
		{"SOURCE;VALUE=URI", d.ICSURL}, {"URL", d.HTMLURL}, {"REFRESH-INTERVAL;VALUE=DURATION", "P1D"},
	} {
		writeCalendarLine(&b, l[0], l[1])
	}
	for _, e := range d.Entries {
		id := uuid.NewSHA1(feedNamespace, []byte(catalog.StatementPath(e.Record, e.Statement)))
		for _, l := range [][2]string{
			{"BEGIN", "VEVENT"}, {"UID", id.String()}, {"DTSTAMP", calendarDay(e.Reading.ReadAt) + "T000000Z"},
			{"DTSTART;VALUE=DATE", calendarDay(e.Date)}, {"SUMMARY", calendarText.Replace(e.Title + ": " + e.Kind)},
			{"DESCRIPTION", calendarText.Replace(e.Text + "\n\nSource: " + e.Reading.URL)}, {"URL", e.URL},
			{"CATEGORIES", strings.ToUpper(e.Kind)}, {"TRANSP", "TRANSPARENT"}, {"END", "VEVENT"},
		} {
			writeCalendarLine(&b, l[0], l[1])
		}
	}
	writeCalendarLine(&b, "END", "VCALENDAR")
	return b.Bytes()
}

// calendarDay returns a day as iCalendar writes it: 20270313.
func calendarDay(d catalog.Date) string { return strings.ReplaceAll(string(d), "-", "") }

// writeCalendarLine writes a property, folded between characters so that no line is longer than calendarLine octets.
func writeCalendarLine(b *bytes.Buffer, name, value string) {
	line, limit := name+":"+value, calendarLine
	for len(line) > limit {
		cut := limit
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		b.WriteString(line[:cut] + "\r\n ")
		line, limit = line[cut:], calendarLine-1 // of which the space is one
	}
	b.WriteString(line + "\r\n")
}
