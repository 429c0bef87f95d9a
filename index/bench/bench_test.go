package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	sizes = flag.String("sizes", "1000,10000", "numbers of documents, separated by commas")
	only  = flag.String("engines", "", "engines to measure, separated by commas; empty: all")
)

// A row is a line of the table.
type row struct {
	size          int
	engine, class string
	p50, p99      time.Duration
	allocs        float64
	build         time.Duration
	heap, disk    float64 // MB
}

// BenchmarkSearch measures every engine at every size, and ends with a table.
func BenchmarkSearch(b *testing.B) {
	var rows []row
	for _, s := range strings.Split(*sizes, ",") {
		size, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("-sizes: %v", err)
		}
		c := newCorpus(size)
		for _, e := range engines {
			if *only != "" && !slices.Contains(strings.Split(*only, ","), e.name) {
				continue
			}
			rows = append(rows, measure(b, c, e.name, e.build)...)
		}
	}
	fmt.Print("\n", table(rows)) // a benchmark with parts does not show its log
}

func measure(b *testing.B, c *corpus, name string, build func(*corpus, string) (engine, error)) []row {
	dir := b.TempDir()
	before := heap()
	start := time.Now()
	e, err := build(c, dir)
	if err != nil {
		b.Fatal(err)
	}
	defer e.close()
	base := row{size: len(c.entries), engine: name, build: time.Since(start), heap: heap() - before, disk: diskUse(dir)}
	var rows []row
	for _, class := range classes {
		r := base
		r.class = class
		b.Run(fmt.Sprintf("docs=%d/%s/%s", len(c.entries), name, class), func(b *testing.B) {
			r.p50, r.p99, r.allocs = run(b, e, c.queries[class])
			b.ReportMetric(float64(r.p50.Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(r.p99.Nanoseconds())/1e3, "p99-µs")
			b.ReportMetric(r.build.Seconds(), "build-s")
			b.ReportMetric(r.heap, "heap-MB")
			b.ReportMetric(r.disk, "disk-MB")
		})
		if r.p50 > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// run asks the queries in turn, every one once before the clock starts.
func run(b *testing.B, e engine, queries []query) (p50, p99 time.Duration, allocs float64) {
	for _, q := range queries {
		if _, err := e.search(q); err != nil {
			b.Fatal(err)
		}
	}
	took := make([]time.Duration, b.N)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		if _, err := e.search(queries[i%len(queries)]); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100], float64(after.Mallocs-before.Mallocs) / float64(b.N)
}

func heap() float64 {
	runtime.GC()
	runtime.GC() // the first may leave what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

func diskUse(dir string) float64 {
	var n int64
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return float64(n) / 1e6
}

// table sets every engine beside the floor and FTS5 (C) of the same size and class.
func table(rows []row) string {
	find := func(r row, engine string) time.Duration {
		i := slices.IndexFunc(rows, func(o row) bool { return o.engine == engine && o.size == r.size && o.class == r.class })
		if i < 0 {
			return 0
		}
		return rows[i].p50
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%9s %-8s %-9s %10s %10s %8s %9s %9s %9s %9s %9s\n",
		"docs", "engine", "class", "p50 µs", "p99 µs", "allocs", "×floor", "FTS5-C/×", "build s", "heap MB", "disk MB")
	for _, r := range rows {
		fmt.Fprintf(&t, "%9d %-8s %-9s %10.1f %10.1f %8.0f %9.2f %9.2f %9.2f %9.1f %9.1f\n",
			r.size, r.engine, r.class, float64(r.p50.Nanoseconds())/1e3, float64(r.p99.Nanoseconds())/1e3, r.allocs,
			ratio(r.p50, find(r, "floor")), ratio(find(r, "fts5-c"), r.p50), r.build.Seconds(), r.heap, r.disk)
	}
	return t.String()
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
