package laws

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// functionWords say nothing alone: a function or method is named by a noun or a verb.
var functionWords = strings.Fields(`a an the of is at in from with without within again any as to on here now whole by for into onto
	over under out off up down about between beside beyond through there this that these those it its they them he she we you which
	what who whose so too very just only also still yet already away both either neither none nothing something anything everything
	other others own later soon near outward once then upon toward towards along`)

// Ceilings: lower them as the code gets better.
const (
	maxFunctionWords = 8
	maxWhatPercent   = 2.8
)

// A goFile is a file of the product: neither a test nor generated.
type goFile struct {
	path   string
	source []byte
	set    *token.FileSet
	ast    *ast.File
}

// productFiles returns every file of the product, in all modules of the repository.
func productFiles(t *testing.T) (files []goFile) {
	t.Helper()
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(name) > 1 && d.Name()[0] == '.') {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f := goFile{path: name, set: token.NewFileSet()}
		if f.source, err = fs.ReadFile(repository, name); err != nil {
			return err
		}
		f.ast, err = parser.ParseFile(f.set, name, f.source, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(f.ast) {
			files = append(files, f)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// TestFunctionNames: functions and methods are named by nouns and verbs. Is and As belong to package errors.
func TestFunctionNames(t *testing.T) {
	var found []string
	for _, f := range productFiles(t) {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil && (fn.Name.Name == "Is" || fn.Name.Name == "As") {
				continue
			}
			if slices.Contains(functionWords, strings.ToLower(fn.Name.Name)) {
				found = append(found, f.set.Position(fn.Pos()).String()+": "+fn.Name.Name)
			}
		}
	}
	if len(found) > maxFunctionWords {
		t.Errorf("%d functions are named by a word that says nothing alone, at most %d may be:\n%s",
			len(found), maxFunctionWords, strings.Join(found, "\n"))
	}
}

// TestWords: comments use nouns. At most the given share of comment lines has the word "what".
func TestWords(t *testing.T) {
	what := regexp.MustCompile(`(?i)\bwhat\b`)
	lines := 0
	var found []string
	for _, f := range productFiles(t) {
		for _, line := range commentLines(f) {
			lines++
			if what.MatchString(line) {
				found = append(found, f.path+": "+line)
			}
		}
	}
	if share := 100 * float64(len(found)) / float64(lines); share > maxWhatPercent {
		t.Errorf("%.2f %% of the lines of comment have \"what\", at most %v %% may: use the noun in\n%s", share, maxWhatPercent, strings.Join(found, "\n"))
	}
}

// commentLines returns the text of each line of f that has a comment and no code.
func commentLines(f goFile) (texts []string) {
	code, comments := make(map[int]bool), make(map[int]string)
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(f.source))
	s.Init(file, f.source, nil, scanner.ScanComments)
	for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if n := file.Line(pos) + i; tok == token.COMMENT {
				comments[n] += line
			} else {
				code[n] = true
			}
		}
	}
	for n, text := range comments {
		if !code[n] {
			texts = append(texts, text)
		}
	}
	return texts
}

// TestCitations: comments cite only documents of the repository and public specifications.
func TestCitations(t *testing.T) {
	for _, f := range productFiles(t) {
		for _, group := range f.ast.Comments {
			if m := regexp.MustCompile(`\b(SPEC|DESIGN)\.md\b`).FindString(group.Text()); m != "" {
				t.Errorf("%s cites %s, which is not in the repository", f.set.Position(group.Pos()), m)
			}
		}
	}
}
