package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"almanac/parttest"
	"almanac/server/servertest"
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

// section returns the text of a document below a heading, up to the next heading of its level or a higher one.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, ok := strings.Cut("\n"+text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("there is no heading %q", heading)
	}
	level := strings.IndexFunc(heading, func(r rune) bool { return r != '#' })
	fenced := false
	var lines []string
	for line := range strings.SplitSeq(after, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if n := len(line) - len(strings.TrimLeft(line, "#")); !fenced && n > 0 && n <= level && strings.HasPrefix(line[n:], " ") {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// shellBlocks returns the shell blocks of a text.
func shellBlocks(text string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// codeSpans returns the code spans of a text.
func codeSpans(text string) (spans []string) {
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

// TestReadmePurchase runs the documented purchase literally, but for the address.
func TestReadmePurchase(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		parttest.Everyday(t, tool)
	}
	p := startServe(t)
	script := shellBlocks(section(t, document(t, "docs/use.md"), "## As a paying agent"))[0]
	script = strings.ReplaceAll(script, "http://localhost:8402", p.base)
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"credits":{"remaining":99`, `"entries":[{`, `"remaining":99,`} {
		if !strings.Contains(strings.ReplaceAll(string(out), ": ", ":"), want) {
			t.Errorf("the output does not hold %s:\n%s", want, out)
		}
	}
	if body, err := os.ReadFile(filepath.Join(cmd.Dir, "402.json")); err != nil || !strings.Contains(string(body), `"payment_required"`) {
		t.Errorf("the first answer is not a challenge: %v %s", err, body)
	}
}

// TestReadmeOpens: the README says in two sentences what almanac is, has a picture of the pages and a drawing of the architecture, and two commands.
func TestReadmeOpens(t *testing.T) {
	text := document(t, "README.md")
	paragraphs := strings.Split(text, "\n\n")
	if n := strings.Count(strings.TrimSpace(paragraphs[1])+" ", ". "); n != 2 {
		t.Errorf("the first paragraph has %d sentences, want 2", n)
	}
	commands := strings.Join(shellBlocks(text), "")
	if want := "go run ./cmd/almanac serve\ngo test ./...\n"; commands != want {
		t.Errorf("the commands are %q, want %q", commands, want)
	}
	for _, picture := range []string{"docs/images/pages-light.png", "docs/images/pages-dark.png", "docs/architecture.svg"} {
		info, err := fs.Stat(repository, picture)
		if err != nil || !strings.Contains(text, picture) {
			t.Errorf("the README does not show %s: %v", picture, err)
		} else if info.Size() > 200<<10 {
			t.Errorf("%s has %d bytes; make it smaller than 200 KiB", picture, info.Size())
		}
	}
	if n := strings.Count(text, "\n"); n > 60 {
		t.Errorf("the README has %d lines; move what is not for a newcomer into docs/", n)
	}
}

// TestDocumentedNames: docs/operate.md and docs/use.md name every command and tool, and every flag they name exists.
func TestDocumentedNames(t *testing.T) {
	text := document(t, "docs/use.md") + document(t, "docs/operate.md")
	known := make(map[string]bool)
	for _, cmd := range rootCommand(io.Discard, io.Discard).Subcommands {
		if !strings.Contains(text, "almanac "+cmd.Name) {
			t.Errorf("the command %s is not documented", cmd.Name)
		}
		for _, one := range append(cmd.Subcommands, cmd) {
			one.FlagSet.VisitAll(func(f *flag.Flag) { known[f.Name] = true })
		}
	}
	s := &servertest.Client{T: t, URL: startServe(t).base}
	tools := servertest.Decode[struct {
		Result struct{ Tools []struct{ Name string } }
	}](t, s.RPC("tools/list", struct{}{})).Result.Tools
	if len(tools) == 0 {
		t.Error("tools/list is empty")
	}
	for _, tool := range tools {
		if !strings.Contains(text, "`"+tool.Name+"`") {
			t.Errorf("the tool %s is not documented", tool.Name)
		}
	}
	for _, span := range codeSpans(text) {
		if strings.HasPrefix(span, "docker") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:^| )-([a-z][a-z-]+)\b`).FindAllStringSubmatch(span, -1) {
			if !known[m[1]] {
				t.Errorf("%q: no command has the flag -%s", span, m[1])
			}
		}
	}
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

// TestContractIsHeld: each promise and each case of docs/contract.md names a test, and the tests that the documentation names exist. With -v it
// prints the package of each test that the contract names.
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
			case name != "docs/contract.md":
			case dir == "" && len(packages) > 1:
				t.Errorf("%s names %s, which stands in several packages: %s. Write which, as in %s.%[2]s", name, m[0], strings.Join(packages, ", "), packages[0])
			case testing.Verbose():
				t.Logf("%s: go test ./%s -run '^%s$'", m[0], cmp.Or(dir, packages[0]), m[2])
			}
		}
	}
	contract := document(t, "docs/contract.md")
	promises, cases := 0, 0
	for line := range strings.SplitSeq(contract, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.HasPrefix(cells[len(cells)-1], "held by") {
			continue
		}
		held := cells[len(cells)-1]
		if regexp.MustCompile(`^C\d+$`).MatchString(cells[0]) {
			cases++
			if want := "C" + strconv.Itoa(cases); cases <= 58 && cells[0] != want {
				t.Errorf("case %s stands where %s belongs", cells[0], want)
			}
		} else if strings.HasSuffix(cells[0], ".") && len(cells) == 2 {
			promises++
		} else {
			continue
		}
		if !namesTest.MatchString(held) && !strings.HasPrefix(held, "none: ") {
			t.Errorf("no test is named for: %s", line)
		}
	}
	if promises < 50 || cases < 58 {
		t.Errorf("the contract has %d promises and %d cases; were the tables found?", promises, cases)
	}
}

// TestPromisesElsewhere: the sentences that docs/contract.md quotes stand where it says, and every promise of the trust checklist is among them.
func TestPromisesElsewhere(t *testing.T) {
	base := startServe(t).base
	table := section(t, document(t, "docs/contract.md"), "## Promises made elsewhere")
	rows := regexp.MustCompile(`(?m)^\| (\S+) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(table, -1)
	promised := make(map[string]bool)
	for _, row := range rows {
		where, promise, held := row[1], row[2], row[3]
		if where == "where" {
			continue
		}
		if !namesTest.MatchString(held) {
			t.Errorf("no test is named for %q in %s", promise, where)
		}
		text := ""
		if strings.HasPrefix(where, "/") {
			text = get(t, base+where)
		} else {
			text = document(t, where)
		}
		if where == "fixtures/trust.json" {
			id, title, _ := strings.Cut(promise, ": ")
			id = strings.Trim(id, "`")
			promised[id] = true
			promise = `"id": "` + id + `", "title": "` + title + `"`
		}
		if !strings.Contains(strings.Join(strings.Fields(text), " "), promise) {
			t.Errorf("%s does not say %q", where, promise)
		}
	}
	var trust struct{ Checks []struct{ ID string } }
	if err := json.Unmarshal([]byte(document(t, "fixtures/trust.json")), &trust); err != nil {
		t.Fatal(err)
	}
	for _, check := range trust.Checks {
		if !promised[check.ID] {
			t.Errorf("no row for %s of fixtures/trust.json", check.ID)
		}
	}
}

// get returns what an address answers.
func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return string(body)
}
