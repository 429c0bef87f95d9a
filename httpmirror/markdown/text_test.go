package markdown

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/markdown/markdowntest"
)

// textIn returns the text of the elements of a name, spaces in order.
func textIn(doc *xhtml.Node, name string) string {
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == xhtml.ElementNode && n.Data == name {
			for d := range n.Descendants() {
				if d.Type == xhtml.TextNode {
					b.WriteString(d.Data)
				}
			}
			break
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// contexts are the places in which the mirror puts the text of a record.
var contexts = []struct{ name, before, after, element string }{
	{"heading", "# ", "\n", "h1"},
	{"paragraph", "", "\n", "p"},
	{"item", "- label: ", "\n", "li"},
	{"bare item", "- ", "\n", "li"},
	{"link", "see [", "](https://example.org/) there\n", "a"},
	{"cell", "| a | b |\n|---|---|\n| ", " | x |\n", "td"},
}

func checkMarkdownText(t *testing.T, s string) {
	t.Helper()
	want := strings.Join(strings.Fields(s), " ")
	for _, c := range contexts {
		doc := markdowntest.Render(t, []byte(c.before+Text(s)+c.after))
		got := textIn(doc, c.element)
		if c.name == "item" {
			got = strings.TrimPrefix(strings.TrimPrefix(got, "label:"), " ")
		}
		if got != want {
			t.Errorf("%s of %q reads as %q, written %q", c.name, s, got, Text(s))
		}
		for n := range doc.Descendants() {
			if n.Type == xhtml.CommentNode || n.Type == xhtml.ElementNode &&
				!strings.Contains(" html head body h1 p ul li a table thead tbody tr th td ", " "+n.Data+" ") {
				t.Errorf("%s of %q makes %s", c.name, s, n.Data)
			}
		}
	}
}

func TestMarkdownTextReadsAsItself(t *testing.T) {
	for _, s := range append(slices.Clone(markdowntest.HostileTexts), "plain", "snake_case_name", "_x_", "a_ b _c", "2 * 3 * 4", "AT&T", "&copy;", "&#x41;", "C:\\dir", "1) one", "+1", "-", "---",
		"===", "a\nb\n# c", ": x", "~~~", "!", "![a]", "[^1]", "[ ] task", "www.example.org http://example.org", "a|b", "\\", "trailing \\", "ü_ö_", "a\u00a0b", "10 000", "12.") {
		checkMarkdownText(t, s)
	}
}

func FuzzMarkdownText(f *testing.F) {
	for _, s := range markdowntest.HostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range s {
			// Load refuses control characters, and what is not UTF-8.
			if r < ' ' && r != '\n' && r != '\t' || r == 0xfffd || r == 0x7f {
				t.Skip()
			}
		}
		if strings.TrimSpace(s) == "" {
			t.Skip()
		}
		checkMarkdownText(t, s)
	})
}

func TestMarkdownAddresses(t *testing.T) {
	for _, tc := range []struct{ address, want string }{
		{"https://example.org/a_b?c=d&e=f#g", "https://example.org/a_b?c=d&e=f#g"},
		{"https://example.org/wiki/A_(b)", "https://example.org/wiki/A_%28b%29"},
		{"https://example.org/x) [y](javascript:z", "https://example.org/x%29%20%5By%5D%28javascript:z"},
		{"https://example.org/>x", "https://example.org/%3Ex"},
		{"javascript:alert(1)", ""},
		{"data:text/html,x", ""},
		{"/relative", ""},
		{"https:", ""},
	} {
		if got := target(tc.address); got != tc.want {
			t.Errorf("target(%q) = %q, want %q", tc.address, got, tc.want)
		}
	}
}

func TestAbsoluteLinks(t *testing.T) {
	const in = "See [a](/library/) and ![b](/qr/x.svg), not [c](//evil), `[d](/code/)` or [e](https://x/).\n\n```\n[f](/code/)\n```\n\n[g]: /protocols/\n"
	const want = "See [a](https://s/library/) and ![b](https://s/qr/x.svg), not [c](//evil), `[d](/code/)` or [e](https://x/).\n\n```\n[f](/code/)\n```\n\n[g]: https://s/protocols/\n"
	if got := absoluteLinks(in, "https://s"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHistoryKeepsQuotes: the history shows a quote as the source has it, with its quotation marks, backticks and links
// within another site; only links of our own articles are made to work wherever they are read.
func TestHistoryKeepsQuotes(t *testing.T) {
	quoting, err := json.Marshal([]string{"\"method\": \"message/send\", [x](/docs/x) and `[y](/docs/y)`, `a` → **`b`**"})
	if err != nil {
		t.Fatal(err)
	}
	r := &Renderer{site: catalog.Site{Base: "https://s"}}
	for _, tc := range []struct {
		name, want string
		value      json.RawMessage
	}{
		{"disagreements", string(quoting), quoting},
		{"refund.quote", `see ["x"](/docs/x)`, json.RawMessage(`"see [\"x\"](/docs/x)"`)},
		{"body[Why]", "see [x](https://s/docs/x)", json.RawMessage(`"see [x](/docs/x)"`)},
	} {
		var w Writer
		r.memberValue(&w, "is", catalog.MemberChange{Name: tc.name}, tc.value)
		if got := textIn(markdowntest.Render(t, w.Bytes()), "code"); got != tc.want {
			t.Errorf("%s reads as\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
}

func TestCodeSpansAndFences(t *testing.T) {
	for _, s := range []string{"x", "a`b", "``", "`", "a ``` b"} {
		if got := textIn(markdowntest.Render(t, []byte("- "+Code(s)+"\n")), "code"); got != s {
			t.Errorf("Code(%q) reads as %q", s, got)
		}
		if got := textIn(markdowntest.Render(t, []byte("- x:\n\n"+Fence(s+"\n```\n</pre>", "  "))), "code"); got != s+" ``` </pre>" {
			t.Errorf("Fence(%q) reads as %q", s, got)
		}
	}
}
