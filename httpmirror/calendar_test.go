package httpmirror

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
)

// A calendarProperty is a property of iCalendar, unfolded and unescaped.
type calendarProperty struct{ name, parameters, value string }

// readCalendar reads the calendar of a mirror as strictly as RFC 5545 is written, and returns the properties of the
// calendar itself and of its events.
func readCalendar(t *testing.T, m *Mirror) (head []calendarProperty, events [][]calendarProperty) {
	t.Helper()
	f, ok := m.File(catalog.CalendarICSPath)
	if !ok || !bytes.HasSuffix(f.Body, []byte("\r\n")) || !utf8.Valid(f.Body) {
		t.Fatalf("there is no %s, or it does not end a line, or it is not UTF-8", catalog.CalendarICSPath)
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(f.Body), "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n\x00") || !utf8.ValidString(line) {
			t.Errorf("the line %q has %d octets, or is broken within a character", line, len(line))
		}
		if rest, folded := strings.CutPrefix(line, " "); folded {
			lines[len(lines)-1] += rest
		} else {
			lines = append(lines, line)
		}
	}
	var open []string
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, parameters, _ := strings.Cut(name, ";")
		p := calendarProperty{name, parameters, strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\;`, ";", `\,`, ",").Replace(value)}
		switch {
		case !ok || name == "" || name != strings.ToUpper(name):
			t.Errorf("the line %q is not a property", line)
		case name == "BEGIN":
			if open = append(open, value); value == "VEVENT" {
				events = append(events, nil)
			}
		case name == "END":
			if len(open) == 0 || open[len(open)-1] != value {
				t.Fatalf("%s ends within %v", value, open)
			}
			open = open[:len(open)-1]
		case len(open) == 1:
			head = append(head, p)
		default:
			events[len(events)-1] = append(events[len(events)-1], p)
		}
	}
	if len(open) > 0 {
		t.Errorf("%v does not end", open)
	}
	return head, events
}

// TestCalendarEvents: an event of a whole day for each entry of the calendar, with what RFC 5545 requires of it, and a
// UID that no other has and that is the same at every address of the site.
func TestCalendarEvents(t *testing.T) {
	m := realMirror(t)
	head, events := readCalendar(t, m)
	for _, want := range []string{"VERSION", "PRODID"} {
		n := 0
		for _, p := range head {
			if p.name == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the calendar has %s %d times", want, n)
		}
	}
	entries := m.cat.Calendar().Entries
	if len(events) != len(entries) || len(entries) < 40 {
		t.Fatalf("%d events for %d entries", len(events), len(entries))
	}
	var uids []string
	for i, properties := range events {
		e, got := entries[i], make(map[string]string)
		for _, p := range properties {
			if _, twice := got[p.name]; twice {
				t.Errorf("event %d has %s twice", i, p.name)
			}
			got[p.name] = p.parameters + ":" + p.value
		}
		want := map[string]string{
			"DTSTART":     "VALUE=DATE:" + strings.ReplaceAll(string(e.Date), "-", ""),
			"DTSTAMP":     ":" + strings.ReplaceAll(string(e.Reading.ReadAt), "-", "") + "T000000Z",
			"SUMMARY":     ":" + e.Title + ": " + e.Kind,
			"DESCRIPTION": ":" + e.Text + "\n\nSource: " + e.Reading.URL,
			"URL":         ":" + e.URL, "CATEGORIES": ":" + strings.ToUpper(e.Kind), "TRANSP": ":TRANSPARENT", "UID": got["UID"],
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("event %d (-want +got):\n%s", i, diff)
		}
		if _, err := uuid.Parse(strings.TrimPrefix(got["UID"], ":")); err != nil {
			t.Errorf("the UID %q: %v", got["UID"], err)
		}
		uids = append(uids, got["UID"])
	}
	seen := make(map[string]bool)
	for _, uid := range uids {
		if seen[uid] {
			t.Errorf("two events have the UID %s", uid)
		}
		seen[uid] = true
	}
	const base = "https://other.example"
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.Site{Base: base, API: base, MCP: base}, GeneratedAt: testTime})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, elsewhere := readCalendar(t, other)
	for i, properties := range elsewhere {
		if got := ":" + properties[0].value; properties[0].name != "UID" || got != uids[i] {
			t.Errorf("event %d at another address has %v, want the UID %s", i, properties[0], uids[i])
		}
	}
}
