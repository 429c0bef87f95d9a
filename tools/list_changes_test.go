package tools

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/httpmirror"
)

// overRead makes the tools over a small catalog that does not change, of which one entry was read again on a later day.
func overRead(t *testing.T, id string, day catalog.Date) *Tools {
	t.Helper()
	small, fsys := os.DirFS("../mcpserver/testdata/catalog"), make(fstest.MapFS)
	err := fs.WalkDir(small, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(small, path)
		if strings.HasSuffix(path, "/"+id+".json") {
			b = []byte(strings.Replace(string(b), `"verified_at": "2026-11-21"`, `"verified_at": "`+string(day)+`"`, 1))
		}
		fsys[path] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	event := func(change, before, after string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"record":"` + id + `","change":"` + change + `","members":[{"name":"verified_at","old":` + before + `,"new":"` + after + `"}]}` + "\n")}
	}
	fsys["history/2026-11-21.jsonl"] = event("added", "null", "2026-11-21")
	fsys["history/"+string(day)+".jsonl"] = event("read-again", `"2026-11-21"`, string(day))
	c, err := load.Load(fsys, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	m, err := httpmirror.Build(c, httpmirror.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := New(c, nil, m, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// A changed is what list_changes answers.
type changed struct {
	Date   string
	Total  int
	Counts struct{ Change, Kind, Category map[string]int }
	// Entries have the type of each change beside what the feed has.
	Entries []struct {
		catalog.Change
		Type string `json:"change"`
	}
	NextCursor string `json:"next_cursor"`
}

// allChanges reads every page of list_changes.
func allChanges(t *testing.T, tools *Tools, arguments string) (all changed) {
	t.Helper()
	for cursor := ""; ; {
		a, err := tools.byName["list_changes"].call(context.Background(), json.RawMessage(`{"limit":50,"cursor":"`+cursor+`"`+strings.Replace(arguments, "{", ",", 1)), Caller{})
		if err != nil || a.Failed {
			t.Fatalf("%s: %v %s", arguments, err, a.text.appendTo(nil))
		}
		var page changed
		if err := json.Unmarshal(a.structured.appendTo(nil), &page); err != nil {
			t.Fatal(err)
		}
		page.Entries = append(all.Entries, page.Entries...)
		if all = page; page.NextCursor == "" {
			return all
		}
		cursor = page.NextCursor
	}
}

// TestListChanges: a span of any length lists what the documents of its days list, the new ones apart from those
// read again, and its counts are those of what it lists.
func TestListChanges(t *testing.T) {
	const id, day = "mcp-go-sdk", "2026-11-22"
	tools := overRead(t, id, day)
	for arguments, span := range map[string]struct {
		date, change string
		kinds        []string
	}{
		`{"since":"2000-01-01"}`:                                    {date: "2000-01-01/" + day},
		`{"since":"` + day + `"}`:                                   {date: day},
		`{"date":"2026-11-21"}`:                                     {date: "2026-11-21"},
		`{"from":"2000-01-01","to":"2026-11-21"}`:                   {date: "2000-01-01/2026-11-21"},
		`{"since":"2000-01-01","change":"read-again"}`:              {date: "2000-01-01/" + day, change: "read-again"},
		`{"since":"2000-01-01","change":"added"}`:                   {date: "2000-01-01/" + day, change: "added"},
		`{"since":"2000-01-01","kind":["support","dataset"]}`:       {date: "2000-01-01/" + day, kinds: []string{"support", "dataset"}},
		`{"from":"2026-11-01","change":"added","kind":["bot"]}`:     {date: "2026-11-01/" + day, change: "added", kinds: []string{"bot"}},
		`{"date":"2026-11-21","kind":["library"],"change":"added"}`: {date: "2026-11-21", change: "added", kinds: []string{"library"}},
	} {
		got := allChanges(t, tools, arguments)
		from, to, ok := strings.Cut(span.date, "/")
		if !ok {
			to = from
		}
		var want []string
		kinds := make(map[string]int)
		for _, d := range tools.catalog.ChangeDays() {
			for _, ch := range tools.catalog.Changes(d).Entries {
				which := "added"
				if ch.ID == id {
					which = "read-again"
				}
				if string(d) >= from && string(d) <= to && (span.change == "" || span.change == which) && (span.kinds == nil || slices.Contains(span.kinds, ch.Kind)) {
					want = append(want, ch.ID+" "+which)
					kinds[ch.Kind]++
				}
			}
		}
		var listed []string
		for _, ch := range got.Entries {
			listed = append(listed, ch.ID+" "+ch.Type)
		}
		if !slices.Equal(listed, want) || got.Date != span.date || got.Total != len(want) || len(want) == 0 {
			t.Errorf("%s lists %d of %s, want %d", arguments, len(listed), got.Date, len(want))
		}
		if sum(got.Counts.Change) != len(want) || string(encode(got.Counts.Kind)) != string(encode(kinds)) || sum(got.Counts.Category) != kinds["library"] {
			t.Errorf("%s: the counts are %+v", arguments, got.Counts)
		}
	}
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
