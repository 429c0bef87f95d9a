package httpmirror

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
)

var update = flag.Bool("update", false, "rewrite the files below testdata/golden")

// TestGolden holds the files for machines of a small site to the byte. The pages are looked at
// in a browser instead, and the schemas are kept as files already.
func TestGolden(t *testing.T) {
	const dir = "testdata/golden"
	want := make(map[string]string)
	for f := range smallMirror(t).Files() {
		if strings.HasPrefix(f.Type, "text/html") || f.Type == file.Schema || strings.HasPrefix(f.Path, "/static/") || path.Ext(f.Path) == ".svg" || f.Path == html.FaviconPath {
			continue
		}
		switch f.Path {
		case catalog.ManifestPath, catalog.OpenAPIPath, catalog.LLMsFullPath, catalog.NoticesPath, catalog.TrustJSONPath, catalog.MarkdownPath(catalog.TrustPath):
			continue // they repeat tables that are kept elsewhere, and have tests of their own
		}
		want[export.DiskName(f.Path)] = string(f.Body)
	}
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		for name, body := range want {
			p := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(p)
		got[strings.TrimPrefix(filepath.ToSlash(p), dir+"/")] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("files differ from %s (-golden +built); look at them, then run with -update:\n%s", dir, diff)
	}
}
