package catalog_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/internal/wirejson"
)

// The orders of the contract, on the real data.
func TestOrders(t *testing.T) {
	c := realCatalog(t)
	for _, k := range c.Categories() {
		list := c.CategoryList(k.ID, c.InCategory(k.ID))
		if list.Count != len(list.Entries) || list.Count != k.Count {
			t.Errorf("%s: count is %d, category count %d, with %d entries", k.ID, list.Count, k.Count, len(list.Entries))
		}
		newestFirst(t, k.ID, list.Entries)
	}
	rank := make(map[string]int)
	for i, k := range c.Categories() {
		rank[k.ID] = i
	}
	total := 0
	for _, tag := range c.Tags() {
		list := c.TagList(tag.ID, c.WithTag(tag.ID))
		if list.Count != len(list.Entries) || list.Count != tag.Count {
			t.Errorf("tag %s: count is %d, tag count %d, with %d entries", tag.ID, list.Count, tag.Count, len(list.Entries))
		}
		total += list.Count
		if !slices.IsSortedFunc(list.Entries, func(a, b *catalog.Entry) int { return rank[a.Category] - rank[b.Category] }) {
			t.Errorf("tag %s: not grouped by category in their order", tag.ID)
		}
		for _, k := range c.Categories() {
			newestFirst(t, tag.ID+" in "+k.ID, slices.DeleteFunc(slices.Clone(list.Entries), func(e *catalog.Entry) bool { return e.Category != k.ID }))
		}
	}
	carried := 0
	for _, e := range c.Entries() {
		carried += len(e.Tags)
	}
	if total != carried {
		t.Errorf("the tag lists hold %d entries, the entries carry %d tags", total, carried)
	}
}

// newestFirst wants dated entries first, newest first, then those without a date, ties by id.
func newestFirst(t *testing.T, name string, entries []*catalog.Entry) {
	t.Helper()
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1], entries[i]
		switch {
		case a.DatePublished == nil && b.DatePublished != nil:
			t.Errorf("%s: %s without a date comes before %s", name, a.ID, b.ID)
		case a.Published() < b.Published():
			t.Errorf("%s: %s of %s comes before %s of %s", name, a.ID, a.Published(), b.ID, b.Published())
		case a.Published() == b.Published() && a.ID >= b.ID:
			t.Errorf("%s: %s comes before %s", name, a.ID, b.ID)
		}
	}
}

// The change feed of a day: kinds in their order and by id, then the library newest first.
func TestChangeFeedOrder(t *testing.T) {
	c := realCatalog(t)
	records := 0
	for _, day := range c.ChangeDays() {
		list := c.Changes(day)
		records += list.Count
		if list.Count != len(list.Entries) || list.Date != day || list.Field != "verified_at" {
			t.Errorf("%s: count %d with %d entries, date %s, field %s", day, list.Count, len(list.Entries), list.Date, list.Field)
		}
		var library []*catalog.Entry
		for i, ch := range list.Entries {
			if ch.VerifiedAt != day {
				t.Errorf("%s: %s was verified on %s", day, ch.ID, ch.VerifiedAt)
			}
			if ch.Kind == "library" {
				e, _ := c.Entry(ch.ID)
				library = append(library, e)
				continue
			}
			if len(library) > 0 {
				t.Errorf("%s: %s comes after library entries", day, ch.ID)
			}
			if i > 0 && slices.Compare([]string{list.Entries[i-1].Kind, list.Entries[i-1].ID}, []string{ch.Kind, ch.ID}) >= 0 {
				t.Errorf("%s: %s comes before %s", day, list.Entries[i-1].ID, ch.ID)
			}
		}
		newestFirst(t, string(day), library)
	}
	want := len(c.Entries()) + len(c.Articles()) + len(c.Datasets()) + len(c.Bots()) + 2
	if records != want {
		t.Errorf("the feed holds %d records, want each of %d once", records, want)
	}
	if c.Changes("2001-01-01").Entries == nil {
		t.Error("a day without changes has no entries array")
	}
}

// Ties and missing dates, on a few made-up entries.
func TestEntryOrder(t *testing.T) {
	d := func(s string) *catalog.Date { date := catalog.Date(s); return &date }
	entries := []*catalog.Entry{
		{ID: "z-undated"}, {ID: "old", DatePublished: d("1999-12-31")}, {ID: "b-tie", DatePublished: d("2026-01-01")},
		{ID: "a-undated"}, {ID: "a-tie", DatePublished: d("2026-01-01")}, {ID: "new", DatePublished: d("2026-06-30")},
	}
	for _, e := range entries {
		e.Category = "iot"
	}
	c := catalog.New(catalog.Records{Categories: []catalog.CategoryRecord{{ID: "iot"}}, Entries: entries}, catalogtest.Options)
	var got []string
	for _, e := range c.Entries() {
		got = append(got, e.ID)
	}
	if diff := cmp.Diff([]string{"new", "a-tie", "b-tie", "old", "a-undated", "z-undated"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// The order in which a file system lists its files does not matter, and two loads are equal.
func TestLoadIsAFunctionOfTheFiles(t *testing.T) {
	a, b := realCatalog(t), loadWith(t, nil) // from the disk, and from another kind of file system
	docsA, docsB := testDocuments(t, a), testDocuments(t, b)
	for i := range docsA {
		if string(wirejson.Must(wirejson.Compact(docsA[i].value))) != string(wirejson.Must(wirejson.Compact(docsB[i].value))) {
			t.Errorf("%s (%s) differs between two loads", docsA[i].schema, docsA[i].name)
		}
	}
}
