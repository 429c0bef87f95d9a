package catalog_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// events returns n edits of a record, each with a summary of its own.
func events(record string, from, n int) []catalog.HistoryEvent {
	list := make([]catalog.HistoryEvent, n)
	for i := range list {
		value := json.RawMessage(fmt.Sprintf("%q", fmt.Sprint("version ", from+i)))
		list[i] = catalog.HistoryEvent{Record: record, Change: "edited", Members: []catalog.MemberChange{{Name: "summary", New: value}}}
	}
	return list
}

func historyOf(days ...catalog.HistoryRecords) *catalog.Catalog {
	return catalog.New(catalog.Records{
		Categories: []catalog.CategoryRecord{{ID: "iot"}}, Tags: []catalog.TagRecord{{ID: "iot"}, {ID: "lightning"}},
		Entries: []*catalog.Entry{{ID: "mqtt", Category: "iot", Tags: []string{"iot"}}, {ID: "lnd", Category: "iot", Tags: []string{"lightning"}}},
		History: days,
	}, catalog.Options{Site: catalog.DefaultSite})
}

// shown returns the events of a feed.
func shown(t *testing.T, c *catalog.Catalog, id string) (events []string) {
	t.Helper()
	f := c.Feed(id)
	if f == nil {
		t.Fatalf("there is no feed %s", id)
	}
	for _, e := range c.FeedEvents(f) {
		events = append(events, string(e.Day)+"#"+e.Anchor+" "+e.Members[0].Text(e.Members[0].New))
	}
	return events
}

// TestFeedsHaveTheNewest: a feed has the newest events, the newest first.
func TestFeedsHaveTheNewest(t *testing.T) {
	for _, n := range []int{0, 1, catalog.FeedSize, 2*catalog.FeedSize + 100} {
		var want []string
		for i := n - 1; i >= max(0, n-catalog.FeedSize); i-- {
			anchor := "mqtt"
			if i > 0 {
				anchor += fmt.Sprint("__", i+1)
			}
			want = append(want, fmt.Sprintf("2026-11-21#%s version %d", anchor, i))
		}
		got := shown(t, historyOf(catalog.HistoryRecords{Date: "2026-11-21", Events: events("mqtt", 0, n)}), "all")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d events (-want +got):\n%s", n, diff)
		}
	}
}

// TestTagFeedsFollowTheTag: an event is in the feeds of the tags that its record had before or after it, so that a record that
// loses its tag says so in its feed, and one that is given a tag does not change the past of another.
func TestTagFeedsFollowTheTag(t *testing.T) {
	retag := func(old, new string) []catalog.HistoryEvent {
		return []catalog.HistoryEvent{{Record: "mqtt", Change: "edited", Members: []catalog.MemberChange{{Name: "tags", Old: json.RawMessage(old), New: json.RawMessage(new)}}}}
	}
	c := historyOf(
		catalog.HistoryRecords{Date: "2026-11-21", Events: events("mqtt", 0, 1)},
		catalog.HistoryRecords{Date: "2026-11-22", Events: retag(`["lightning"]`, `["iot"]`)},
		catalog.HistoryRecords{Date: "2026-11-23", Events: events("mqtt", 1, 1)},
	)
	for feed, want := range map[string][]string{
		"tag-lightning": {`2026-11-22#mqtt ["iot"]`, "2026-11-21#mqtt version 0"},
		"tag-iot":       {"2026-11-23#mqtt version 1", `2026-11-22#mqtt ["iot"]`},
	} {
		if diff := cmp.Diff(want, shown(t, c, feed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", feed, diff)
		}
	}
}
