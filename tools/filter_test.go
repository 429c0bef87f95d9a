package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// listed returns the entries that list_entries lists.
func listed(t *testing.T, tools *Tools, arguments string) (entries []catalog.Entry, total int) {
	t.Helper()
	a, err := tools.call(context.Background(), "list_entries", json.RawMessage(arguments))
	if err != nil || a.Failed {
		t.Fatalf("%s: %v %s", arguments, err, a.text)
	}
	var out struct {
		Total   int
		Entries []catalog.Entry
	}
	if err := json.Unmarshal(a.structured, &out); err != nil {
		t.Fatal(err)
	}
	for i := range out.Entries { // of which a list has a part
		e, _ := tools.catalog.Entry(out.Entries[i].ID)
		out.Entries[i] = *e
	}
	return out.Entries, out.Total
}

// TestListEntriesFilters: each filter keeps exactly the entries that have it.
func TestListEntriesFilters(t *testing.T) {
	tools := over(t)
	for arguments, has := range map[string]func(catalog.Entry) bool{
		`{"limit":50,"tag":["l402","lightning"]}`: func(e catalog.Entry) bool {
			return slices.Contains(e.Tags, "l402") && slices.Contains(e.Tags, "lightning")
		},
		`{"limit":50,"tag":"l402"}`:                                   func(e catalog.Entry) bool { return slices.Contains(e.Tags, "l402") },
		`{"limit":50,"tag":"#L402 ","type":"all","category":["any"]}`: func(e catalog.Entry) bool { return slices.Contains(e.Tags, "l402") },
		`{"limit":50,"publisher":"ietf"}`:                             func(e catalog.Entry) bool { return strings.Contains(strings.ToLower(e.Publisher), "ietf") },
		`{"limit":50,"category":"payments","tag":["x402"]}`:           func(e catalog.Entry) bool { return e.Category == "payments" && slices.Contains(e.Tags, "x402") },
		`{"limit":50,"sort":"newest","type":"spec","published_from":"2026-01-01"}`: func(e catalog.Entry) bool {
			return e.Type == "spec" && e.Published() >= "2026-01-01"
		},
	} {
		want := 0
		for _, e := range tools.catalog.Entries() {
			if has(*e) {
				want++
			}
		}
		entries, total := listed(t, tools, arguments)
		if total != want || want == 0 || slices.ContainsFunc(entries, func(e catalog.Entry) bool { return !has(e) }) {
			t.Errorf("%s: %d entries, want %d", arguments, total, want)
		}
	}
}

// TestListEntriesNewest: the newest come first across categories, and those of unknown date last.
func TestListEntriesNewest(t *testing.T) {
	tools := over(t)
	entries, total := listed(t, tools, `{"limit":50,"sort":"newest"}`)
	if total != len(tools.catalog.Entries()) || !slices.IsSortedFunc(entries, func(a, b catalog.Entry) int { return strings.Compare(string(b.Published()), string(a.Published())) }) {
		t.Errorf("%d entries, the first of %s", total, entries[0].Published())
	}
	newest := catalog.Date("")
	for _, e := range tools.catalog.Entries() {
		newest = max(newest, e.Published())
	}
	if entries[0].Published() != newest {
		t.Errorf("the first is of %s, the newest of %s", entries[0].Published(), newest)
	}
}
