package httpmirror

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/fixtures"
)

var heavy = flag.Bool("heavy", false, "run the benchmarks that write gigabytes: BenchmarkExport also with 185,000 entries")

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

// BenchmarkExport runs the program's export, a process of its own, over generated records on disk:
// first into nothing, then again, then with compressed forms. Beside it runs Hugo, which makes the
// HTML of the same entries.
func BenchmarkExport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "almanac")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/almanac").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{1, 10, 100}
	if *heavy {
		sizes = append(sizes, 1000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("entries=%d", 185*n), func(b *testing.B) {
			dir := b.TempDir()
			records, site := filepath.Join(dir, "records"), filepath.Join(dir, "site")
			entries := writeRecords(b, records, n)
			run := func(name string, args ...string) usage {
				return runMeasured(b, dir, program, append([]string{"export", "-fixtures", records, "-o", filepath.Join(dir, name)}, args...)...)
			}
			run("site").report(b, "first")
			files, bytes := sizeOfTree(b, site)
			b.ReportMetric(float64(files), "files")
			b.ReportMetric(float64(bytes)/1e6, "MB")
			run("site").report(b, "again")
			if n <= 100 {
				run("packed", "-compress", "gzip,br,zstd").report(b, "packed")
				hugoRun(b, dir, entries)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
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

// writeRecords writes the published records with the library n times as large, and gives the
// entries.
func writeRecords(b *testing.B, dir string, n int) []catalog.Entry {
	b.Helper()
	if err := os.CopyFS(dir, fixtures.FS); err != nil {
		b.Fatal(err)
	}
	var entries []catalog.Entry
	for _, e := range realCatalog(b).Entries() {
		entries = append(entries, *e)
		for i := 1; i < n; i++ {
			copied := *e
			copied.ID, copied.URL = fmt.Sprintf("%.60s-x%d", e.ID, i), fmt.Sprintf("%s?copy=%d", e.URL, i)
			body, err := encodeJSON(copied)
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

// hugoRun makes the pages of the entries with Hugo: a page for each, and paged lists by category
// and by tag, all with templates that hold nothing but the data.
func hugoRun(b *testing.B, dir string, entries []catalog.Entry) {
	hugo, err := exec.LookPath("hugo")
	if err != nil {
		b.Log("hugo is not installed")
		return
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
	runMeasured(b, base, hugo, "--quiet", "--destination", "public").report(b, "hugo")
	files, bytes := sizeOfTree(b, filepath.Join(base, "public"))
	if files < len(entries) {
		b.Errorf("hugo made %d files of %d entries: %s", files, len(entries), strings.TrimSpace(base))
	}
	b.ReportMetric(float64(files), "hugo-files")
	b.ReportMetric(float64(bytes)/1e6, "hugo-MB")
}
