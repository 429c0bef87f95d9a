package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// existing returns the rows of the table of layers whose packages exist.
func existing(t *testing.T) (rows []layer) {
	t.Helper()
	for _, l := range layers {
		if _, err := fs.Stat(repository, l.name); err == nil {
			rows = append(rows, l)
		}
	}
	return rows
}

// TestImportTableIsExact: the table allows nothing that no package imports any more, and lists no package that is gone.
func TestImportTableIsExact(t *testing.T) {
	imports := make(map[string][]string)
	for _, p := range importsOfPackages(t) {
		imports[p.name] = p.imports
	}
	for _, l := range layers {
		if _, ok := imports[l.name]; !ok {
			t.Errorf("package %s is in the table and does not exist", l.name)
		}
		for imp := range strings.FieldsSeq(l.imports) {
			if imp != "*" && !slices.Contains(imports[l.name], "almanac/"+imp) {
				t.Errorf("%s is allowed to import %s and does not; shorten its row", l.name, imp)
			}
		}
	}
}

// TestArchitectureTable: ARCHITECTURE.md has the table of layers, row for row.
func TestArchitectureTable(t *testing.T) {
	var want []string
	for _, l := range slices.Backward(existing(t)) {
		want = append(want, fmt.Sprintf("| %d | `%s` | %s |", l.number, l.name, l.owns))
	}
	text := section(t, document(t, "ARCHITECTURE.md"), "## Layers")
	got := regexp.MustCompile(`(?m)^\| \d \|.*$`).FindAllString(text, -1)
	if !slices.Equal(got, want) {
		t.Errorf("ARCHITECTURE.md, \"Layers\", differs from the table in imports_test.go. Its rows should be:\n%s", strings.Join(want, "\n"))
	}
}

// TestDrawing: docs/architecture.svg shows each package in its layer, higher layers above lower ones, and its arrows are imports.
func TestDrawing(t *testing.T) {
	drawn := make(map[string]string) // package: id of the enclosing group
	var arrows [][2]string
	var groups, order []string
	for dec := xml.NewDecoder(strings.NewReader(document(t, "docs/architecture.svg"))); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			attr := make(map[string]string)
			for _, a := range tok.Attr {
				attr[a.Name.Local] = a.Value
			}
			if tok.Name.Local == "g" {
				groups, order = append(groups, attr["id"]), append(order, attr["id"])
			}
			if p := attr["data-package"]; p != "" {
				drawn[p] = groups[len(groups)-1]
			}
			if from := attr["data-from"]; from != "" {
				arrows = append(arrows, [2]string{from, attr["data-to"]})
			}
		case xml.EndElement:
			if tok.Name.Local == "g" {
				groups = groups[:len(groups)-1]
			}
		}
	}
	if want := []string{"layer-5", "layer-4", "layer-3", "layer-2", "layer-1", "layer-0"}; !slices.Equal(order, want) {
		t.Errorf("the layers are drawn in the order %v, want %v", order, want)
	}
	rows := existing(t)
	for _, l := range rows {
		if want := fmt.Sprintf("layer-%d", l.number); drawn[l.name] != want {
			t.Errorf("%s is drawn in %q, want %s", l.name, drawn[l.name], want)
		}
		delete(drawn, l.name)
	}
	for p := range drawn {
		t.Errorf("%s is drawn and does not exist", p)
	}
	imports := make(map[string][]string)
	for _, p := range importsOfPackages(t) {
		imports[p.name] = p.imports
	}
	if len(arrows) < 10 {
		t.Errorf("the drawing has %d arrows; were they found?", len(arrows))
	}
	for _, a := range arrows {
		if !slices.Contains(imports[a[0]], "almanac/"+a[1]) {
			t.Errorf("an arrow leads from %s to %s, which is not an import", a[0], a[1])
		}
	}
}

// declarations returns everything declared outside functions: package.Name, and package.Type.Method; packages by their whole path and by its last part.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		src, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add := func(declared string) {
			names[path.Dir(name)+"."+declared] = true
			names[path.Base(path.Dir(name))+"."+declared] = true
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name.Name)
				} else {
					add(receiver(d.Recv.List[0].Type) + "." + d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id.Name)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestArchitectureNames: every file and every package.Function that ARCHITECTURE.md names exists.
func TestArchitectureNames(t *testing.T) {
	text := document(t, "ARCHITECTURE.md")
	declared := declarations(t)
	packages := make(map[string]bool)
	for _, p := range importsOfPackages(t) {
		packages[p.name], packages[path.Base(p.name)] = true, true
	}
	files, functions := 0, 0
	for _, span := range codeSpans(text) {
		pkg, _, dotted := strings.Cut(span, ".")
		switch {
		case regexp.MustCompile(`^[\w./-]+\.(go|json|md|svg|css|js|html|txt|proto|gohtml|templ)$`).MatchString(span):
			files++
			if _, err := fs.Stat(repository, span); err != nil {
				t.Errorf("ARCHITECTURE.md names the file %s, which does not exist", span)
			}
		case dotted && packages[pkg] && regexp.MustCompile(`^[\w/]+(\.\w+)+$`).MatchString(span):
			functions++
			if !declared[span] {
				t.Errorf("ARCHITECTURE.md names %s, which is not declared", span)
			}
		}
	}
	if files < 10 || functions < 30 {
		t.Errorf("%d files and %d functions were found in ARCHITECTURE.md; are they written as code?", files, functions)
	}
	words := regexp.MustCompile(`(?m)^\| \*\*[^|]+\*\* \|`).FindAllString(section(t, text, "## Words"), -1)
	if len(words) < 30 {
		t.Errorf("the glossary has %d words, want 30 or more", len(words))
	}
}
