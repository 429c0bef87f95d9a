package httpmirror

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	xhtml "golang.org/x/net/html"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/markdown/markdowntest"
	"go.almanac.example/internal/wirejson"
)

// hostileCatalog is the small catalog with such a text wherever a record takes text.
func hostileCatalog(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(os.DirFS("testdata/small"), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path.Join("testdata/small", p))
		if p == "support.json" { // the page shows texts of methods that are not sample data
			data = operatorSupport(t)
		}
		if path.Ext(p) == ".json" {
			data = spoil(t, data, text)
		}
		files[p] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files["articles/naming-a-network/article.md"].Data = []byte("<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>\n\n" +
		"![y](http://evil.example/y.png) <a href=\"javascript:x\">z</a>\n")
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime, Payments: catalog.PaymentsLive})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// spoil puts a text into the members of a record that hold text of one line.
func spoil(t *testing.T, data []byte, text string) []byte {
	t.Helper()
	quoted, err := wirejson.Indent(text)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case `"title"`, `"publisher"`, `"summary"`, `"description"`, `"note"`, `"promise"`, `"test"`, `"name"`, `"role"`, `"label"`, `"credit_note"`, `"purpose"`:
			if name == `"name"` && strings.Contains(line, `"name": "id"`) || isColumnName(line, data) {
				break // the names of columns are those of the derived data
			}
			before, _, _ := strings.Cut(line, ": ")
			comma := ""
			if strings.HasSuffix(strings.TrimSpace(line), ",") {
				comma = ","
			}
			line = before + ": " + strings.TrimSpace(string(quoted)) + comma + "\n"
		case `"authors"`:
			line = strings.Replace(line, "[]", "[\n    "+strings.TrimSpace(strings.ReplaceAll(string(quoted), "|", "!"))+"\n  ]", 1)
		}
		out.WriteString(line)
	}
	return out.Bytes()
}

func isColumnName(line string, data []byte) bool {
	return strings.Contains(line, `"name"`) && bytes.Contains(data, []byte(`"columns": [`))
}

func TestHostileTextsStayText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for _, text := range markdowntest.HostileTexts {
		c := hostileCatalog(t, text)
		m, err := Build(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for f := range m.Files() {
			switch {
			case strings.HasPrefix(f.Type, "text/html"):
				harmlessHTML(t, f.Path, f.Body)
			case f.Path == catalog.MarkdownPath(catalog.ArticlePath("naming-a-network")), f.Path == catalog.LLMsFullPath:
				// The body of an article is Markdown of its author.
			case f.Type == file.Markdown:
				harmlessMarkdown(t, f)
			case f.Type == file.Atom || f.Type == file.XML || f.Type == "image/svg+xml":
				harmlessXML(t, f)
			case strings.HasSuffix(f.Type, "json"):
				if !json.Valid(f.Body) {
					t.Errorf("%s is not JSON", f.Path)
				}
			}
		}
		wantSameEntries(t, m, c)
	}
}

// harmlessHTML fails for anything that runs, loads from elsewhere or leads to a script.
func harmlessHTML(t *testing.T, path string, body []byte) {
	t.Helper()
	doc, err := xhtml.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != xhtml.ElementNode {
			continue
		}
		attr := make(map[string]string)
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
		}
		for _, name := range []string{"href", "src", "action", "formaction", "data", "poster"} {
			if v, ok := attr[name]; ok && !harmlessAddress(v) {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, name, v)
			}
		}
		if n.Data == "img" && !strings.HasPrefix(attr["src"], "/") {
			t.Errorf("%s: picture of %q", path, attr["src"])
		}
		if n.Data == "script" {
			inline := n.FirstChild != nil
			if inline && (attr["type"] != "application/ld+json" || !json.Valid([]byte(n.FirstChild.Data))) || !inline && !strings.HasPrefix(attr["src"], "/static/") {
				t.Errorf("%s: script %v", path, n.Attr)
			}
		}
		if slices.Contains([]string{"marquee", "iframe", "object", "embed", "style", "base"}, n.Data) || n.Data == "textarea" && (path != catalog.ExplainPath || n.FirstChild != nil) {
			t.Errorf("%s: <%s>", path, n.Data)
		}
	}
}

