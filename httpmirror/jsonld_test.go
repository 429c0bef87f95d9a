package httpmirror

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// dataBlocksOf returns the JSON-LD of a page by type.
func dataBlocksOf(t *testing.T, f *file.File) map[string]map[string]any {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(f.Body))
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string]map[string]any)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "script" || n.FirstChild == nil {
			continue
		}
		var block map[string]any
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &block); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if block["@context"] != "https://schema.org" {
			t.Errorf("%s: @context is %v", f.Path, block["@context"])
		}
		blocks[block["@type"].(string)] = block
	}
	return blocks
}

// TestDataBlocks holds what schema.org asks of each kind of page: the way to it, and for articles
// and datasets the fields that catalogues read.
func TestDataBlocks(t *testing.T) {
	m := realMirror(t)
	base := m.cat.Site().Base
	for f := range m.Files() {
		if !strings.HasPrefix(f.Type, "text/html") || f.Path == catalog.HomePath {
			continue
		}
		blocks := dataBlocksOf(t, f)
		steps, _ := blocks["BreadcrumbList"]["itemListElement"].([]any)
		if len(steps) < 2 {
			t.Errorf("%s: the breadcrumb has %d steps", f.Path, len(steps))
			continue
		}
		for i, step := range steps {
			item := step.(map[string]any)
			path, ok := strings.CutPrefix(item["item"].(string), base)
			if _, there := m.File(path); !ok || !there || item["position"] != float64(i+1) || item["name"] == "" {
				t.Errorf("%s: step %d of the breadcrumb is %v", f.Path, i+1, item)
			}
		}
		if last := steps[len(steps)-1].(map[string]any)["item"]; last != base+f.Path {
			t.Errorf("%s: the breadcrumb ends at %v", f.Path, last)
		}
	}
	for _, a := range m.cat.Articles() {
		wantFields(t, m, catalog.ArticlePath(a.ID), "Article", "headline", "description", "url", "datePublished", "dateModified", "author", "publisher", "citation")
	}
	wantFields(t, m, catalog.ProtocolsPath, "Dataset", "name", "description", "url", "license", "creator", "distribution", "dateModified")
	for _, d := range m.cat.Datasets() {
		wantFields(t, m, catalog.DatasetPath(d.ID), "Dataset", "name", "description", "url", "license", "creator", "distribution", "variableMeasured", "dateModified")
	}
}

func wantFields(t *testing.T, m *Mirror, path, kind string, fields ...string) {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("nothing is at %s", path)
	}
	block := dataBlocksOf(t, f)[kind]
	for _, field := range fields {
		if v := block[field]; v == nil || v == "" {
			t.Errorf("%s: %s has no %s", path, kind, field)
		}
	}
}
