package markdown

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRenderMarkdown(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a paragraph", "One & *two*.", "<p>One &amp; <em>two</em>.</p>\n"},
		{"headings begin below the page's own", "# A\n\n#### B",
			`<h2 id="a">A<a class="anchor" href="#a" aria-label="Link to the section A">#</a></h2>` + "\n" +
				`<h3 id="b">B<a class="anchor" href="#b" aria-label="Link to the section B">#</a></h3>` + "\n"},
		{"a number in front is no anchor", "## 1. `Ask` first",
			`<h2 id="ask-first">1. <code>Ask</code> first<a class="anchor" href="#ask-first" aria-label="Link to the section 1. Ask first">#</a></h2>` + "\n"},
		{"an anchor of the page stays the page's", "## Sources",
			`<h2 id="sources-2">Sources<a class="anchor" href="#sources-2" aria-label="Link to the section Sources">#</a></h2>` + "\n"},
		{"a listing", "```sh\ncurl '<x>' | jq\n```", `<pre tabindex="0"><code class="language-sh">curl &#39;&lt;x&gt;&#39; | jq` + "\n</code></pre>\n"},
		{"a table", "| | b |\n|---|--:|\n| 1 | 2 |",
			`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>` + "\n<thead>\n<tr>\n<td></td>" + `<th scope="col" class="r">b</th>` +
				"</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>" + `<td class="r">2</td>` + "</tr>\n</tbody>\n</table></div>\n"},
		{"an image says its words", "![a *picture*](https://example.org/x.png)", "<p>a picture</p>\n"},
		{"raw HTML is dropped", "<script>x</script>\n\nText <b>bold</b>", "<p>Text bold</p>\n"},
		{"an address of another scheme is dropped", "[a](javascript:x) [b](data:x)", "<p>a b</p>\n"},
		{"a link to an absent path is words", "See [the *terms*](/absent) and [trust](/trust/).", `<p>See the <em>terms</em> and <a href="/trust/">trust</a>.</p>` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ToHTML(c.source, "", 2, "/absent")
			if diff := cmp.Diff(strings.ReplaceAll(c.want, "\n", ""), strings.ReplaceAll(string(got.HTML), "\n", "")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestContentsOfAnArticle(t *testing.T) {
	got := ToHTML("## One\n\n### Deeper\n\n## One\n\n## 2. Two & more", "x-", 2)
	want := []Heading{{"x-one", "One"}, {"x-one-2", "One"}, {"x-two-more", "2. Two & more"}}
	if diff := cmp.Diff(want, got.Headings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The headings of a README stand below the heading of the section that shows it.
func TestHeadingsBelowASection(t *testing.T) {
	got := ToHTML("## One\n\n### Deeper\n\n##### Deepest", "", 3)
	tags := regexp.MustCompile(`</?h\d`).FindAllString(string(got.HTML), -1)
	if diff := cmp.Diff([]string{"<h3", "</h3", "<h4", "</h4", "<h5", "</h5"}, tags); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]Heading{{"one", "One"}}, got.Headings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
