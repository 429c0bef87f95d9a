package index

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/index/text"

	"go.almanac.example/internal/parttest"

	"github.com/google/go-cmp/cmp"
)

// everySyntax is every kind of query.
var everySyntax = []Query{
	{Text: "macaroon"}, {Text: "BOLT 12"}, {Text: "bolt12 offer"}, {Text: `"wallet connect"`}, {Text: `"lightning network" -"wallet"`}, {Text: "key-send keysend"},
	{Text: "tag:lightning"}, {Text: "tag:lightning wallet -tag:http"}, {Text: "kind:protocol"}, {Text: "-macaroon payment"}, {Text: "payment NOT invoice"},
	{Text: "macar"}, {Text: "li"}, {Text: "lightn invoi"}, {Text: "robto"}, {Text: "lihgtnnig walet"}, {Text: "stabelcoin regulaton"}, {Text: "zzzzqqqq"},
	{Text: "what is the"}, {Text: "to be or not to be"}, {Text: "lnd"}, {Text: "https://docs.lightning.engineering"}, {Text: "edition one"},
	{Text: "agent payment lightning invoice wallet token header robot security identity discovery browser budget network stablecoin macaroon challenge protocol dataset"},
	{Text: "payment", Sort: SortNewest}, {Text: "payment", Sort: SortVerified, Limit: MaxLimit}, {Text: "protocol", From: "2015-01-01", To: "2026-06-30"},
	{Text: "network", VerifiedSince: "2026-10-01"}, {Tag: []string{"lightning", "http"}}, {Kind: []string{KindLibrary}, Sort: SortNewest, Limit: MaxLimit},
	{Text: "lightning AND (wallet OR invoice)"}, {Text: "who is behind x402"}, {Text: "Fielding"},
}

// answersOf returns the answers to every kind of query, with the second page of each.
func answersOf(t *testing.T, x *Index) (list []string) {
	t.Helper()
	for _, q := range everySyntax {
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		list = append(list, string(encode(r.Document())))
		if q.Cursor = r.NextCursor; q.Cursor != "" {
			list = append(list, string(encode(ask(t, x, q).Document())))
		}
	}
	return list
}

// newFew indexes entries beside every fourth published record, which are enough for what an index does with its files.
func newFew(before *Index, c *catalog.Catalog, entries []*catalog.Entry, o Options) (*Index, error) {
	a, err := text.NewAnalyzer("")
	if err != nil {
		return nil, err
	}
	var list recordList
	for i, r := range newRecords(c, a) {
		if i%4 == 0 {
			list = append(list, r)
		}
	}
	for _, e := range entries {
		list = append(list, entryRecord(catalog.DefaultSite, "Category "+e.Category, e, nil))
	}
	list.sort()
	return newIndex(before, a, list, catalog.DefaultSite, o)
}

func entriesIndex(t *testing.T, before *Index, entries []*catalog.Entry, o Options) *Index {
	t.Helper()
	x, err := newFew(before, realCatalog(t), entries, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// storedIndex is an index without other entries, which is closed when the test ends.
func storedIndex(t *testing.T, o Options) *Index {
	t.Helper()
	x := entriesIndex(t, nil, nil, o)
	t.Cleanup(func() { x.Close() })
	return x
}

// edited returns a copy of entries, of which one has other texts, one another date and one is gone.
func edited(entries []*catalog.Entry, n int) []*catalog.Entry {
	list := slices.Clone(entries)
	e := *list[n]
	e.Title, e.Summary = "Edition "+e.Title, "Another edition about macaroons. "+e.Summary
	list[n] = &e
	d := *list[n+1]
	day := catalog.Date("2026-01-02")
	d.DatePublished = &day
	list[n+1] = &d
	return slices.Delete(list, n+2, n+3)
}

// TestReloadedIndex: an index that was reloaded, again and again, answers as one built of the same data, to the score
// and the cursor, in memory and on disk; the index before answers as it did.
func TestReloadedIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	all := catalogtest.InventEntries(t, "../fixtures", 100)
	for _, tt := range []struct {
		name   string
		o      Options
		rounds int
	}{
		{"memory", Options{Timeout: time.Minute}, 15}, // more than the segments that it may have
		{"disk", Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entries := all
			x := entriesIndex(t, nil, entries, tt.o)
			for round := range tt.rounds {
				was := answersOf(t, x)
				entries = edited(entries, 3*round)
				next := entriesIndex(t, x, entries, tt.o)
				if diff := cmp.Diff(was, answersOf(t, x)); diff != "" {
					t.Fatalf("round %d: the index before answers otherwise: %s", round, diff)
				}
				x.Close()
				x = next
				if round%3 != 2 {
					continue
				}
				fresh := entriesIndex(t, nil, entries, Options{Timeout: time.Minute})
				if diff := cmp.Diff(answersOf(t, fresh), answersOf(t, x)); diff != "" {
					t.Fatalf("round %d: %s", round, diff)
				}
				fresh.Close()
			}
			x.Close()
		})
	}
}

