package export

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/fixtures"
	"almanac/wirejson"
)

var heavy = flag.Bool("heavy", false, "run the benchmarks that write gigabytes: BenchmarkExport also with 185,000 entries")

// BenchmarkExport runs the program's export, a process of its own, over generated records on disk:
// first into nothing, then again, then with compressed forms. In turn with it runs Hugo, which
// makes the HTML of the same entries; after it the same files are written with nothing rendered,
// which is the floor. Nothing is removed before the end: creating files is slower just after
// others were removed.
func BenchmarkExport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "almanac")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/almanac").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{1, 10, 100}
	if *heavy {
		sizes = append(sizes, 1000)
	}
	all := b.TempDir()
	for _, n := range sizes {
		b.Run(fmt.Sprintf("entries=%d", 185*n), func(b *testing.B) {
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
	run := func(name string, args ...string) usage {
		return runMeasured(b, dir, program, append([]string{"export", "-fixtures", records, "-o", filepath.Join(dir, name)}, args...)...)
	}
	small := n <= 100
	hugo := ""
	if small {
		hugo = writeHugo(b, dir, entries)
	}
	var ours, hugos []usage
	for round := range rounds {
		if small || round == 0 {
			ours = append(ours, run(fmt.Sprintf("site%d", round)))
		}
		if hugo != "" {
			hugos = append(hugos, hugoRun(b, hugo, fmt.Sprintf("public%d", round), len(entries)))
		}
	}
	first := median(ours)
	first.report(b, "first")
	files, bytes := sizeOfTree(b, filepath.Join(dir, "site0"))
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(float64(bytes)/1e6, "MB")
	run("site0").report(b, "again")
	if small {
		run("packed", "-compress", "gzip,br,zstd").report(b, "packed")
		bareRun(b, filepath.Join(dir, "site0"), filepath.Join(dir, "bare"))
	}
	if hugos != nil {
		theirs := median(hugos)
		theirs.report(b, "hugo")
		b.ReportMetric(first.wall.Seconds()/theirs.wall.Seconds(), "first/hugo")
		b.ReportMetric(first.cpu.Seconds()/theirs.cpu.Seconds(), "first/hugo-cpu")
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
	if err := flush(dir); err != nil {
		b.Fatal(err)
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

// writeHugo writes what Hugo makes the pages of the entries from: a page for each, and paged lists
// by category and by tag, all with templates that hold nothing but the data. It returns the folder,
// or "" where there is no Hugo.
func writeHugo(b *testing.B, dir string, entries []catalog.Entry) string {
	if _, err := exec.LookPath("hugo"); err != nil {
		b.Log("hugo is not installed")
		return ""
	}
	base := filepath.Join(dir, "hugo")
	put := func(name, body string) {
		p := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	put("config.json", `{"baseURL":"https://almanac.example/","title":"almanac","paginate":500,"disableKinds":["RSS","sitemap","robotsTXT","404"]}`)
	put("layouts/_default/baseof.html", `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body>{{ block "main" . }}{{ end }}</body></html>`)
	put("layouts/_default/single.html", `{{ define "main" }}<h1>{{ .Title }}</h1><p>{{ .Params.summary }}</p><dl><dt>Source</dt><dd><a href="{{ .Params.source }}">{{ .Params.source }}</a></dd>`+
		`<dt>Publisher</dt><dd>{{ .Params.publisher }}</dd><dt>Type</dt><dd>{{ .Params.kind }}</dd><dt>Verified</dt><dd>{{ .Params.verified }}</dd></dl>`+
		`<ul>{{ range .Params.tags }}<li><a href="/tags/{{ . }}/">{{ . }}</a></li>{{ end }}</ul>{{ end }}`)
	put("layouts/_default/list.html", `{{ define "main" }}<h1>{{ .Title }}</h1><ul>{{ range .Paginator.Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a> {{ .Params.publisher }} {{ .Params.kind }} `+
		`{{ .Params.summary }} {{ .Params.verified }}</li>{{ end }}</ul>{{ with .Paginator.Next }}<a href="{{ .URL }}">next</a>{{ end }}{{ end }}`)
	put("layouts/index.html", `{{ define "main" }}<h1>almanac</h1><ul>{{ range .Site.Sections }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul>{{ end }}`)
	for _, e := range entries {
		front, err := json.MarshalIndent(map[string]any{
			"title": e.Title, "publisher": e.Publisher, "kind": e.Type, "source": e.URL, "summary": e.Summary, "tags": e.Tags,
			"verified": e.VerifiedAt, "date": e.VerifiedAt,
		}, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		put(filepath.Join("content", e.Category, e.ID+".md"), string(front)+"\n")
	}
	return base
}

// hugoRun runs Hugo in a folder that writeHugo wrote.
func hugoRun(b *testing.B, base, name string, entries int) usage {
	u := runMeasured(b, base, "hugo", "--quiet", "--destination", name)
	files, bytes := sizeOfTree(b, filepath.Join(base, name))
	if files < entries {
		b.Errorf("hugo made %d files of %d entries", files, entries)
	}
	b.ReportMetric(float64(files), "hugo-files")
	b.ReportMetric(float64(bytes)/1e6, "hugo-MB")
	return u
}
