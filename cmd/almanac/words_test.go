package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// houseWords are words that this code once used in a meaning of its own, with the field's term for each. Names, doc comments and
// messages do without them.
var houseWords = map[string]string{
	"till":    "payments, or until",
	"wall":    "paywall",
	"door":    "listener, surface or middleware",
	"doors":   "listeners, surfaces or middleware",
	"calm":    "a handler that limits repeated lines",
	"house":   "architecture, layers",
	"houses":  "layers",
	"books":   "resources",
	"shelf":   "section, category",
	"shelves": "sections, categories",
	"wish":    "preference, request",
	"wishes":  "preferences, requests",
	"worth":   "what it is: preference, weight, benefit",
	"doubt":   "a commit in doubt, or uncertain",
	"twin":    "alternate",
	"twins":   "alternates",
	"told":    "reported, stated",
	"worded":  "described",
}

// houseNames are whole names that say too little, with a better one.
var houseNames = map[string]string{
	"drop": "release", "quietDay": "emptyDay",
	"want": "what it is outside a test: expected, term", "wants": "terms", "Offer": "Terms; an offer is BOLT 12's",
}

// namesAllowed are files in which a name of houseNames means what the field means by it.
var namesAllowed = map[string][]string{
	"Offer": {"catalog/support.go"}, // the member of a document for BOLT 12
}

// namesOnly are the house words that prose can use in their plain meaning.
var namesOnly = []string{"told", "worth", "worded"}

// wordsAllowed are uses of those words in the field's own meaning.
var wordsAllowed = []string{"in doubt", "in-doubt", "wall clock", "clearing house"}

// stumbles are turns of phrase that no message and no comment of a declaration needs.
var stumbles = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bwould else\b`), "would otherwise"},
	{regexp.MustCompile(`(?i)\bstands? twice\b`), "appears twice"},
	{regexp.MustCompile(`(?i)\b(made|make|makes) out\b`), "read, recognised"},
	{regexp.MustCompile(`(?i)\bwho(ever)? asks\b`), "the caller, the client"},
	{regexp.MustCompile(`(?i)\bits words are off\b`), "say what is wrong"},
	{regexp.MustCompile(`(?i)\bas one who\b`), "as somebody who, or name the role"},
	{regexp.MustCompile(`(?i)^looks whether\b|\bLooks? whether\b`), "checks whether"},
}

// isNo matches sentences such as "Foo is no slug", which are not idiomatic. "There is no …" and "is no longer" are English.
var isNo = regexp.MustCompile(`(?i)(\S+)\s+(?:is|are|was|were) no (\w+)`)

// noVerb matches a function's doc comment with a verb that a function cannot do.
var noVerb = regexp.MustCompile(`^(\w+) (gives|tells|says|knows|wants|asks whether|looks whether)\b`)

func isNoOffence(text string) string {
	for _, m := range isNo.FindAllStringSubmatch(text, -1) {
		if strings.EqualFold(strings.Trim(m[1], "\"'(*_.,"), "there") || strings.EqualFold(m[1], "that") && strings.Contains(strings.ToLower(text), "there") {
			continue
		}
		if slices.Contains([]string{"longer", "more", "less", "different", "better", "worse", "way"}, strings.ToLower(m[2])) {
			continue
		}
		return strings.TrimSpace(m[0])
	}
	return ""
}

// camelWords splits a Go name into its words, in lower case.
func camelWords(name string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`).FindAllString(name, -1) {
		words = append(words, strings.ToLower(w))
	}
	return words
}

// A wordCheck collects the offences of one file.
type wordCheck struct {
	set      *token.FileSet
	path     string
	offences []string
}

func (c *wordCheck) add(pos token.Pos, format string, a ...any) {
	if c.set == nil {
		c.offences = append(c.offences, fmt.Sprintf(format, a...))
		return
	}
	c.offences = append(c.offences, fmt.Sprintf("%s:%d: %s", c.path, c.set.Position(pos).Line, fmt.Sprintf(format, a...)))
}

func (c *wordCheck) name(id *ast.Ident) {
	if instead, ok := houseNames[id.Name]; ok && !slices.Contains(namesAllowed[id.Name], c.path) {
		c.add(id.Pos(), "name %s; call it %s", id.Name, instead)
		return
	}
	for _, w := range camelWords(id.Name) {
		if instead, ok := houseWords[w]; ok && !(w == "doubt" && strings.Contains(strings.ToLower(id.Name), "indoubt")) {
			c.add(id.Pos(), "name %s; say %s", id.Name, instead)
		}
	}
}