// TestPlaceFollowsMemory: texts of a seventieth of the memory, or of 24 MiB, are on disk, and fewer are in memory.
func TestPlaceFollowsMemory(t *testing.T) {
	size := uint64(storedIndex(t, Options{}).documents.bytes())
	for memory, want := range map[uint64]bool{70 * size: true, 70 * (size + 1): false} {
		x := storedIndex(t, Options{Dir: t.TempDir(), Memory: memory})
		if x.OnDisk() != want {
			t.Errorf("texts of %d bytes in a memory of %d: on disk is %t, want %t", size, memory, !want, want)
		}
	}
	if got := (Options{Memory: 1 << 40}).withDefaults().DiskFrom; got != 24<<20 {
		t.Errorf("in a memory of 1 TiB, texts of %d bytes are on disk, want 24 MiB", got)
	}
}

// TestOnDisk: an index on disk answers as one in memory, and so does the next process that opens it, also with other
// data.
func TestOnDisk(t *testing.T) {
	o := Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1}
	entries := catalogtest.InventEntries(t, "../fixtures", 100)
	memory := entriesIndex(t, nil, entries, Options{Timeout: time.Minute})
	defer memory.Close()
	for range 2 {
		x := entriesIndex(t, nil, entries, o)
		if !x.OnDisk() {
			t.Error("the index is in memory")
		}
		if diff := cmp.Diff(answersOf(t, memory), answersOf(t, x)); diff != "" {
			t.Error(diff)
		}
		x.Close()
		other := entriesIndex(t, nil, edited(entries, 5), o)
		other.Close()
	}
}

// TestClosedIndexIsReused: the next process reads the segments that a closed index left, and builds those of one that
// was not closed again.
func TestClosedIndexIsReused(t *testing.T) {
	segments := func(dir string) map[string]time.Time {
		written := make(map[string]time.Time)
		files, err := filepath.Glob(filepath.Join(dir, "passages", "store", "*.zap"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no segments: %v", err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			written[filepath.Base(file)] = info.ModTime()
		}
		return written
	}
	open := func(o Options) *Index { // one batch and so one segment: Bleve merges several at any time
		a, err := text.NewAnalyzer("")
		if err != nil {
			t.Fatal(err)
		}
		x, err := newIndex(nil, a, newRecords(realCatalog(t), a)[:60], catalog.DefaultSite, o)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	want := answersOf(t, open(Options{Timeout: time.Minute}))
	o := Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1}
	open(o).Close()
	first := segments(o.Dir)
	x := open(o)
	if diff := cmp.Diff(first, segments(o.Dir)); diff != "" {
		t.Errorf("the segments are written again: %s", diff)
	}
	killed := Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1} // its files are those of a process that ended now
	if err := os.CopyFS(killed.Dir, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	copied := segments(killed.Dir)
	if diff := cmp.Diff(want, answersOf(t, open(killed))); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(copied, segments(killed.Dir)) {
		t.Error("files that no checksum vouches for are opened")
	}
	x.Close()
}

// TestSharedDirectory: two indexes on one directory both answer, the second from memory, with a warning; when the first
// has gone, the directory can be used again.
func TestSharedDirectory(t *testing.T) {
	var log bytes.Buffer
	o := Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1, Log: slog.New(slog.NewTextHandler(&log, nil))}
	first, second := storedIndex(t, o), storedIndex(t, o)
	if !first.OnDisk() || second.OnDisk() || !strings.Contains(log.String(), "another process uses the directory") {
		t.Errorf("on disk: %v, %v; the log says %s", first.OnDisk(), second.OnDisk(), log.String())
	}
	if diff := cmp.Diff(answersOf(t, first), answersOf(t, second)); diff != "" {
		t.Error(diff)
	}
	first.Close()
	if third := storedIndex(t, o); !third.OnDisk() {
		t.Error("the directory stays locked")
	}
}

