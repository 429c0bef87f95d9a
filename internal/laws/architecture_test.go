package laws

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

// TestImportTableIsExact: the table allows nothing that no package imports any more, and lists no package that is gone.
func TestImportTableIsExact(t *testing.T) {
	imports := importsByPackage(t)
	for _, l := range layers {
		if _, ok := imports[l.name]; !ok {
			t.Errorf("package %s is in the table and does not exist", l.name)
		}
		for imp := range strings.FieldsSeq(l.imports) {
			if imp != "*" && !slices.Contains(imports[l.name], module+"/"+imp) {
				t.Errorf("%s is allowed to import %s and does not; shorten its row", l.name, imp)
			}
		}
	}
}

// TestArchitectureTable: the list of packages in ARCHITECTURE.md is generated from the table in
// imports_test.go.
func TestArchitectureTable(t *testing.T) {
	rows, last := "", -1
	for _, l := range slices.Backward(layers) {
		if l.number != last {
			rows += fmt.Sprintf("\n**Layer %d**\n\n", l.number)
			last = l.number
		}
		rows += fmt.Sprintf("- `%s`: %s\n", l.name, l.owns)
	}
	text := document(t, "ARCHITECTURE.md")
	list := regexp.MustCompile(`(\n\*\*Layer \d\*\*\n\n(- .*\n)+)+`)
	if found := list.FindAllString(text, -1); len(found) != 1 {
		t.Fatalf("ARCHITECTURE.md has %d lists of layers, want 1", len(found))
	}
	checkGenerated(t, "ARCHITECTURE.md", list.ReplaceAllLiteralString(text, rows))
}

// checkGenerated reports a file that differs from its generated text, or writes it with -update.
func checkGenerated(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("../..", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if document(t, name) != text {
		t.Errorf("%s is not as it is generated: run go test ./internal/laws -run %s -update", name, t.Name())
	}
}

// declarations returns everything declared outside functions: package.Name, and package.Type.Method; packages by their
// whole path and by its last part.
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
	for name := range importsByPackage(t) {
		packages[name], packages[path.Base(name)] = true, true
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
	if files == 0 || functions == 0 {
		t.Errorf("%d files and %d functions were found in ARCHITECTURE.md; are they written as code?", files, functions)
	}
}
