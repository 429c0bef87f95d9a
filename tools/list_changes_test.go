package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// A changed is what list_changes answers.
type changed struct {
	Total      int
	Counts     map[string]int
	Note       string
	Entries    []change
	NextCursor string `json:"next_cursor"`
}

// allChanges reads every page of list_changes.
func allChanges(t *testing.T, tools *Tools, arguments string) (all changed) {
	t.Helper()
	for cursor := ""; ; {
		a := tools.CallFree(t.Context(), "list_changes", []byte(`{"limit":50,"cursor":"`+cursor+`"`+strings.Replace(arguments, "{", ",", 1)))
		var page changed
		if a == nil || a.Failed || json.Unmarshal(a.structured, &page) != nil {
			t.Fatalf("%s: %s", arguments, a.text)
		}
		page.Entries = append(all.Entries, page.Entries...)
		if all = page; page.NextCursor == "" {
			return all
		}
		cursor = page.NextCursor
	}
}

// everyChange selects all kinds of change.
const everyChange = `"change":["news","release","published","calendar","fact","added","correction","wording","upkeep","reading"]`

// TestListChanges: every edited member of the history is listed with what it was and is, and no other; releases, facts and new records are
// listed unless others are asked for, and the note counts what is left out.
func TestListChanges(t *testing.T) {
	tools := over(t)
	got := allChanges(t, tools, `{"since":"2026-11-01",`+everyChange+`}`)
	if len(got.Entries) != got.Total || got.Counts[changeFact] == 0 || got.Counts[changeAdded] == 0 {
		t.Fatalf("%d of %d, %v", len(got.Entries), got.Total, got.Counts)
	}
	listed := make(map[string]bool)
	for _, ch := range got.Entries {
		day := ch.Date
		if ch.Change == changeFact && ch.DateIs == dayHappened { // the value names the day
			day = ""
		}
		listed[string(day)+ch.Record+ch.Member] = true
		if event := slices.Contains(changeKinds[:3], ch.Change) || day == ""; event != (ch.DateIs == dayHappened) || ch.DateIs == "" {
			t.Errorf("%s %s of %s: the day is %q", ch.Change, ch.Record, ch.Date, ch.DateIs)
		}
		if ch.Change == changeReading && ch.Member != "" || strings.HasSuffix(ch.Member, "verified_at") {
			t.Errorf("a reading is an edit: %+v", ch)
		}
		if len(ch.Was) > 3*maxChanged || len(ch.Is) > 3*maxChanged {
			t.Errorf("%s %s takes %d and %d bytes", ch.Record, ch.Member, len(ch.Was), len(ch.Is))
		}
		if ch.Change == changeFact && (ch.Source == "" || string(ch.Was) == "null") {
			t.Errorf("%s %s did not change at its source", ch.Record, ch.Member)
		}
		if ch.Member != "" && !catalog.DigestMember(ch.Member) && string(ch.Was) == string(ch.Is) {
			t.Errorf("%s %s: no difference is shown in %s", ch.Record, ch.Member, ch.Was)
		}
	}
	for _, day := range tools.catalog.HistoryDays() {
		for _, e := range tools.catalog.HistoryEvents(day) {
			for _, m := range e.Members {
				if e.Change == "edited" && !strings.HasPrefix(m.Name, "evidence[") && !strings.HasSuffix(m.Name, "verified_at") && m.Name != "updated" &&
					!listed[string(day)+e.Record+m.Name] && !listed[string(day)+e.Record] && !listed[e.Record+m.Name] {
					t.Errorf("%s of %s is not listed", m.Name, e.Record)
				}
			}
		}
	}
	some := allChanges(t, tools, `{"since":"2026-11-01"}`)
	n := 0
	for _, kind := range reported {
		n += some.Counts[kind]
	}
	if some.Total != n || !slices.Contains(reported, some.Entries[0].Change) ||
		!strings.Contains(some.Note, changeWording) || some.Counts[changeWording] == 0 {
		t.Errorf("%d of %d are listed: %s", some.Total, n, some.Note)
	}
}

