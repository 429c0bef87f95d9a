package httpmirror

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/wirejson"
)

var (
	heavy      = flag.Bool("heavy", false, "run the benchmarks that write gigabytes: BenchmarkExport also with 305,000 entries")
	recordsDir = flag.String("records", "", "folder of records, for a process of BenchmarkExport")
	pagesDir   = flag.String("pages", "", "folder to which a process of BenchmarkExport exports the pages of the entries")
)

// BenchmarkExport runs the program's export, a process of its own, over generated records on disk: first into nothing, then again,
// then with compressed forms. In turn with it runs Hugo, twice: once it makes all that the export makes, each document in the same
// forms from the same data; once only the pages of the entries and their lists, beside an export of these alone. After them the same
// files are written with nothing rendered, which is the floor. Nothing is removed before the end: creating files is slower just after
// others were removed.
func BenchmarkExport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "almanac")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/almanac").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{1, 10, 100}
	if *heavy {
		sizes = append(sizes, 1000)
	}
	all := b.TempDir()
	for _, n := range sizes {
		b.Run(fmt.Sprintf("x%d", n), func(b *testing.B) {
			dir, err := os.MkdirTemp(all, "")
			if err != nil {
				b.Fatal(err)
			}
			benchmarkExport(b, program, dir, n)
			b.ReportMetric(0, "ns/op")
		})
	}
}

// rounds is how often the first export and Hugo take turns; the median is reported.
const rounds = 3

func benchmarkExport(b *testing.B, program, dir string, n int) {
	records := filepath.Join(dir, "records")
	entries := writeRecords(b, records, n)
	b.ReportMetric(float64(len(entries)), "entries")
	run := func(name string, args ...string) usage {
		return runMeasured(b, dir, program, append([]string{"export", "-fixtures", records, "-o", filepath.Join(dir, name)}, args...)...)
	}
	ours := []usage{run("site0")}
	files, bytes := sizeOfTree(b, filepath.Join(dir, "site0"))
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(float64(bytes)/1e6, "MB")
	if n > 100 {
		ours[0].report(b, "first")
		return
	}
	whole, pages := writeHugo(b, dir, entries), writeHugoEntries(b, dir, entries)
	var hugos, ourPages, hugoPages []usage
	for round := range rounds {
		ours = append(ours, run(fmt.Sprint("site", round+1)))
		ourPages = append(ourPages, runMeasured(b, dir, os.Args[0], "-test.run=^TestExportEntryPages$", "-records="+records, "-pages="+filepath.Join(dir, fmt.Sprint("pages", round))))
		if whole != "" {
			hugos = append(hugos, hugoRun(b, whole, fmt.Sprint("public", round)))
			hugoPages = append(hugoPages, hugoRun(b, pages, fmt.Sprint("public", round)))
		}
	}
	compare(b, "first", "hugo", median(ours), hugos)
	compare(b, "pages", "hugo-pages", median(ourPages), hugoPages)
	if whole != "" {
		made, bytes := sizeOfTree(b, filepath.Join(whole, "public0"))
		b.ReportMetric(float64(made), "hugo-files")
		b.ReportMetric(float64(bytes)/1e6, "hugo-MB")
	}
	run("site0").report(b, "again")
	run("packed", "-compress", "gzip,br").report(b, "packed")
	bareRun(b, filepath.Join(dir, "site0"), filepath.Join(dir, "bare"))
}

// compare reports our run, and Hugo's beside it where there is Hugo.
func compare(b *testing.B, name, theirName string, ours usage, theirs []usage) {
	ours.report(b, name)
	if theirs == nil {
		return
	}
	hugo := median(theirs)
	hugo.report(b, theirName)
	b.ReportMetric(ours.wall.Seconds()/hugo.wall.Seconds(), name+"/hugo")
	b.ReportMetric(ours.cpu.Seconds()/hugo.cpu.Seconds(), name+"/hugo-cpu")
}

