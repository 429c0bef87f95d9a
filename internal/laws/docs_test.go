package laws

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// repository is the root of the repository.
var repository = os.DirFS("../..")

// document returns a file of the repository as text.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// codeSpans returns the code spans of a text.
func codeSpans(text string) (spans []string) {
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

// markdownFiles returns the Markdown files that are documentation, not data.
func markdownFiles(t *testing.T) (files []string) {
	t.Helper()
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || name == ".git") {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(name, ".md") && (!strings.HasPrefix(name, "fixtures/") || name == "fixtures/README.md") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestDocumentationLinks: every link of the documentation to a file or a heading of the repository leads there.
func TestDocumentationLinks(t *testing.T) {
	for _, name := range markdownFiles(t) {
		text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(document(t, name), "")
		text = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(text, "")
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(m[1] + m[2])
			if err != nil || u.Scheme != "" {
				continue
			}
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			if _, err := fs.Stat(repository, target); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, u)
			} else if u.Fragment != "" && !headings(document(t, target))[u.Fragment] {
				t.Errorf("%s links to %s; there is no such heading", name, u)
			}
		}
	}
}

// headings returns the anchors of a document's headings, as GitHub makes them.
func headings(text string) map[string]bool {
	anchors := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchors[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return anchors
}

// testNames returns the names of all tests of the module, whatever tags they are built with.
func testNames(t *testing.T) map[string][]string {
	t.Helper()
	names := make(map[string][]string)
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
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
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z0-9]`).MatchString(fn.Name.Name) {
				names[fn.Name.Name] = append(names[fn.Name.Name], path.Dir(name))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// namedTest is how the documentation names a test, with its package where others have one of that name.
var (
	namedTest = regexp.MustCompile(`^(?:([a-z0-9/]+)\.)?(Test[A-Z0-9]\w*)`)
	namesTest = regexp.MustCompile("`(?:[a-z0-9/]+\\.)?Test[A-Z0-9]")
)

// TestContractIsHeld: each promise of docs/contract.md and each case of docs/cases.md names a test, and the tests that the
// documentation names exist. With -v it prints the package of each test that they name.
func TestContractIsHeld(t *testing.T) {
	tests := testNames(t)
	for _, name := range markdownFiles(t) {
		for _, span := range codeSpans(document(t, name)) {
			m := namedTest.FindStringSubmatch(span)
			if m == nil {
				continue
			}
			switch dir, packages := m[1], tests[m[2]]; {
			case len(packages) == 0, dir != "" && !slices.Contains(packages, dir):
				t.Errorf("%s names %s, which does not exist", name, m[0])
			case name != "docs/contract.md" && name != "docs/cases.md":
			case dir == "" && len(packages) > 1:
				t.Errorf("%s names %s, which stands in several packages: %s. Write which, as in %s.%[2]s", name, m[0], strings.Join(packages, ", "), packages[0])
			case testing.Verbose():
				t.Logf("%s: go test ./%s -run '^%s$'", m[0], cmp.Or(dir, packages[0]), m[2])
			}
		}
	}
	contract := document(t, "docs/contract.md") + document(t, "docs/cases.md")
	promises, cases := 0, 0
	for line := range strings.SplitSeq(contract, "\n") {
		promise, ok := strings.CutPrefix(line, "- ")
		if !ok {
			if strings.HasPrefix(line, "| ") && namesTest.MatchString(line) {
				t.Errorf("a promise is an item of a list, which begins with a hyphen: %s", line)
			}
			continue
		}
		if m := regexp.MustCompile(`^\*\*C(\d+)\*\* `).FindStringSubmatch(promise); m == nil {
			promises++
		} else if cases++; m[1] != strconv.Itoa(cases) {
			t.Errorf("case C%s stands where C%d belongs", m[1], cases)
		}
		if !namesTest.MatchString(promise) && !strings.Contains(promise, " none: ") {
			t.Errorf("no test is named for: %s", promise)
		}
	}
	if promises < 150 || cases < 59 {
		t.Errorf("the contract has %d promises and %d cases; were the lists found?", promises, cases)
	}
}
