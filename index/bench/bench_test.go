package bench

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	sizes = flag.String("sizes", "1000,10000", "numbers of documents, separated by commas")
	only  = flag.String("engines", "", "engines to measure, separated by commas; empty: all")
)

// A row is a line of the table.
type row struct {
	size           int
	engine, class  string
	p50, p99       time.Duration
	cold50, cold99 time.Duration // of each query's first time
	cpu            time.Duration // processor time of the build
	allocs         float64
	build          time.Duration
	heap           float64 // MB
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
		keepAnswered(b, c)
		for _, e := range engines {
			if !isChosen(e.name) {
				continue
			}
			rows = append(rows, measure(b, c, e.name, e.build)...)
		}
	}
	fmt.Print("\n", table(rows)) // a benchmark with parts does not show its log
}

// keepAnswered leaves the queries for which both almanac and SQLite's FTS5 find something, because an empty answer beside
// a full one is no comparison.
func keepAnswered(b *testing.B, c *corpus) {
	for _, e := range engines {
		if e.name != "almanac" && e.name != "fts5-go" {
			continue
		}
		opened, err := e.build(c, b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		for class, queries := range c.queries {
			c.queries[class] = slices.DeleteFunc(queries, func(q query) bool {
				n, err := opened.search(q)
				return err != nil || n == 0
			})
		}
		opened.close()
	}
	for _, class := range classes {
		fmt.Printf("%d documents, %s: %d of %d queries are answered by both\n", len(c.entries), class, len(c.queries[class]), queriesOfClass)
		if len(c.queries[class]) == 0 {
			b.Fatalf("no query of the class %s is answered by both", class)
		}
	}
}

func measure(b *testing.B, c *corpus, name string, build func(*corpus, string) (engine, error)) []row {
	dir := b.TempDir()
	before := heap()
	start, cpu := time.Now(), cpuTime()
	e, err := build(c, dir)
	if err != nil {
		b.Fatal(err)
	}
	defer e.close()
	base := row{size: len(c.entries), engine: name, build: time.Since(start), cpu: cpuTime() - cpu, heap: heap() - before}
	var rows []row
	for _, class := range classes {
		r := base
		r.class = class
		r.cold50, r.cold99 = cold(b, e, c.queries[class])
		b.Run(fmt.Sprintf("docs=%d/%s/%s", len(c.entries), name, class), func(b *testing.B) {
			r.p50, r.p99, r.allocs = run(b, e, c.queries[class])
			b.ReportMetric(float64(r.p50.Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(r.p99.Nanoseconds())/1e3, "p99-µs")
			b.ReportMetric(r.build.Seconds(), "build-s")
			b.ReportMetric(r.heap, "heap-MB")
		})
		if r.p50 > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cold asks every query for the first time. The classes share words, so the later ones are less cold.
func cold(b *testing.B, e engine, queries []query) (p50, p99 time.Duration) {
	took := make([]time.Duration, len(queries))
	for i, q := range queries {
		start := time.Now()
		if _, err := e.search(q); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

// run asks the queries in turn, each of which was asked before.
func run(b *testing.B, e engine, queries []query) (p50, p99 time.Duration, allocs float64) {
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

// table sets every engine beside the floor and FTS5 (C) of the same size and class.
func table(rows []row) string {
	find := func(r row, engine string) row {
		i := slices.IndexFunc(rows, func(o row) bool { return o.engine == engine && o.size == r.size && o.class == r.class })
		if i < 0 {
			return row{}
		}
		return rows[i]
	}
	var t strings.Builder
	fmt.Fprintf(&t, "%9s %-8s %-9s %10s %10s %10s %10s %8s %9s %9s %9s %9s %9s %9s\n",
		"docs", "engine", "class", "p50 µs", "p99 µs", "cold p50", "cold p99", "allocs", "×floor", "FTS5-C/×", "cold C/×", "build s", "cpu µs/d", "heap MB")
	for _, r := range rows {
		micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
		fts := find(r, "fts5-c")
		fmt.Fprintf(&t, "%9d %-8s %-9s %10.1f %10.1f %10.1f %10.1f %8.0f %9.2f %9.2f %9.2f %9.2f %9.1f %9.1f\n",
			r.size, r.engine, r.class, micros(r.p50), micros(r.p99), micros(r.cold50), micros(r.cold99), r.allocs,
			ratio(r.p50, find(r, "floor").p50), ratio(fts.p50, r.p50), ratio(fts.cold50, r.cold50), r.build.Seconds(), micros(r.cpu)/float64(r.size), r.heap)
	}
	return t.String()
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// isChosen reports whether an engine is to be measured.
func isChosen(engine string) bool {
	return *only == "" || slices.Contains(strings.Split(*only, ","), engine)
}
