package load

import (
	"os"
	"runtime"
	"testing"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
)

// What an entry of a large library takes is bounded: with its history, questions and evidence, and in a reload that does not change it.
func TestMemoryOfEntries(t *testing.T) {
	const few, many = 500, 2_500
	kept := func(n int) (loaded, reloaded int) {
		files := os.DirFS(catalogtest.NewLibrary(t, fixturesDir, t.TempDir(), n).Dir)
		load := func(before *catalog.Catalog) *catalog.Catalog {
			c, err := Reload(before, files, catalogtest.Options)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		at := catalogtest.LiveHeap()
		c := load(nil)
		first := catalogtest.LiveHeap()
		next := load(c)
		second := catalogtest.LiveHeap()
		runtime.KeepAlive(c)
		runtime.KeepAlive(next)
		return first - at, second - first
	}
	someLoaded, someReloaded := kept(few)
	allLoaded, allReloaded := kept(many)
	loaded, reloaded := (allLoaded-someLoaded)/(many-few), (allReloaded-someReloaded)/(many-few)
	t.Logf("%d bytes an entry, and %d more in a reload that changes nothing", loaded, reloaded)
	if most := 900; loaded > most {
		t.Errorf("an entry takes %d bytes, at most %d are allowed", loaded, most)
	}
	if most := 160; reloaded > most {
		t.Errorf("an unchanged entry takes %d bytes more in a reload, at most %d are allowed", reloaded, most)
	}
}
