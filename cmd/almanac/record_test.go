package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

const caipEntry = "library/payments/caip-19-asset-id.json"

// TestHistoryRecordsEveryChange: an update whose history does not record a change is refused, although no date has
// moved; recorded, it passes, and the feeds show it; and what was recorded stays.
func TestHistoryRecordsEveryChange(t *testing.T) {
	setToday(t, "2026-12-06")
	old, dir := copyFew(t), copyFew(t)
	servertest.Edit(t, dir, caipEntry, "Handy for price lists", "Useful for price lists")
	servertest.Edit(t, dir, caipEntry, "CAIPs/caip-19.md", "CAIPs/caip-19.txt")
	servertest.Edit(t, dir, "articles/naming-a-network/article.md", "## In code", "## Within code")

	stdout, err := checked(old, "", dir)
	for _, want := range []string{"caip-19-asset-id.json: url: has changed and the history does not record it", "caip-19-asset-id.json: summary: has changed",
		"article.json: body[Within code]: has changed", "article.json: body[In code]: has changed"} {
		if !strings.Contains(says(err), want) {
			t.Errorf("without %q: %v", want, err)
		}
	}
	if strings.Contains(stdout+says(err), "nwc") {
		t.Errorf("a protocol that did not change is reported:\n%s%v", stdout, err)
	}

	if _, err := checked(old, "2026-12-05", dir); err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(parttest.TempDir(t), "site")
	if status, _, stderr := almanac("export", "-o", site, "-fixtures", dir); status != 0 {
		t.Fatalf("status %d:\n%s", status, stderr)
	}
	for _, feed := range []string{"changes/feed.atom", "changes/feed.json", "tags/interop/feed.atom", "tags/interop/feed.json"} {
		data, err := os.ReadFile(filepath.Join(site, feed))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Address: “https://github.com/ChainAgnostic/CAIPs/blob/main/CAIPs/caip-19.md” is now “https://github.com/ChainAgnostic/CAIPs/blob/main/CAIPs/caip-19.txt”", "Summary: reworded"} {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s does not show the change %q", feed, want)
			}
		}
	}
	path := filepath.Join(dir, "history", "2026-12-05.jsonl")
	day, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"record":"caip-19-asset-id","change":"edited","members":[{"name":"url","old":"https://github.com/ChainAgnostic/CAIPs/blob/main/CAIPs/caip-19.md","new":"https://github.com/ChainAgnostic/CAIPs/blob/main/CAIPs/caip-19.txt"},{"name":"summary",`,
		`{"record":"article:naming-a-network","change":"edited"`,
	} {
		if !strings.Contains(string(day), want) {
			t.Errorf("the history does not have %s:\n%s", want, day)
		}
	}
	if stdout, err := checked(old, "2026-12-06", dir); err != nil || strings.Contains(stdout, "events") {
		t.Errorf("the recorded changes are recorded again: %v\n%s", err, stdout)
	}
	if _, err := checked(old, "2026-12-04", dir); err == nil {
		t.Error("a day before the newest is accepted")
	}

	next := parttest.TempDir(t)
	if err := os.CopyFS(next, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	servertest.Edit(t, next, caipEntry, "Useful for price lists", "Handy for price lists")
	if _, err := checked(dir, "2026-12-05", next); err != nil {
		t.Errorf("a second change on one day cannot be recorded: %v", err)
	}
	servertest.Edit(t, next, "history/2026-12-05.jsonl", `"name":"url","old":"https`, `"name":"url","old":"http`)
	if _, err := checked(dir, "", next); !strings.Contains(says(err), "has lost or changed lines that are published") {
		t.Errorf("a rewritten history passes: %v", err)
	}
}

// TestFaultsAreNotRecorded: the history of files with a fault stays as it is.
func TestFaultsAreNotRecorded(t *testing.T) {
	old, dir, fault := copyFew(t), copyFew(t), errors.New("a page cannot be rendered")
	servertest.Edit(t, dir, caipEntry, "Handy for price lists", "Useful for price lists")
	setToday(t, "2026-12-05")
	flags := checkFlags{against: old, record: true, contents: func(string, *catalog.Catalog) (string, error) { return "", fault }}
	if err := flags.run(t.Context(), io.Discard, io.Discard, dir); !errors.Is(err, fault) {
		t.Errorf("%v, want %v", err, fault)
	}
	if _, err := os.Stat(filepath.Join(dir, "history", "2026-12-05.jsonl")); err == nil {
		t.Error("the history is written although the files have a fault")
	}
}

// TestHistoryInventsNothing: a history that records a change which the files do not have is refused.
func TestHistoryInventsNothing(t *testing.T) {
	old, dir := copyFew(t), copyFew(t)
	line := `{"record":"caip-2-blockchain-id","change":"edited","members":[{"name":"title","old":"CAIP-2: Blockchain ID Specification","new":"CAIP-2"}]}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "history", "2026-12-05.jsonl"), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := checked(old, "", dir); !strings.Contains(says(err), "title: the history records a change that the file does not have") {
		t.Errorf("a change that was not made passes: %v", err)
	}
}

// TestPublishedDaysStay: when everything is read again on another day, the day on which it was read before keeps its
// addresses.
func TestPublishedDaysStay(t *testing.T) {
	setToday(t, "2026-12-06")
	old, dir := copyFew(t), copyFew(t)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), `"verified_at": "2026-11-21"`, `"verified_at": "2026-12-05"`)
		text = strings.ReplaceAll(text, `"updated": "2026-11-21"`, `"updated": "2026-12-05"`)
		return os.WriteFile(path, []byte(text), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checked(old, "2026-12-05", dir); err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(parttest.TempDir(t), "site")
	if status, _, stderr := almanac("export", "-o", site, "-fixtures", dir); status != 0 {
		t.Fatalf("status %d:\n%s", status, stderr)
	}
	for _, path := range []string{"changes/2026-11-21.md", "changes/2026-12-05.md"} {
		if _, err := os.Stat(filepath.Join(site, path)); err != nil {
			t.Errorf("a published day lost its address: %v", err)
		}
	}
	data, err := os.ReadFile(filepath.Join(site, "api/changes/2026-11-21.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Count   int
		Entries []any
	}
	if err := json.Unmarshal(data, &doc); err != nil || doc.Count != 0 || doc.Entries == nil {
		t.Errorf("a day whose records were all read again: %v\n%s", err, data)
	}
}
