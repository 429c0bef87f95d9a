// Package catalogtest has the curated files for tests, changed where a test wants them changed.
package catalogtest

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"almanac/catalog"
)

// Options are those with which tests load the curated files.
var Options = catalog.Options{
	Site:        catalog.Site{Base: "https://almanac.example", API: "https://api.almanac.example", MCP: "https://mcp.almanac.example"},
	GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
}

// Files returns the files below dir with some of them replaced or added or, where nil, taken away.
func Files(t testing.TB, dir string, changes map[string][]byte) fstest.MapFS {
	t.Helper()
	real := os.DirFS(dir)
	tree := make(fstest.MapFS)
	err := fs.WalkDir(real, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(real, p)
		tree[p] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for p, data := range changes {
		if data == nil {
			delete(tree, p)
		} else {
			tree[p] = &fstest.MapFile{Data: data}
		}
	}
	return tree
}
