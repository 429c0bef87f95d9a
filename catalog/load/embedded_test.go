package load

import (
	"io/fs"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/fixtures"
)

// TestEveryFileIsEmbedded: the data that are built in are the files of the folder, so that no kind of record is forgotten,
// and make the catalogue that Load makes of them after judging them.
func TestEveryFileIsEmbedded(t *testing.T) {
	folder := filesBelow(t, os.DirFS(fixturesDir))
	folder = slices.DeleteFunc(folder, func(p string) bool { return p == "README.md" || p == "fixtures.go" })
	if diff := cmp.Diff(folder, filesBelow(t, fixtures.FS)); diff != "" {
		t.Errorf("files (-folder +embedded):\n%s", diff)
	}
	judged := realCatalog(t)
	c, err := LoadJudged(fixtures.FS, catalogtest.Options)
	if err != nil || c.Sum() != judged.Sum() || !reflect.DeepEqual(c.Entries(), judged.Entries()) ||
		!reflect.DeepEqual(c.Profiles(), judged.Profiles()) || !reflect.DeepEqual(c.HistoryIndex(), judged.HistoryIndex()) {
		t.Errorf("the embedded files make another catalogue: %v", err)
	}
}

func filesBelow(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
