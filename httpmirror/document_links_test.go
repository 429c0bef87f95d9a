package httpmirror

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// TestDocumentLinks follows every link of the Markdown files, and every address in the JSON
// documents, that leads to this site: machines find something wherever they are sent.
func TestDocumentLinks(t *testing.T) { checkDocumentLinks(t, realMirror(t)) }

func TestDocumentLinksOfASmallInstallation(t *testing.T) { checkDocumentLinks(t, modestMirror(t)) }

func checkDocumentLinks(t *testing.T, m *Mirror) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	base := m.cat.Site().Base
	links, targets, published := 0, make(map[string]string), make(map[string]bool) // targets: with a file that links there
	check := func(path, link string) {
		target, ours := strings.CutPrefix(link, base)
		if strings.HasPrefix(link, "/") {
			t.Errorf("%s: %s leads nowhere once the file is read elsewhere", path, link)
		}
		if !ours || strings.Contains(target, "{") { // a shape of addresses, such as those of the trust checklist
			return
		}
		links++
		target, _, _ = strings.Cut(target, "#")
		target, _, _ = strings.Cut(target, "?")
		targets[target] = path
	}
	for f := range m.Files() {
		published[f.Path] = true
		switch {
		case f.Type == file.Markdown:
			for _, link := range linksOf(f.Body) {
				check(f.Path, link)
			}
		case strings.HasSuffix(f.Type, "json"):
			var doc any
			if err := json.Unmarshal(f.Body, &doc); err != nil {
				t.Fatalf("%s: %v", f.Path, err)
			}
			for _, s := range stringsIn(doc) {
				if strings.HasPrefix(s, base) && !strings.ContainsAny(s, " \n") {
					check(f.Path, s)
				}
			}
		}
	}
	for target, path := range targets {
		live := target == "" || strings.HasPrefix(target, "/v1/") || strings.HasPrefix(target, catalog.MCPPath)
		if published[target] || live {
			continue
		}
		if _, ok := m.File(target); !ok {
			t.Errorf("%s: nothing is at %s", path, target)
		}
	}
	if links < 1000 {
		t.Errorf("only %d links were found", links)
	}
}

// linksOf returns the targets of the links of a Markdown text.
func linksOf(src []byte) []string {
	var list []string
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				list = append(list, string(n.Destination))
			}
		case *ast.AutoLink:
			if entering {
				list = append(list, string(n.URL(src)))
			}
		}
		return ast.WalkContinue, nil
	})
	return list
}

// stringsIn returns the strings in a JSON value.
func stringsIn(v any) []string {
	var list []string
	switch v := v.(type) {
	case string:
		list = append(list, v)
	case []any:
		for _, item := range v {
			list = append(list, stringsIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			list = append(list, stringsIn(item)...)
		}
	}
	return list
}
