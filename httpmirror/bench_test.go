package httpmirror

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"golang.org/x/sync/errgroup"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
)

// manyEntries returns the real records with the library n times as large.
func manyEntries(tb testing.TB, n int) *catalog.Catalog {
	tb.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fixtures.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			return err
		}
		files[name] = &fstest.MapFile{Data: data}
		var e catalog.Entry
		if !strings.HasPrefix(name, "library/") {
			return nil
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		id, address := e.ID, e.URL
		for i := 1; i < n; i++ {
			e.ID, e.URL = fmt.Sprintf("%.60s-x%d", id, i), fmt.Sprintf("%s?copy=%d", address, i)
			copied, err := json.Marshal(e)
			if err != nil {
				return err
			}
			files[fmt.Sprintf("library/%s/%s.json", e.Category, e.ID)] = &fstest.MapFile{Data: copied}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	canonical, err := load.Rewrite(files)
	if err != nil {
		tb.Fatal(err)
	}
	for name, data := range canonical {
		files[name] = &fstest.MapFile{Data: data}
	}
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// BenchmarkPages renders every page for people.
func BenchmarkPages(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("x%d", n), func(b *testing.B) {
			c := manyEntries(b, n)
			b.ResetTimer()
			var bytes, files int
			for b.Loop() {
				var total atomic.Int64
				r := newRenderer(c, Options{}, kinds(c, Options{}))
				pages := r.tasks(func(f *form) bool { return f.page != nil })
				var g errgroup.Group
				g.SetLimit(runtime.GOMAXPROCS(0))
				for _, t := range pages {
					g.Go(func() error {
						f, err := r.render(t)
						if err == nil {
							total.Add(int64(len(f.Body)))
						}
						return err
					})
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
				files, bytes = len(pages), int(total.Load())
			}
			b.ReportMetric(float64(files), "pages")
			b.ReportMetric(float64(bytes)/1e6, "MB")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "µs/page")
		})
	}
}

// BenchmarkBuild renders the whole site into memory.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("x%d", n), func(b *testing.B) {
			c := manyEntries(b, n)
			var files, bytes int
			for b.Loop() {
				m, err := Build(c, Options{})
				if err != nil {
					b.Fatal(err)
				}
				files, bytes = 0, 0
				for f := range m.Files() {
					files, bytes = files+1, bytes+len(f.Body)
				}
			}
			b.ReportMetric(float64(files), "files")
			b.ReportMetric(float64(bytes)/1e6, "MB")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "µs/file")
		})
	}
}

// BenchmarkTask finds the document at an address, one of a file and one of none, in a library of 10,000 entries.
func BenchmarkTask(b *testing.B) {
	c := manyEntries(b, 14)
	r := newRenderer(c, Options{}, kinds(c, Options{}))
	for name, path := range map[string]string{
		"entry": catalog.EntryPath(c.Entries()[len(c.Entries())/2].ID), "evidence": catalog.EvidencePath("nothing"), "none": catalog.EntryPath("nothing"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.task(path); (err == nil) != (name == "entry") {
					b.Fatal(path, err)
				}
			}
		})
	}
}
