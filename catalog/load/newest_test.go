package load_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
)

// TestNewestValuesAreThoseOfTheHistory: the records of this repository have the values that their history has last, and a day that is
// changed without the history is refused by its file and member.
func TestNewestValuesAreThoseOfTheHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	fsys := make(fstest.MapFS)
	err := fs.WalkDir(fixtures.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fixtures.FS, path)
		fsys[path] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		t.Helper()
		v, err := load.PublishedVersion(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return v.Check("2999-12-31")
	}
	if err := check(); err != nil {
		t.Fatalf("as they are: %v", err)
	}
	const path = "library/agent-protocols/a2a-python-sdk.json"
	before := string(fsys[path].Data)
	fsys[path].Data = []byte(regexp.MustCompile(`"verified_at": "[0-9-]+"`).ReplaceAllString(before, `"verified_at": "2026-01-02"`))
	if before == string(fsys[path].Data) {
		t.Fatal("the day of the record was not found")
	}
	if err := check(); err == nil || !strings.Contains(err.Error(), path+": verified_at: is ") || strings.Count(err.Error(), "newest value") != 1 {
		t.Errorf("with another day than the history has: %v", err)
	}
}
