// Package catalogtest has the curated files for tests, changed where a test wants them changed.
package catalogtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.almanac.example/catalog"
)

// Options are those with which tests load the curated files.
var Options = catalog.Options{
	Site: catalog.Site{Base: "https://almanac.example", API: "https://api.almanac.example",
		MCP: "https://mcp.almanac.example"}, GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
}

// Files returns the files below dir with some of them replaced or added or, where nil, taken away.
func Files(t testing.TB, dir string, changes map[string][]byte) fstest.MapFS {
	t.Helper()
	tree := readTree(t, dir)
	for p, data := range changes {
		if data == nil {
			delete(tree, p)
		} else {
			tree[p] = &fstest.MapFile{Data: data}
		}
	}
	return tree
}

// Lean is Files without the history and without the evidence, the statements and the questions about entries that changes
// does not name: a third of the data, for tests that load it many times.
func Lean(t testing.TB, dir string, changes map[string][]byte) fstest.MapFS {
	t.Helper()
	tree := Files(t, dir, changes)
	for p := range tree {
		_, changed := changes[p]
		aboutEntry := strings.HasPrefix(p, "statements/") || strings.HasPrefix(p, "questions/library/") ||
			strings.HasPrefix(p, "evidence/") && !strings.HasPrefix(p, "evidence/protocol.")
		if !changed && (aboutEntry || strings.HasPrefix(p, "history/")) {
			delete(tree, p)
		}
	}
	return tree
}

// trees are the files that were read, by their folder: no test changes a folder that it gives to Files.
var trees sync.Map

// readTree returns a copy of the files below dir, which are read once.
func readTree(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	stored, ok := trees.Load(dir)
	if !ok {
		real, files := os.DirFS(dir), make(fstest.MapFS)
		err := fs.WalkDir(real, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(real, p)
			files[p] = &fstest.MapFile{Data: data}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		stored, _ = trees.LoadOrStore(dir, files)
	}
	tree := make(fstest.MapFS)
	for p, f := range stored.(fstest.MapFS) {
		tree[p] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

// cited matches an address that a protocol, an article or a dataset cites.
var cited = regexp.MustCompile(`("|\]\(|<)(https?://[^\s"()<>\\]+)(["()>])`) // not one within the text of a string

// ReplaceCited replaces every address that the protocols, articles and datasets below dir cite. address is given the
// file and how many of its addresses came before.
func ReplaceCited(t testing.TB, dir string, address func(file string, n int, old string) string) {
	t.Helper()
	for _, folder := range []string{"protocols", "articles", "datasets"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			n := -1
			data = cited.ReplaceAllFunc(data, func(m []byte) []byte {
				n++
				parts := cited.FindSubmatch(m)
				return append(append(parts[1][:len(parts[1]):len(parts[1])], address(p, n, string(parts[2]))...), parts[3]...)
			})
			return os.WriteFile(p, data, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
