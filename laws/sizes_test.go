package laws

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Files have near 300 lines and functions near 40; these are the ceilings.
const (
	maxFileLines = 400
	maxCommand   = 300 // of the files of cmd/almanac, which only wire
	maxFuncLines = 70
)

// TestSizes: no source file and no function outgrows its ceiling. Generated files are left out.
func TestSizes(t *testing.T) {
	for _, f := range productFiles(t) {
		limit := maxFileLines
		if strings.HasPrefix(f.path, "cmd/") {
			limit = maxCommand
		}
		if n := bytes.Count(f.source, []byte("\n")); n > limit {
			t.Errorf("%s has %d lines; give one of its ideas a file of its own", f.path, n)
		}
		checkFuncs(t, f.path, f.set, f.ast)
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
