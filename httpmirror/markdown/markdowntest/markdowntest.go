// Package markdowntest has texts that try to break out of a document, and the reader that would let them, for tests.
package markdowntest

import (
	"bytes"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	xhtml "golang.org/x/net/html"
)

// HostileTexts are texts that try to break out of the place in which a file shows them.
var HostileTexts = []string{
	`<script>alert(1)</script>`,
	`</title></style></script><script src=//evil.example/x.js></script>`,
	`x](javascript:alert(1)) ![y](http://evil.example/y.png) [z]`,
	`"><img src=x onerror=alert(1)><marquee x='`,
	`' onmouseover='alert(1)`,
	`]]><marquee>&lt;marquee&gt;&#60;marquee&#62;&amp;amp;`,
	`{{.}} ${x} <%= x %> {% x %}`,
	"# heading `code` ``` *bold* __bold__ ~~gone~~ | cell | <http://evil.example>",
	`- list > quote 1. one + plus = rule`,
	`1. one`,
	`=HYPERLINK("http://evil.example","x")`,
	`javascript:alert(1)//http://`,
	`\](javascript:alert(1)) \<marquee>x</b> \\[x](javascript:x)`,
	`<!-- comment --> <![CDATA[x]]> <?xml x?>`,
}

// unsafe renders as the most permissive reader would.
var unsafe = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(html.WithUnsafe()))

// Render returns Markdown as the most permissive reader would render it.
func Render(t testing.TB, source []byte) *xhtml.Node {
	t.Helper()
	var b bytes.Buffer
	if err := unsafe.Convert(source, &b); err != nil {
		t.Fatal(err)
	}
	doc, err := xhtml.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
