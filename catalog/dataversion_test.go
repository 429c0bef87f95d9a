package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// raisedBy has the part of the version that a change of a member raises, by the kind of change, the types of the old
// and the new value, and whether the member is an item of a list or a digest.
var raisedBy = map[string]string{
	"added null string":        "minor",
	"edited null string":       "patch",
	"edited null object":       "patch",
	"edited null array":        "patch",
	"edited array null item":   "patch",
	"edited null boolean":      "patch",
	"edited boolean boolean":   "patch",
	"edited boolean null":      "major",
	"edited null number":       "patch",
	"edited number number":     "patch",
	"edited string string":     "patch",
	"edited array array":       "patch",
	"edited object object":     "patch",
	"edited string null item":  "patch",
	"edited object null item":  "patch",
	"edited string null":       "major",
	"edited object null":       "major",
	"edited array null":        "major",
	"edited string array":      "major",
	"read-again null string":   "patch",
	"read-again string string": "patch",
}

// changed returns the key of raisedBy for a change of a member.
func changed(change string, m catalog.MemberChange) string {
	kind := func(text json.RawMessage) string {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return "invalid"
		}
		return map[string]string{"<nil>": "null", "string": "string", "bool": "boolean", "float64": "number", "map[string]interface {}": "object", "[]interface {}": "array"}[fmt.Sprintf("%T", v)]
	}
	key := strings.Join([]string{change, kind(m.Old), kind(m.New)}, " ")
	if (strings.Contains(m.Name, "[") || catalog.DigestMember(m.Name)) && strings.HasSuffix(key, " null") {
		key += " item"
	}
	return key
}

// versionsOf returns the versions and the changes of a history after its first day, as "1.1.0 minor".
func versionsOf(days ...[]catalog.HistoryEvent) (list []string) {
	days = append([][]catalog.HistoryEvent{{{Record: "mqtt-3", Change: "added"}}}, days...)
	var records []catalog.HistoryRecords
	for i, events := range days {
		records = append(records, catalog.HistoryRecords{Date: catalog.Date(fmt.Sprintf("2026-01-%02d", i+1)), Events: events})
	}
	for _, v := range catalog.New(catalog.Records{History: records}, catalog.Options{}).DataVersions() {
		list = append(list, strings.TrimSpace(v.Version+" "+v.Change))
	}
	return list
}

// TestDataVersions: each change of the recorded history raises the part of the version that its kind says, and the
// recorded days have their versions.
func TestDataVersions(t *testing.T) {
	c := realCatalog(t)
	days := slices.Clone(c.HistoryDays())
	slices.Reverse(days)
	for _, day := range days {
		for _, e := range c.HistoryEvents(day) {
			parts := []string{"patch"}
			for _, m := range e.Members {
				part, ok := raisedBy[changed(e.Change, m)]
				if !ok {
					t.Fatalf("%s %s: raisedBy has no %q", day, e.Record, changed(e.Change, m))
				}
				parts = append(parts, part)
			}
			want := catalog.VersionParts[slices.IndexFunc(catalog.VersionParts[:], func(p string) bool { return slices.Contains(parts, p) })]
			got := versionsOf([]catalog.HistoryEvent{e})
			if !strings.HasSuffix(got[1], want) {
				t.Errorf("%s %s (%s) gives %s, want a %s version", day, e.Record, e.Change, got[1], want)
			}
		}
	}
	want := []catalog.DataVersion{
		{Version: "1.0.0", Date: "2026-11-21"},
		{Version: "1.1.0", Date: "2026-11-22", Change: "minor"},
		{Version: "2.0.0", Date: "2026-11-23", Change: "major"},
	}
	if diff := cmp.Diff(want, c.DataVersions()[:len(want)]); diff != "" {
		t.Errorf("versions of the recorded history (-want +got):\n%s", diff)
	}
}

// TestVersionRules: a removed or retyped member raises the major version, a new record the minor one, anything else the
// patch.
func TestVersionRules(t *testing.T) {
	edit := func(name, old, next string) catalog.HistoryEvent {
		return catalog.HistoryEvent{Record: "protocol:x402", Change: "edited",
			Members: []catalog.MemberChange{{Name: name, Old: json.RawMessage(old), New: json.RawMessage(next)}}}
	}
	added := catalog.HistoryEvent{Record: "mqtt-5", Change: "added"}
	for name, tt := range map[string]struct {
		events []catalog.HistoryEvent
		want   string
	}{
		"a new record":                {[]catalog.HistoryEvent{added}, "1.1.0 minor"},
		"another text":                {[]catalog.HistoryEvent{edit("notes.value", `"a"`, `"b"`)}, "1.0.1 patch"},
		"a value that was unknown":    {[]catalog.HistoryEvent{edit("date_published", `null`, `"2026-01-01"`)}, "1.0.1 patch"},
		"a removed member":            {[]catalog.HistoryEvent{edit("notes.value", `"a"`, `null`)}, "2.0.0 major"},
		"a retyped member":            {[]catalog.HistoryEvent{edit("authors", `"a"`, `["a"]`)}, "2.0.0 major"},
		"retyped items":               {[]catalog.HistoryEvent{edit("networks.value", `["a"]`, `[{"name":"a"}]`)}, "2.0.0 major"},
		"a member less in an item":    {[]catalog.HistoryEvent{edit("steps[1]", `{"from":"a","to":"b"}`, `{"from":"a"}`)}, "2.0.0 major"},
		"a member null in an item":    {[]catalog.HistoryEvent{edit("steps[1]", `{"from":"a"}`, `{"from":null}`)}, "1.0.1 patch"},
		"an item less":                {[]catalog.HistoryEvent{edit("events[v0.1]", `{"version":"v0.1"}`, `null`)}, "1.0.1 patch"},
		"evidence withdrawn":          {[]catalog.HistoryEvent{edit("evidence[notes]", `"sha256:0"`, `null`)}, "1.0.1 patch"},
		"a new record and one broken": {[]catalog.HistoryEvent{added, edit("authors", `["a"]`, `null`)}, "2.0.0 major"},
	} {
		if got := versionsOf(tt.events); got[1] != tt.want {
			t.Errorf("%s: %s, want %s", name, got[1], tt.want)
		}
	}
	events := []catalog.HistoryEvent{added, edit("notes.value", `"a"`, `"b"`), edit("a", `"a"`, `null`)}
	got := versionsOf(events[:1], events[1:2], events[2:], events[:1])
	if diff := cmp.Diff([]string{"1.0.0", "1.1.0 minor", "1.1.1 patch", "2.0.0 major", "2.1.0 minor"}, got); diff != "" {
		t.Errorf("versions one after the other (-want +got):\n%s", diff)
	}
}
