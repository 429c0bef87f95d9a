package markdown

import (
	"bytes"
	"fmt"
	htmlescape "html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"go.almanac.example/catalog"
)

// A Prose is Markdown as a page shows it.
type Prose struct {
	HTML     string    // sanitised
	Headings []Heading // of the highest level, for the table of contents
}

// A Heading is a section of a text with the anchor that leads to it.
type Heading struct{ ID, Text string }

// converter renders the texts of articles and READMEs. It drops raw HTML; its output still passes the policy, so that
// neither has to be trusted alone.
var converter = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(proseRenderer{}, 1))),
	)
})

// policy allows the elements of Markdown, and nothing that runs, styles or loads.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "blockquote", "ul", "li", "pre", "code",
		"h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowElements("ol")
	p.AllowStandardURLs()
	p.AllowRelativeURLs(true)
	p.RequireNoFollowOnLinks(false)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^anchor$`)).OnElements("a")
	p.AllowAttrs("aria-label").OnElements("a", "div")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^[a-z][a-z0-9-]*$`)).OnElements("h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[a-z0-9]+$`)).OnElements("code")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^scroll$`)).OnElements("div")
	p.AllowAttrs("role").Matching(regexp.MustCompile(`^group$`)).OnElements("div")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("div", "pre")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[lcr]$`)).OnElements("th", "td")
	p.AllowElements("th", "td")
	p.AllowAttrs("scope").Matching(regexp.MustCompile(`^col$`)).OnElements("th")
	return p
})

// ToHTML renders a text whose own title stands elsewhere on the page. Headings begin at the level top whatever the text
// begins with; prefix begins their anchors, so that they differ from those of the page around them. Links to absent
// paths become plain words.
func ToHTML(source, prefix string, top int, absent ...string) Prose {
	src := []byte(withoutLinks(source, absent))
	page := parser.NewContext(parser.WithIDs(anchors{catalog.NewAnchors(), prefix}))
	doc := converter().Parser().Parse(text.NewReader(src), parser.WithContext(page))
	headings := shiftHeadings(doc, src, top)
	var b bytes.Buffer
	converter().Renderer().Render(&b, src, doc) // a bytes.Buffer does not fail
	return Prose{string(policy().SanitizeBytes(b.Bytes())), headings}
}

// anchors are the anchors of a page, for goldmark: those of headings begin with a prefix.
type anchors struct {
	catalog.Anchors
	prefix string
}

var _ parser.IDs = anchors{}

// Generate returns an anchor that no other heading of the text has.
func (a anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(a.Add(a.prefix, string(heading)))
}

// Put reserves an anchor.
func (a anchors) Put(anchor []byte) { a.Anchors[string(anchor)] = true }

// shiftHeadings moves the headings of a text, which begin at the second level, to begin at top, without leaving a level
// out, and returns those at top.
func shiftHeadings(doc ast.Node, src []byte, top int) []Heading {
	var list []Heading
	level := top - 1
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		h.Level = min(max(h.Level-2, 0)+top, level+1, 6)
		level = h.Level
		if id, ok := h.AttributeString("id"); ok && h.Level == top {
			list = append(list, Heading{fmt.Sprintf("%s", id), plainText(h, src)})
		}
	}
	return list
}

// plainText returns the words of a node without its markup.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch t := n.(type) {
		case *ast.Text:
			b.Write(t.Segment.Value(src))
		case *ast.String:
			b.Write(t.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// A proseRenderer writes the nodes for which the pages differ from goldmark's defaults: headings with a link to
// themselves, and listings and tables that can be scrolled by keyboard too.
type proseRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (r proseRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, r.heading)
	reg.Register(ast.KindFencedCodeBlock, r.listing)
	reg.Register(ast.KindCodeBlock, r.listing)
	reg.Register(extast.KindTable, r.table)
	reg.Register(extast.KindTableCell, r.cell)
	reg.Register(ast.KindImage, r.image)
}

func (proseRenderer) heading(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	id, _ := h.AttributeString("id")
	if entering {
		fmt.Fprintf(w, "<h%d id=\"%s\">", h.Level, id)
		return ast.WalkContinue, nil
	}
	name := htmlescape.EscapeString(plainText(h, src))
	fmt.Fprintf(w, "<a class=\"anchor\" href=\"#%s\" aria-label=\"Link to the section %s\">#</a></h%d>\n", id, name, h.Level)
	return ast.WalkContinue, nil
}

func (proseRenderer) listing(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString(`<pre tabindex="0"><code`)
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		if language := f.Language(src); language != nil {
			fmt.Fprintf(w, ` class="language-%s"`, htmlescape.EscapeString(string(language)))
		}
	}
	w.WriteString(">")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		html.DefaultWriter.RawWrite(w, line.Value(src))
	}
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (proseRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func (proseRenderer) cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag, scope := "td", ""
	if _, ok := n.Parent().(*extast.TableHeader); ok && n.HasChildren() { // an empty corner heads nothing
		tag, scope = "th", ` scope="col"`
	}
	if !entering {
		fmt.Fprintf(w, "</%s>", tag)
		return ast.WalkContinue, nil
	}
	class := ""
	switch n.(*extast.TableCell).Alignment {
	case extast.AlignRight:
		class = ` class="r"`
	case extast.AlignCenter:
		class = ` class="c"`
	}
	fmt.Fprintf(w, "<%s%s%s>", tag, scope, class)
	return ast.WalkContinue, nil
}

// image writes the words of an image instead of it: the pages load nothing from other hosts.
func (proseRenderer) image(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(htmlescape.EscapeString(plainText(n, src)))
	}
	return ast.WalkSkipChildren, nil
}

// withoutLinks replaces links to absent paths by their words.
func withoutLinks(text string, absent []string) string {
	return pathLink.ReplaceAllStringFunc(text, func(link string) string {
		if m := pathLink.FindStringSubmatch(link); slices.Contains(absent, m[2]) {
			return m[1]
		}
		return link
	})
}

// pathLink is a link to a path of the site.
var pathLink = regexp.MustCompile(`\[([^\[\]]*)\]\((/[^()\s]*)\)`)

// absoluteLinks puts the base before the links of a Markdown text that begin with a slash. Code stays as it is.
func absoluteLinks(text, base string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(mark, fence[:1]+" \n") == "" {
				fence = ""
			}
		case strings.HasPrefix(mark, "```"), strings.HasPrefix(mark, "~~~"):
			fence = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
		default:
			line = absoluteLine(line, base)
		}
		out.WriteString(line)
	}
	return out.String()
}

