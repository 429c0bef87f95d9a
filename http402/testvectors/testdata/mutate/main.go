// Mutate breaks the rules of a package one after another, and counts the breaks that tests catch:
//
//	go run -C http402 ./testvectors/testdata/mutate [-every N] [-offset N] [-run REGEXP] PACKAGE TESTS…
//
// The package is a folder. A break is a condition that is negated, a comparison whose bound moves, a case that is
// dropped, a number or text that changes, a loop or return that ends early. The tests run against a copy in which one
// thing is broken; the files themselves stay as they are.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A mutation is one break: do makes it, and undo takes it back.
type mutation struct {
	at       token.Pos
	what     string
	do, undo func()
}

func main() {
	log.SetFlags(0)
	every := flag.Int("every", 1, "make each N-th break alone")
	offset := flag.Int("offset", 0, "begin so many breaks later, for another sample")
	run := flag.String("run", ".", "tests to run")
	flag.Parse()
	if flag.NArg() < 2 {
		log.Fatal("usage: mutate [-every N] [-offset N] [-run REGEXP] PACKAGE TESTS…")
	}
	files, err := filepath.Glob(filepath.Join(flag.Arg(0), "*.go"))
	check(err)
	dir, err := os.MkdirTemp("", "mutate-")
	check(err)
	defer os.RemoveAll(dir)
	if out, caught := tested(*run, nil); caught {
		log.Fatalf("the tests fail before anything is broken:\n%s", out)
	}
	n, made, caught := 0, 0, 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		check(err)
		for _, m := range mutations(file) {
			if n++; (n+*every-*offset%*every)%*every != 0 {
				continue
			}
			m.do()
			var b bytes.Buffer
			check(format.Node(&b, set, file))
			m.undo()
			killed, built := try(dir, name, b.Bytes(), *run)
			if !built {
				continue
			}
			if made++; killed {
				caught++
			} else {
				fmt.Printf("survives: %s: %s\n", set.Position(m.at), m.what)
			}
		}
	}
	fmt.Printf("%d of %d caught, %.1f %%\n", caught, made, 100*float64(caught)/float64(max(1, made)))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// try runs the tests with another text of one file. A text that does not compile is no break.
func try(dir, name string, text []byte, run string) (killed, built bool) {
	copied := filepath.Join(dir, "copy.go")
	check(os.WriteFile(copied, text, 0o600))
	path, err := filepath.Abs(name)
	check(err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: copied}})
	check(err)
	file := filepath.Join(dir, "overlay.json")
	check(os.WriteFile(file, overlay, 0o600))
	if exec.Command("go", "build", "-overlay", file, "./"+filepath.Dir(name)).Run() != nil {
		return false, false
	}
	_, killed = tested(run, []string{"-overlay", file})
	return killed, true
}

// tested runs the tests and reports whether they fail. Tests that do not end fail.
func tested(run string, flags []string) (out []byte, failed bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", "60s", "-run", run}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, flag.Args()[1:]...)...).CombinedOutput()
	return out, err != nil
}

var (
	opposite = map[token.Token]token.Token{token.EQL: token.NEQ, token.NEQ: token.EQL}
	bounds   = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	joins    = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}
)

// mutations returns the breaks of a file, in its order.
func mutations(file *ast.File) (all []mutation) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.IMPORT
		case *ast.CallExpr: // the words of a message are no rule
			if messages(n) {
				return false
			}
		case *ast.IfStmt:
			cond := n.Cond
			all = append(all, mutation{n.Pos(), "the condition is negated",
				func() { n.Cond = &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: cond}} }, func() { n.Cond = cond }})
		case *ast.CaseClause:
			if len(n.List) > 0 {
				list, body := n.List, n.Body
				all = append(all, mutation{n.Pos(), "the case does nothing", func() { n.Body = nil }, func() { n.Body = body }})
				if len(list) > 1 {
					all = append(all, mutation{n.Pos(), "the case has a value less", func() { n.List = list[1:] }, func() { n.List = list }})
				}
			}
		case *ast.BinaryExpr:
			old := n.Op
			for what, table := range map[string]map[token.Token]token.Token{"the comparison is reversed": opposite, "the bound moves": bounds, "and becomes or": joins} {
				if op, ok := table[old]; ok {
					all = append(all, mutation{n.OpPos, what, func() { n.Op = op }, func() { n.Op = old }})
				}
			}
		case *ast.BasicLit:
			old := n.Value
			changed := ""
			if v, err := strconv.Atoi(old); err == nil && n.Kind == token.INT {
				changed = strconv.Itoa(v + 1)
			} else if s, err := strconv.Unquote(old); err == nil && n.Kind == token.STRING && s != "" {
				changed = strconv.Quote("~" + s)
				if name, ok := strings.CutPrefix(s, `json:"`); ok { // else the member has the field's own name
					changed = strconv.Quote(`json:"~` + name)
				}
			}
			if changed != "" {
				all = append(all, mutation{n.Pos(), old + " becomes " + changed, func() { n.Value = changed }, func() { n.Value = old }})
			}
		case *ast.BranchStmt:
			if n.Label == nil && (n.Tok == token.BREAK || n.Tok == token.CONTINUE) {
				old := n.Tok
				other := map[token.Token]token.Token{token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK}[old]
				all = append(all, mutation{n.Pos(), old.String() + " becomes " + other.String(), func() { n.Tok = other }, func() { n.Tok = old }})
			}
		}
		return true
	})
	return all
}

// messages reports whether a call writes a message for people.
func messages(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return name == "Errorf" || name == "New" || name == "panic" || name == "fault"
}
