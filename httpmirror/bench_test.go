package httpmirror

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
)

// manyEntries returns the real records with the library n times as large.
func manyEntries(tb testing.TB, n int) *catalog.Catalog {
	tb.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fixtures.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			return err
		}
		files[name] = &fstest.MapFile{Data: data}
		var e catalog.Entry
		if !strings.HasPrefix(name, "library/") {
			return nil
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		id, address := e.ID, e.URL
		for i := 1; i < n; i++ {
			e.ID, e.URL = fmt.Sprintf("%.60s-x%d", id, i), fmt.Sprintf("%s?copy=%d", address, i)
			copied, err := json.Marshal(e)
			if err != nil {
				return err
			}
			files[fmt.Sprintf("library/%s/%s.json", e.Category, e.ID)] = &fstest.MapFile{Data: copied}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	canonical, err := load.Rewrite(files)
	if err != nil {
		tb.Fatal(err)
	}
	for name, data := range canonical {
		files[name] = &fstest.MapFile{Data: data}
	}
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
