package httpmirror

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/internal/parttest"
)

func smallCatalog(tb testing.TB, at time.Time) *catalog.Catalog {
	tb.Helper()
	c, err := load.Load(os.DirFS("testdata/small"), catalog.Options{Site: catalog.DefaultSite, GeneratedAt: at})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func mustExport(t *testing.T, c *catalog.Catalog, dir string, codings ...string) export.Stats {
	t.Helper()
	stats, err := Export(context.Background(), c, Options{}, dir, codings...)
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// readTree returns every file below a folder.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		tree[name] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// onlyOne fails when anything but the export is left in the folder around it.
func onlyOne(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) {
			t.Errorf("%s was left beside the export", e.Name())
		}
	}
}

func TestExportWritesWhatIsServed(t *testing.T) {
	c := smallCatalog(t, testTime)
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parttest.TempDir(t), "new", "site")
	stats := mustExport(t, c, dir)
	tree := readTree(t, dir)
	want := make(map[string]string)
	bytes := int64(0)
	for f := range m.Files() {
		want[export.DiskName(f.Path)] = string(f.Body)
		bytes += int64(len(f.Body))
	}
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("on disk (+) and served (-) differ:\n%.2000s", diff)
	}
	if diff := cmp.Diff(export.Stats{Files: len(want), Bytes: bytes, Written: len(want)}, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	onlyOne(t, dir)
}

func TestExportIsReproducible(t *testing.T) {
	one, two := filepath.Join(parttest.TempDir(t), "a"), filepath.Join(parttest.TempDir(t), "b")
	mustExport(t, smallCatalog(t, testTime), one, "gzip", "br")
	mustExport(t, smallCatalog(t, testTime), two, "gzip", "br")
	if diff := cmp.Diff(readTree(t, one), readTree(t, two)); diff != "" {
		t.Errorf("two exports of one input differ:\n%.2000s", diff)
	}
}

func TestSecondExport(t *testing.T) {
	dir := filepath.Join(parttest.TempDir(t), "site")
	c := smallCatalog(t, testTime)
	first := mustExport(t, c, dir, "gzip")
	before := inodes(t, dir)
	folder, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}

	again := mustExport(t, c, dir, "gzip")
	if again.Written != 0 || again.Removed != 0 || again.Unchanged != first.Written {
		t.Errorf("the second export of the same: %+v; the first wrote %d", again, first.Written)
	}
	if diff := cmp.Diff(before, inodes(t, dir)); diff != "" {
		t.Errorf("unchanged files were written again:\n%s", diff)
	}
	if now, err := os.Stat(dir); err != nil || !os.SameFile(folder, now) {
		t.Errorf("a folder that holds the same already was replaced: %v", err)
	}

	// A file that someone changed by hand is put right.
	if err := os.WriteFile(filepath.Join(dir, "trust.md"), []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if stats := mustExport(t, c, dir, "gzip"); stats.Written != 2 { // it and its compressed form
		t.Errorf("after one file was spoilt, %d were written", stats.Written)
	}

	// Without compressed forms those of the last export go, and so does what is not published.
	off := mustExport(t, c.WithPayments(catalog.PaymentsLive), dir)
	tree := readTree(t, dir)
	if tree[".well-known/l402"] == "" || tree[".well-known/l402.json"] == "" {
		t.Error("the new files are not there")
	}
	if stats := mustExport(t, c, dir); stats.Removed != 4 { // and the services and the skill of paying
		t.Errorf("removed %d files, want 4", stats.Removed)
	}
	for name := range readTree(t, dir) {
		if strings.HasSuffix(name, ".gz") || strings.HasPrefix(filepath.ToSlash(name), ".well-known/l402") {
			t.Errorf("%s is still there", name)
		}
	}
	if off.Unchanged == 0 || off.Written == 0 {
		t.Errorf("an export with some changes: %+v", off)
	}
	onlyOne(t, dir)
}

// inodes returns the modification times of the files of a folder, by which copies of them are recognised.
func inodes(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	list := make(map[string]time.Time)
	for name := range readTree(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		list[name] = info.ModTime()
	}
	return list
}

func TestExportRefusesForeignFolders(t *testing.T) {
	c := smallCatalog(t, testTime)
	for _, tc := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"a folder of something else", func(t *testing.T, dir string) { write(t, dir, "holiday.jpg", "x") }, "no export made it"},
		{"another manifest", func(t *testing.T, dir string) { write(t, dir, "manifest.json", `{"name":"app"}`) }, "no export made it"},
		{"a manifest that is not JSON", func(t *testing.T, dir string) { write(t, dir, "manifest.json", `x`) }, "no export made it"},
		{"a file beside the export", func(t *testing.T, dir string) {
			mustExport(t, c, dir)
			write(t, dir, "CNAME", "almanac.example")
		}, "holds CNAME, which no export wrote"},
		{"a compressed form of no file", func(t *testing.T, dir string) {
			mustExport(t, c, dir)
			write(t, dir, "other.gz", "x")
		}, "holds other.gz, which no export wrote"},
		{"a symbolic link in the export", func(t *testing.T, dir string) {
			mustExport(t, c, dir)
			os.Remove(filepath.Join(dir, "trust.md"))
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "trust.md")); err != nil {
				t.Skip(err)
			}
		}, "holds trust.md, which no export wrote"},
		{"a file", func(t *testing.T, dir string) {
			os.RemoveAll(dir)
			write(t, filepath.Dir(dir), filepath.Base(dir), "x")
		}, "not a directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(parttest.TempDir(t), "site")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			tc.make(t, dir)
			_, err := Export(context.Background(), c, Options{}, dir)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want it to hold %q", err, tc.want)
			}
			onlyOne(t, dir)
		})
	}
	if _, err := Export(context.Background(), c, Options{}, parttest.TempDir(t)+"/x", "lzma"); err == nil {
		t.Error("an unknown compressed form was accepted")
	}
	if _, err := Export(context.Background(), c, Options{Contact: "someone"}, parttest.TempDir(t)+"/x"); err == nil {
		t.Error("a contact that is not an address was accepted")
	}
}

func write(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestExportFollowsALinkToTheFolder(t *testing.T) {
	base := parttest.TempDir(t)
	if err := os.Symlink("real", filepath.Join(base, "site")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(base, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustExport(t, smallCatalog(t, testTime), filepath.Join(base, "site"))
	if info, err := os.Lstat(filepath.Join(base, "site")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if _, err := os.Stat(filepath.Join(base, "real", "manifest.json")); err != nil {
		t.Error(err)
	}
}

func TestExportThatIsStoppedChangesNothing(t *testing.T) {
	dir := filepath.Join(parttest.TempDir(t), "site")
	mustExport(t, smallCatalog(t, testTime), dir)
	before := readTree(t, dir)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := Export(ctx, smallCatalog(t, testTime.Add(time.Hour)), Options{}, dir)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	if diff := cmp.Diff(before, readTree(t, dir)); diff != "" {
		t.Errorf("the folder changed:\n%s", diff)
	}
	onlyOne(t, dir)
}