// TestChangesAreFiltered: a record, a kind, a category, a kind of change and a span select changes.
func TestChangesAreFiltered(t *testing.T) {
	tools := over(t)
	about := allChanges(t, tools, `{"record":"x402","since":"2026-02-01"}`).Entries
	for _, ch := range about {
		e, tagged := tools.catalog.Entry(ch.Record)
		if tagged = tagged && slices.Contains(e.Tags, "x402"); !strings.HasSuffix(ch.Record, ":x402") && ch.Change != changeNews && !tagged {
			t.Errorf("%+v is not about x402", ch)
		}
	}
	edits := slices.IndexFunc(about, func(ch change) bool { return ch.DateIs != dayHappened })
	if edits < 5 || slices.ContainsFunc(about[edits:], func(ch change) bool { return ch.Change == changePublished }) {
		t.Errorf("of x402, %d events come before the edits", edits)
	}
	for _, ch := range allChanges(t, tools, `{"record":"mqtt-5"}`).Entries { // a record, and no tag
		if ch.Record != "mqtt-5" {
			t.Errorf("%+v is not mqtt-5", ch)
		}
	}
	if month, days := allChanges(t, tools, `{"since":"2026-11","until":"November 2026"}`), allChanges(t, tools, `{"since":"2026-11-01","until":"2026-11-30"}`); month.Total != days.Total {
		t.Errorf("%d changes in November, and %d on its days", month.Total, days.Total)
	}
	for _, ch := range allChanges(t, tools, `{"kind":"Dataset","since":"2026-11-22","until":"2026-11-22"}`).Entries {
		if !strings.HasPrefix(ch.Record, "dataset:") || ch.Date != "2026-11-22" {
			t.Errorf("%+v is not of a dataset on the day", ch)
		}
	}
	added := allChanges(t, tools, `{"since":"2026-11-01","category":"iot","change":"added"}`)
	for _, ch := range added.Entries {
		if e, ok := tools.catalog.Entry(ch.Record); !ok || e.Category != "iot" || ch.Change != changeAdded {
			t.Errorf("%+v is not an entry of the category", ch)
		}
	}
	if len(added.Entries) == 0 {
		t.Error("no entry of the category was ever added")
	}
	for _, ch := range allChanges(t, tools, `{"since":"2026-01-01","tag":"mcp"}`).Entries {
		if e, ok := tools.catalog.Entry(ch.Record); ch.Change != changeNews && (!ok || !slices.Contains(e.Tags, "mcp")) {
			t.Errorf("%+v has not the tag", ch)
		}
	}
	digest := ask[pageAnswer](t, tools, "list_changes", `{"since":"2026-01-01"}`)
	if n := len(digest.Digest); n == 0 || n > 6*maxDigest || len(digest.Entries) > 0 || digest.Total <= n {
		t.Errorf("the digest of a year is %+v", digest)
	}
	alone := ask[pageAnswer](t, tools, "list_changes", `{"since":"2026-11-01","category":"iot","kind":"entry"}`).Digest
	if last := alone[len(alone)-1]; len(alone) < maxDigest || !strings.HasPrefix(last, "added: ") || !strings.Contains(alone[len(alone)-2], " added ") {
		t.Errorf("a digest of little but what was added does not fill up with it: %q", alone)
	}
	if n := ask[pageAnswer](t, tools, "list_changes", `{"since":"2026-01-01","readings":"true"}`).Total; n <= digest.Total {
		t.Errorf("with readings there are %d changes, and %d without", n, digest.Total)
	}
	ahead := allChanges(t, tools, `{"since":"2027-01-01"}`) // days to come
	for i, ch := range ahead.Entries {
		if ch.Change != changeCalendar || !slices.Contains(catalog.CalendarKinds, ch.DateIs) || ch.Source == "" || i > 0 && ch.Date < ahead.Entries[i-1].Date {
			t.Errorf("%+v is not the next day of the calendar", ch)
		}
	}
	if len(ahead.Entries) < 5 {
		t.Errorf("%d days are ahead", len(ahead.Entries))
	}
	reading := catalog.HistoryEvent{Record: "lnd", Change: "edited", Members: []catalog.MemberChange{{Name: "verified_at"}}}
	if list := changesOf("2026-11-22", &reading); len(list) != 1 || list[0].Change != changeReading {
		t.Errorf("another day of reading is %+v", list)
	}
	release := catalog.HistoryEvent{Record: "profile:l402", Change: "edited", Members: []catalog.MemberChange{
		{Name: "latest_release.value", Old: encode("v1"), New: encode("v2, 2026-11-05")},
		{Name: "latest_release.source", Old: encode("https://a.example/"), New: encode("https://b.example/")},
	}}
	if got := changesOf("2026-11-22", &release)[0]; got.Date != "2026-11-05" || got.DateIs != dayHappened || got.day != "2026-11-22" {
		t.Errorf("a release that names its day is %+v", got)
	}
	for arguments, want := range map[string]string{
		`{"since":"2026-11-22","until":"2026-11-01"}`: "Swap them", `{"kind":["prose"]}`: "does not exist",
		`{"record":"x4o2","since":"2026-11-01"}`: `no record "x4o2" (did you mean "x402"`, `{"record":"protocol:l40"}`: `"protocol:l402"`, `{"record":"zzzzzzzz"}`: "search finds ids",
	} {
		if a := tools.CallFree(t.Context(), "list_changes", []byte(arguments)); !a.Failed || !strings.Contains(a.text, want) {
			t.Errorf("%s: %s", arguments, a.text)
		}
	}
}

// TestDifference: of lists the items that only one has are shown, of long texts the part that differs.
func TestDifference(t *testing.T) {
	long := strings.Repeat("the same words ", 40)
	for _, c := range []struct{ was, is, wantWas, wantIs string }{
		{`"a"`, `"b"`, `"a"`, `"b"`},
		{`null`, `"b"`, `null`, `"b"`},
		{`[{"n":1},{"n":2}]`, `[{"n":2},{"n":3}]`, `[{"n":1}]`, `[{"n":3}]`},
	} {
		was, is := difference(json.RawMessage(c.was), json.RawMessage(c.is))
		if string(was) != c.wantWas || string(is) != c.wantIs {
			t.Errorf("%s and %s differ by %s and %s", c.was, c.is, was, is)
		}
	}
	was, is := difference(encode(long+"old end"), encode(long+"new end"))
	if !strings.Contains(string(was), "old end") || !strings.Contains(string(is), "new end") || len(was) > 2*maxChanged {
		t.Errorf("%s and %s", was, is)
	}
}

// TestChangesOfRecords: every record of the history can be asked for, also by its id alone, and an entry with its kind.
func TestChangesOfRecords(t *testing.T) {
	tools := over(t)
	for _, pathID := range tools.catalog.HistoryRecordIDs() {
		record := catalog.HistoryPathRecord(pathID)
		kind, id := catalog.HistoryRecord(record)
		for _, name := range []string{record, strings.ToUpper(id), kind + ":" + id} {
			a := tools.CallFree(t.Context(), "list_changes", []byte(`{`+everyChange+`,"limit":50,"record":`+quoted(name)+`}`))
			if a.Failed || !strings.Contains(a.text, `{"date":"20`) || !strings.Contains(a.text, id) {
				t.Errorf("%s: %.300s", name, a.text)
			}
		}
	}
}