var wordPattern = regexp.MustCompile(`(?i)\b(` + strings.Join(slices.Sorted(maps.Keys(houseWords)), "|") + `)\b`)

func (c *wordCheck) prose(pos token.Pos, what, text string) {
	plain := strings.Join(strings.Fields(text), " ")
	for _, allowed := range wordsAllowed {
		plain = strings.ReplaceAll(plain, allowed, "")
	}
	for _, w := range wordPattern.FindAllString(plain, -1) {
		if strings.ToUpper(w) != w && !slices.Contains(namesOnly, strings.ToLower(w)) {
			c.add(pos, "%s has %q; say %s", what, w, houseWords[strings.ToLower(w)])
		}
	}
	for _, s := range stumbles {
		if m := s.pattern.FindString(text); m != "" {
			c.add(pos, "%s has %q; say %s", what, m, s.instead)
		}
	}
}

// text checks a line of prose.
func (c *wordCheck) text(line string) {
	c.prose(token.NoPos, "the text", line)
	if m := isNoOffence(line); m != "" {
		c.add(token.NoPos, "the text has %q; say … is not a …", m)
	}
}

func (c *wordCheck) doc(name string, isFunc bool, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	text := strings.TrimSpace(doc.Text())
	c.prose(doc.Pos(), "comment of "+name, text)
	if m := noVerb.FindStringSubmatch(text); isFunc && m != nil {
		c.add(doc.Pos(), "comment of %s: %q; say returns, reports whether, writes …", name, m[0])
	}
}

func (c *wordCheck) file(f *ast.File) {
	c.doc("the package", false, f.Doc)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			c.name(n.Name)
			c.doc(n.Name.Name, true, n.Doc)
		case *ast.GenDecl:
			c.doc("a declaration", false, n.Doc)
		case *ast.TypeSpec:
			c.name(n.Name)
			c.doc(n.Name.Name, false, n.Doc)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				c.name(id)
			}
			c.doc(n.Names[0].Name, false, n.Doc)
			c.doc(n.Names[0].Name, false, n.Comment)
		case *ast.Field:
			for _, id := range n.Names {
				c.name(id)
			}
			c.doc("a field", false, n.Doc)
			c.doc("a field", false, n.Comment)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					c.name(id)
				}
			}
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				if strings.Contains(text, " ") {
					c.prose(n.Pos(), "message", text)
					if m := isNoOffence(text); m != "" {
						c.add(n.Pos(), "message %q; say what is wrong and what to do: … is not a …: use …", m)
					}
				}
			}
		}
		return true
	})
}

// TestWordsInTexts: documentation, pages, schemas and curated texts do without the same words.
func TestWordsInTexts(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "library" || d.Name() == "protocols" || path == ".git") { // quoted from sources
			return fs.SkipDir
		}
		if !regexp.MustCompile(`\.(md|html|templ|css|js|json|proto|yaml|sh|service)$`).MatchString(path) || strings.HasSuffix(path, "package-lock.json") {
			return nil
		}
		src, err := os.ReadFile("../../" + path)
		if err != nil {
			return err
		}
		checked++
		for i, line := range strings.Split(string(src), "\n") {
			c := &wordCheck{}
			c.text(line)
			for _, o := range c.offences {
				t.Errorf("%s:%d: %s", path, i+1, o)
			}
		}
		return nil
	})
	if err != nil || checked < 50 {
		t.Fatalf("%d files were checked: %v", checked, err)
	}
}

// TestWords: names, doc comments and messages are in the field's words, and comments cite what a reader of the repository can open.
func TestWords(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ast.IsGenerated(f) {
			return nil
		}
		c := &wordCheck{set: set, path: path}
		if !strings.HasSuffix(path, "_test.go") {
			c.file(f)
		}
		for _, group := range f.Comments {
			if m := regexp.MustCompile(`\b(SPEC|DESIGN)\.md\b`).FindString(group.Text()); m != "" {
				c.add(group.Pos(), "cites %s, which is not in the repository; cite docs/contract.md or a public specification", m)
			}
		}
		for _, o := range c.offences {
			t.Error(o)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