// rootLink is a link to a path, and not one to another host ("//host").
var rootLink = regexp.MustCompile(`\]\(/([^/])`)

// absoluteLine does so for a line outside code blocks. Every other part between backticks is code.
func absoluteLine(line, base string) string {
	if strings.HasPrefix(line, "[") {
		line = strings.Replace(line, "]: /", "]: "+base+"/", 1)
	}
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = rootLink.ReplaceAllString(parts[i], "]("+strings.ReplaceAll(base, "$", "$$")+"/$1")
	}
	return strings.Join(parts, "`")
}

// A Section is a part of a Markdown document with a name: that of a heading, or an item of a
// list whose first word is its name, such as a fact of a protocol.
type Section struct {
	Name       string
	Start, End int // bytes of the document
}

// Sections returns the sections of a Markdown document in their order. Where two have one name,
// the first counts.
func Sections(doc string) []Section {
	var all []Section
	var open []int // sections of all that have no end yet, the innermost last
	levels := map[int]int{}
	close := func(level, at int) {
		for len(open) > 0 && levels[open[len(open)-1]] >= level {
			all[open[len(open)-1]].End = at
			open = open[:len(open)-1]
		}
	}
	begin := func(name string, level, at int) {
		close(level, at)
		levels[len(all)] = level
		open = append(open, len(all))
		all = append(all, Section{Name: name, Start: at})
	}
	at, fenced := 0, false
	for line := range strings.Lines(doc) {
		text := strings.TrimRight(line, "\r\n")
		level := len(text) - len(strings.TrimLeft(text, "#"))
		switch name, isItem := itemName(text); {
		case strings.HasPrefix(text, "```"):
			fenced = !fenced
		case fenced:
		case level > 1 && level <= 6 && strings.HasPrefix(text[level:], " "):
			begin(SlugOf(text[level:]), level, at)
		case isItem:
			begin(name, itemLevel, at)
		case text != "" && text[0] != ' ' && text[0] != '-':
			close(itemLevel, at) // a paragraph after a list
		}
		at += len(line)
	}
	close(0, at)
	return all
}

const itemLevel = 7 // below every heading

// itemName returns the name of an item such as "- networks: Base".
func itemName(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "- ")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, ":")
	return name, ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// SlugOf returns the name of a heading's section: its words in lower case, joined by hyphens.
func SlugOf(heading string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 || r == '_')
	}), "-")
}

// TitleOf returns the first heading of a Markdown document.
func TitleOf(doc string) string {
	for line := range strings.Lines(doc) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}
