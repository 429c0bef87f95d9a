package load

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"go.almanac.example/catalog/catalogtest"
)

// multiplied returns the real data with each library entry n times, in memory. Copies have ids and
// addresses of their own.
func multiplied(t testing.TB, n int) fs.FS {
	t.Helper()
	tree := catalogtest.Files(t, fixturesDir, nil)
	for _, e := range realCatalog(t).Entries() {
		for i := 1; i < n; i++ {
			id := fmt.Sprintf("%s-%d", e.ID, i)
			data := bytes.Replace(canonical(e), []byte(`"id": "`+e.ID+`"`), []byte(`"id": "`+id+`"`), 1)
			data = bytes.Replace(data, []byte(`"url": "`+e.URL+`"`), []byte(fmt.Sprintf(`"url": "%s?copy=%d"`, e.URL, i)), 1)
			tree[path.Join("library", e.Category, id+".json")] = &fstest.MapFile{Data: data}
		}
	}
	return memory{tree, folders(tree)}
}

// memory is a MapFS that finds a folder without looking at every file, as a disk does. A MapFS
// alone would make the benchmark measure itself.
type memory struct {
	fstest.MapFS
	dirs map[string][]fs.DirEntry
}

func (m memory) ReadDir(name string) ([]fs.DirEntry, error) { return m.dirs[name], nil }

func (m memory) ReadFile(name string) ([]byte, error) {
	if f, ok := m.MapFS[name]; ok {
		return bytes.Clone(f.Data), nil
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

func folders(tree fstest.MapFS) map[string][]fs.DirEntry {
	dirs := make(map[string][]fs.DirEntry)
	fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if p != "." {
			dirs[path.Dir(p)] = append(dirs[path.Dir(p)], d)
		}
		return err
	})
	return dirs
}

// BenchmarkLoad reports the time for one entry, which should not grow with their number.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		fsys := multiplied(b, n)
		entries := n * len(realCatalog(b).Entries())
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := Load(fsys, catalogtest.Options)
				if err != nil {
					b.Fatal(strings.SplitN(err.Error(), "\n", 2)[0])
				}
				if len(c.Entries()) != entries {
					b.Fatalf("%d entries, want %d", len(c.Entries()), entries)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*entries), "µs/entry")
		})
	}
}
