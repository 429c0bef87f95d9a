package index

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"almanac/catalog"
	"github.com/google/go-cmp/cmp"
)

// TestOnDisk: an index on disk gives the answers of one in memory, is used again by the next
// start, and gives way to one of other data while it is still open.
func TestOnDisk(t *testing.T) {
	c := realCatalog(t)
	memory := realIndex(t)
	dir := t.TempDir()
	open := func(c *catalog.Catalog) *Index {
		x, err := New(c, Options{Dir: dir, DiskFrom: 1, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := open(c)
	defer first.Close()
	for _, text := range []string{"macaroon", "BOLT 12", `"wallet connect"`, "tag:lightning", "robto", "macar", "what is the", "lnd"} {
		want, got := ask(t, memory, Query{Text: text}), ask(t, first, Query{Text: text})
		if diff := cmp.Diff(string(encode(want)), string(encode(got))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	built := modified(t, dir)
	again := open(c)
	if ask(t, again, Query{Text: "macaroon"}).Total == 0 {
		t.Error("the index opened again finds nothing")
	}
	again.Close()
	if !modified(t, dir).Equal(built) {
		t.Error("the index was built again though nothing changed")
	}
	other, err := NewEntries(c.Entries()[:20], Options{Dir: dir, DiskFrom: 1, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.Len() != 20 {
		t.Errorf("%d documents of 20", other.Len())
	}
	if n := len(indexes(t, dir)); n != 1 {
		t.Errorf("%d indexes lie in the directory, want the newest only", n)
	}
	if ask(t, first, Query{Text: "taproot"}).Total == 0 {
		t.Error("the index that is still open has lost its files")
	}
}

func indexes(t *testing.T, dir string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func modified(t *testing.T, dir string) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(indexes(t, dir)[0], "layout.json"))
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

func TestDamagedDirectoryIsBuiltAgain(t *testing.T) {
	c := realCatalog(t)
	dir := t.TempDir()
	search := func() {
		t.Helper()
		x, err := New(c, Options{Dir: dir, DiskFrom: 1, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if ask(t, x, Query{Text: "macaroon"}).Total == 0 {
			t.Error("finds nothing")
		}
	}
	search()
	for _, file := range []string{"layout.json", "words.txt", "*.zap"} {
		for name, damage := range map[string]func(string) error{
			"gone":  os.Remove,
			"empty": func(path string) error { return os.Truncate(path, 0) },
			"short": func(path string) error { return os.Truncate(path, 100) },
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				found, err := filepath.Glob(filepath.Join(indexes(t, dir)[0], file))
				if err != nil || len(found) != 1 {
					t.Fatalf("files %v, %v", found, err)
				}
				if err := damage(found[0]); err != nil {
					t.Fatal(err)
				}
				search()
			})
		}
	}
}

// The hash of records, which is also in cursors, is that of their sources.
func TestHashIsOfTheSources(t *testing.T) {
	records := newRecords(realCatalog(t))
	others := make(recordList, len(records))
	for i := range records {
		others[i] = record{other: records[i].source()}
	}
	want, wantBytes := others.hash()
	if got, bytes := records.hash(); got != want || bytes != wantBytes {
		t.Errorf("the hash %s of %d bytes, want %s of %d", got, bytes, want, wantBytes)
	}
}

// TestReloadOnDisk: a reload leaves the index on disk as it is, to be used again by a start with the documents that it was built of and by no
// other, and reads it although a later start replaces it.
func TestReloadOnDisk(t *testing.T) {
	dir := t.TempDir()
	records := newRecords(realCatalog(t))
	edited := slices.Clone(records)
	i := slices.IndexFunc(edited, func(r record) bool { return r.entry != nil })
	e := *edited[i].entry
	e.Title = "Zeppelin"
	edited[i].entry = &e
	open := func(before *Index, records recordList) *Index {
		x, err := newIndex(before, records, catalog.DefaultSite, Options{Dir: dir, DiskFrom: 1, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	first := open(nil, records)
	built, place := modified(t, dir), indexes(t, dir)
	reloaded := open(first, edited)
	first.Close()
	open(nil, records).Close()
	if diff := cmp.Diff(place, indexes(t, dir)); diff != "" || !modified(t, dir).Equal(built) {
		t.Errorf("the index on disk is not as it was built: %s", diff)
	}
	started := open(nil, edited)
	if got := indexes(t, dir); len(got) != 1 || got[0] == place[0] {
		t.Errorf("a start with the edited documents leaves %v", got)
	}
	for name, x := range map[string]*Index{"reloaded": reloaded, "started": started} {
		if r := ask(t, x, Query{Text: "zeppelin"}); r.Total != 1 {
			t.Errorf("%s: %d documents are found by the edited title", name, r.Total)
		}
		if ask(t, x, Query{Text: "taproot"}).Total == 0 {
			t.Errorf("%s: the documents that were not edited are lost", name)
		}
	}
}
