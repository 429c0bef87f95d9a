package find_test

import (
	"flag"
	"os"
	"runtime"
	"testing"

	"almanac/catalog/catalogtest"
	"almanac/catalog/load"
	"almanac/index/find"
)

var entries = flag.Int("entries", 10_000, "size of the library of BenchmarkNew")

// BenchmarkNew measures making the finder of a large library, and what it keeps.
func BenchmarkNew(b *testing.B) {
	library := catalogtest.NewLibrary(b, "../../fixtures", b.TempDir(), *entries)
	c, err := load.Load(os.DirFS(library.Dir), catalogtest.Options)
	if err != nil {
		b.Fatal(err)
	}
	before := catalogtest.LiveHeap()
	b.ReportAllocs()
	var f *find.Finder
	for b.Loop() {
		if f, err = find.New(find.Records(c, func(string) []string { return nil })); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(catalogtest.LiveHeap()-before)/float64(*entries), "kept-B/entry")
	runtime.KeepAlive(f)
	runtime.KeepAlive(c)
}