func harmlessAddress(v string) bool {
	for _, prefix := range []string{"https://", "http://", "/", "#", "bitcoin:", "lightning:", "ethereum:", "solana:", "mailto:", "webcal:", "cursor://anysphere.cursor-deeplink/mcp/install?", "vscode:mcp/install?"} {
		if strings.HasPrefix(v, prefix) {
			return !strings.HasPrefix(v, "//")
		}
	}
	return false
}

func harmlessMarkdown(t *testing.T, f *file.File) {
	t.Helper()
	known := []string{"html", "head", "body", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "a", "code", "pre", "hr", "blockquote",
		"table", "thead", "tbody", "tr", "th", "td"}
	titles := 0
	for n := range markdowntest.Render(t, f.Body).Descendants() {
		switch {
		case n.Type == xhtml.CommentNode:
			t.Errorf("%s: comment %q", f.Path, n.Data)
		case n.Type != xhtml.ElementNode:
		case !slices.Contains(known, n.Data):
			if !strings.HasSuffix(f.Path, "/SKILL.md") { // our own texts, with <placeholders>
				t.Errorf("%s: <%s>", f.Path, n.Data)
			}
		case n.Data == "blockquote" && f.Path != catalog.LLMsPath:
			t.Errorf("%s: a quotation", f.Path)
		case n.Data == "h1":
			titles++
		case n.Data == "a":
			for _, a := range n.Attr {
				if a.Key == "href" && (!harmlessAddress(a.Val) || strings.Contains(a.Val, "evil")) {
					t.Errorf("%s: link to %q", f.Path, a.Val)
				}
			}
		}
	}
	if titles != 1 {
		t.Errorf("%s: %d titles", f.Path, titles)
	}
}

func harmlessXML(t *testing.T, f *file.File) {
	t.Helper()
	known := strings.Fields("feed id title subtitle updated published author name uri link rights entry category summary urlset url loc lastmod sitemapindex sitemap svg path rect g desc")
	dec := xml.NewDecoder(bytes.NewReader(f.Body))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			return
		}
		if e, ok := token.(xml.StartElement); ok && !slices.Contains(known, e.Name.Local) {
			t.Errorf("%s: <%s>", f.Path, e.Name.Local)
		}
		if _, ok := token.(xml.Comment); ok {
			t.Errorf("%s: a comment", f.Path)
		}
	}
}

// wantSameEntries reads the entries back from JSON, JSON Lines and CSV, in which an apostrophe stands before a formula.
func wantSameEntries(t *testing.T, m *Mirror, c *catalog.Catalog) {
	t.Helper()
	lines, _ := m.File(catalog.LibraryJSONLPath)
	table, _ := m.File(catalog.LibraryCSVPath)
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(table.Body, []byte(catalog.ByteOrderMark)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(lines.Body))
	for i, e := range c.Entries() {
		var line catalog.Entry
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		f, _ := m.File(catalog.EntryJSONPath(e.ID))
		var doc catalog.EntryDocument
		if err := json.Unmarshal(f.Body, &doc); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, doc.Entry); diff != "" {
			t.Errorf("entry document:\n%s", diff)
		}
		if diff := cmp.Diff(e, &line); diff != "" {
			t.Errorf("JSON Lines:\n%s", diff)
		}
		for n, want := range []string{e.ID, e.Title, e.Publisher} {
			if got := rows[i+1][n]; got != want && got != "'"+want || strings.IndexAny(got, "=+-@") == 0 {
				t.Errorf("CSV: %q", got)
			}
		}
	}
}