// TestDamagedDirectoryIsBuiltAgain: whatever happens to the files of an index, the next start finds it and answers as
// before.
func TestDamagedDirectoryIsBuiltAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	want := answersOf(t, storedIndex(t, Options{Timeout: time.Minute}))
	whole := t.TempDir()
	storedIndex(t, Options{Timeout: time.Minute, Dir: whole, DiskFrom: 1}).Close()
	const segments, closed = "passages/store/*.zap", "passages.sha256"
	flip := func(data []byte) []byte { data[len(data)/3] ^= 0x10; return data }
	for _, tt := range []struct {
		name, pattern string
		damage        func(data []byte) []byte
	}{
		{"a flipped byte of the segments", segments, flip},
		{"the last byte of the segments", segments, func(data []byte) []byte { data[len(data)-1] ^= 1; return data }},
		{"zeros in the segments", segments, func(data []byte) []byte { return make([]byte, len(data)) }},
		{"half of the segments", segments, func(data []byte) []byte { return data[:len(data)/2] }},
		{"empty segments", segments, func([]byte) []byte { return nil }},
		{"a flipped byte of the root", "passages/store/root.bolt", flip},
		{"an empty root", "passages/store/root.bolt", func([]byte) []byte { return nil }},
		{"a flipped byte of the description", "passages/index_meta.json", flip},
		{"half of the hash", closed, func(data []byte) []byte { return data[:len(data)/2] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Timeout: time.Minute, Dir: filepath.Join(t.TempDir(), "index"), DiskFrom: 1}
			if err := os.CopyFS(o.Dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(o.Dir, tt.pattern))
			if err != nil || len(files) == 0 {
				t.Fatalf("no files: %v", err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err == nil {
					err = os.WriteFile(file, tt.damage(data), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, answersOf(t, storedIndex(t, o))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadOnlyDirectory: where nothing can be written, the index is in memory, with a warning.
func TestReadOnlyDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	x := storedIndex(t, Options{Dir: filepath.Join(file, "index"), DiskFrom: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if x.OnDisk() || !strings.Contains(log.String(), "cannot be kept on disk") {
		t.Errorf("on disk: %v; the log says %s", x.OnDisk(), log.String())
	}
}

// TestFullDirectory: where the disk is full, the index is in memory, with a warning.
func TestFullDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("almanac", dir, "tmpfs", 0, "size=400k,mode=0700"); err != nil {
		parttest.Missing(t, "a file system of 400 kB cannot be mounted here; root can: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	var log bytes.Buffer
	o := Options{Timeout: time.Minute, Dir: filepath.Join(dir, "index"), DiskFrom: 1, Log: slog.New(slog.NewTextHandler(&log, nil))}
	x := freshIndex(t, o)
	if x.OnDisk() || !strings.Contains(log.String(), "no space left on device") {
		t.Errorf("on disk: %v; the log says %s", x.OnDisk(), log.String())
	}
	if diff := cmp.Diff(answersOf(t, realIndex(t)), answersOf(t, x)); diff != "" {
		t.Error(diff)
	}
}

// buildDirectory names the directory in which a test's process builds until it is killed.
const buildDirectory = "ALMANAC_TEST_BUILD"

func TestMain(m *testing.M) {
	for dir := os.Getenv(buildDirectory); dir != ""; {
		c, err := publishedCatalog()
		if err == nil {
			var x *Index
			x, err = newFew(nil, c, nil, Options{Dir: dir, DiskFrom: 1})
			if err == nil {
				err = x.Close()
			}
		}
		if err == nil {
			err = os.Remove(filepath.Join(dir, "passages.sha256")) // so that it is built again
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// TestKilledWhileBuilding: a process that is killed while it builds on disk leaves nothing that keeps the next from building.
func TestKilledWhileBuilding(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	want := answersOf(t, storedIndex(t, Options{Timeout: time.Minute}))
	o := Options{Timeout: time.Minute, Dir: t.TempDir(), DiskFrom: 1}
	for _, pattern := range []string{"passages", "passages/store/root.bolt", "passages/store/*.zap"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), buildDirectory+"="+o.Dir)
		cmd.Stderr = t.Output()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for found := []string(nil); found == nil; {
			found, _ = filepath.Glob(filepath.Join(o.Dir, pattern)) // whose only error is a bad pattern
		}
		cmd.Process.Kill()
		cmd.Wait() // which says that it was killed
		x, err := newFew(nil, realCatalog(t), nil, o)
		if err != nil {
			t.Fatalf("killed when there was %s: %v", pattern, err)
		}
		if !x.OnDisk() {
			t.Errorf("killed when there was %s: the index is not on disk", pattern)
		}
		if diff := cmp.Diff(want, answersOf(t, x)); diff != "" {
			t.Errorf("killed when there was %s: %s", pattern, diff)
		}
		x.Close()
		if err := os.RemoveAll(o.Dir); err != nil {
			t.Fatal(err)
		}
	}
}
