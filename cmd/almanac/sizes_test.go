package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Files have near 300 lines and functions near 40; these are the ceilings.
const (
	maxFileLines = 400
	maxCommand   = 120 // of the files of cmd/almanac, which only wire
	maxFuncLines = 70
)

// TestSizes: no source file and no function outgrows its ceiling. Generated files are left out.
func TestSizes(t *testing.T) {
	root := os.DirFS("../..")
	files := 0
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		files++
		limit := maxFileLines
		if strings.HasPrefix(path, "cmd/") {
			limit = maxCommand
		}
		if n := bytes.Count(src, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines; give one of its ideas a file of its own", path, n)
		}
		checkFuncs(t, path, set, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

func checkFuncs(t *testing.T, path string, set *token.FileSet, file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines; name a part of it", path, f.Name.Name, n)
			}
		}
	}
}