// TestExportEntryPages is the process in which BenchmarkExport exports the pages of the entries and of their lists, and nothing else.
func TestExportEntryPages(t *testing.T) {
	if *pagesDir == "" {
		t.Skip("it is a process of BenchmarkExport")
	}
	c, err := load.Load(os.DirFS(*recordsDir), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	r := newRenderer(c, Options{}, kinds(c, Options{}))
	pages := r.tasks(func(f *form) bool {
		return slices.Contains([]string{catalog.HomePath, catalog.EntryPath("{id}"), catalog.CategoryPath("{category}"),
			catalog.TagPath("{tag}"), catalog.TagsPath}, f.path)
	})
	render := func(put func(*file.File) error) error {
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for _, t := range pages {
			g.Go(func() error {
				f, err := r.render(t)
				if err != nil {
					return err
				}
				return put(f)
			})
		}
		return g.Wait()
	}
	if _, err = export.Write(t.Context(), *pagesDir, c.Modified(), nil, render); err != nil {
		t.Fatal(err)
	}
}

// median returns the run in the middle by processor time, which depends less than the wall clock on
// what else the machine does.
func median(runs []usage) usage {
	slices.SortFunc(runs, func(x, y usage) int { return cmp.Compare(x.cpu, y.cpu) })
	return runs[len(runs)/2]
}

// bareRun writes files of the names and the lengths of a tree, one by one, and waits for the disk.
func bareRun(b *testing.B, tree, dir string) {
	type file struct {
		name string
		size int
	}
	var folders []string
	var files []file
	longest := 0
	err := filepath.WalkDir(tree, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.Join(dir, strings.TrimPrefix(p, tree))
		if d.IsDir() {
			folders = append(folders, name)
			return nil
		}
		info, err := d.Info()
		files = append(files, file{name, int(info.Size())})
		longest = max(longest, int(info.Size()))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(strings.Repeat("x", longest))
	start, before := time.Now(), processorTime(b)
	for _, name := range folders {
		if err := os.Mkdir(name, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	for _, f := range files {
		if err := os.WriteFile(f.name, body[:f.size], 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processorTime(b) - before).Seconds(), "bare-cpu-s")
	if out, err := exec.Command("sync", "-f", dir).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.ReportMetric(time.Since(start).Seconds(), "bare-s")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A usage is what a process took.
type usage struct {
	wall, cpu time.Duration
	memory    int64 // bytes, at most at one time
}

func (u usage) report(b *testing.B, name string) {
	b.ReportMetric(u.wall.Seconds(), name+"-s")
	b.ReportMetric(u.cpu.Seconds(), name+"-cpu-s")
	b.ReportMetric(float64(u.memory)/1e6, name+"-peak-MB")
}

func runMeasured(b *testing.B, dir, name string, args ...string) usage {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1795262400")
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%.2000s", name, err, out)
	}
	state := cmd.ProcessState
	return usage{time.Since(start), state.UserTime() + state.SystemTime(), state.SysUsage().(*syscall.Rusage).Maxrss * 1024}
}

func sizeOfTree(b *testing.B, dir string) (files int, bytes int64) {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		files, bytes = files+1, bytes+info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, bytes
}

// writeRecords writes the published records with the library n times as large, and returns the
// entries.
func writeRecords(b *testing.B, dir string, n int) []catalog.Entry {
	b.Helper()
	if err := os.CopyFS(dir, fixtures.FS); err != nil {
		b.Fatal(err)
	}
	var entries []catalog.Entry
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range c.Entries() {
		entries = append(entries, *e)
		for i := 1; i < n; i++ {
			copied := *e
			copied.ID, copied.URL = fmt.Sprintf("%.60s-x%d", e.ID, i), fmt.Sprintf("%s?copy=%d", e.URL, i)
			body, err := wirejson.Indent(copied)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "library", e.Category, copied.ID+".json"), body, 0o644)
			}
			if err != nil {
				b.Fatal(err)
			}
			entries = append(entries, copied)
		}
	}
	return entries
}
