package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
)

// BenchmarkReload measures the reload of a large library of which some entries were edited, beside building the index anew: ratio is what part
// of the processor time of that it takes.
func BenchmarkReload(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		entries := catalogtest.InventEntries(b, "../fixtures", n+n/100)
		list, others := make(recordList, n), entries[n:]
		for i, e := range entries[:n] {
			list[i] = record{entry: e, label: "Category " + e.Category}
		}
		list.sort()
		for _, place := range []string{"memory", "disk"} {
			o := Options{Memory: 512 << 20, DiskFrom: 1 << 40}
			if place == "disk" {
				o.DiskFrom, o.Dir = 1, b.TempDir()
			}
			built := func(before *Index, records recordList) (*Index, time.Duration) {
				began := cpuTime()
				x, err := newIndex(before, records, catalog.DefaultSite, o)
				if err != nil {
					b.Fatal(err)
				}
				return x, cpuTime() - began
			}
			var x *Index
			var anew time.Duration
			b.Run(fmt.Sprintf("%d/%s/anew", n, place), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if x != nil {
						x.Close()
						o.Dir = b.TempDir()
					}
					x, anew = built(nil, list)
				}
				b.ReportMetric(float64(anew.Milliseconds()), "cpu-ms/op")
			})
			if x == nil { // left out by -bench
				continue
			}
			for _, edited := range []int{1, n / 1000, n / 100} {
				b.Run(fmt.Sprintf("%d/%s/%d", n, place, edited), func(b *testing.B) {
					next := edit(list, edited, others)
					b.ReportAllocs()
					var took time.Duration
					for b.Loop() {
						reloaded, t := built(x, next)
						if reloaded.store.Indexed() != edited {
							b.Fatalf("%d documents are indexed, want %d", reloaded.store.Indexed(), edited)
						}
						reloaded.Close()
						took += t
					}
					took /= time.Duration(b.N)
					b.ReportMetric(float64(took.Milliseconds()), "cpu-ms/op")
					b.ReportMetric(float64(took)/float64(anew), "ratio")
				})
			}
			x.Close()
		}
	}
}

// edit returns the records with the texts of other entries in n of them, evenly spread.
func edit(list recordList, n int, others []*catalog.Entry) recordList {
	next := slices.Clone(list)
	for i := range n {
		r := &next[i*(len(list)/n)]
		e := *r.entry
		e.Title, e.Summary = others[i].Title, others[i].Summary
		r.entry = &e
	}
	return next
}

// BenchmarkReloadedSearch measures searches of an index that was reloaded with a share of the entries edited, beside those of one built anew of
// the same. Hardly a list is kept, so that each is read. ratio is the processor time of the one against that of the other.
func BenchmarkReloadedSearch(b *testing.B) {
	const n = 20_000
	entries := catalogtest.InventEntries(b, "../fixtures", n+n/10)
	list := make(recordList, n)
	for i, e := range entries[:n] {
		list[i] = record{entry: e, label: "Category " + e.Category}
	}
	list.sort()
	for _, edited := range []int{0, n / 100, n / 20, n/10 - 1} {
		b.Run(fmt.Sprint(edited), func(b *testing.B) {
			next := edit(list, edited, entries[n:])
			o := Options{Timeout: time.Minute, CacheBytes: 1, Answers: -1}
			build := func(before *Index, records recordList) *Index {
				x, err := newIndex(before, records, catalog.DefaultSite, o)
				if err != nil {
					b.Fatal(err)
				}
				return x
			}
			old, anew := build(nil, list), build(nil, next)
			defer old.Close()
			defer anew.Close()
			reloaded := build(old, next)
			defer reloaded.Close()
			search := func(x *Index, i int) time.Duration {
				began := cpuTime()
				for range 20 {
					if _, err := x.Search(b.Context(), Query{Text: neverSeen(i)}); err != nil {
						b.Fatal(err)
					}
					i += 7
				}
				return cpuTime() - began
			}
			var took, floor time.Duration
			for i := range b.N {
				floor += search(anew, i*140)
				took += search(reloaded, i*140)
			}
			b.ReportMetric(float64(took)/float64(floor), "ratio")
			b.ReportMetric(float64(floor.Microseconds())/float64(20*b.N), "cpu-µs/search-anew")
		})
	}
}
