package httpmirror

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// markdownFiles adds the Markdown forms, and the two files for language models.
func (b *builder) markdownFiles() error {
	var list []func() error
	add := func(path string, render func() []byte) {
		list = append(list, func() error { return b.add(path, file.Markdown, render()) })
	}
	for _, k := range b.cat.Categories() {
		add(catalog.CategoryMarkdownPath(k.ID), func() []byte { return b.categoryMarkdown(k) })
	}
	for _, t := range b.cat.Tags() {
		add(catalog.TagMarkdownPath(t.ID), func() []byte { return b.tagMarkdown(t) })
	}
	for _, a := range b.cat.Articles() {
		add(catalog.ArticleMarkdownPath(a.ID), func() []byte { return b.articleMarkdown(a) })
	}
	for _, d := range b.cat.Datasets() {
		add(catalog.DatasetReadmePath(d.ID), func() []byte { return b.readmeMarkdown(d) })
		if d.ID == "library" { // SPEC.md gives it an address of its own
			add(catalog.LibraryReadmePath, func() []byte { return b.readmeMarkdown(d) })
		}
	}
	add(catalog.ProtocolsMarkdownPath, b.protocolsMarkdown)
	add(catalog.TrustMarkdownPath, b.trustMarkdown)
	add(catalog.LLMsPath, b.llmsIndex)
	add(catalog.LLMsFullPath, b.llmsFull)
	if err := b.entrySections(); err != nil {
		return err
	}
	defer func() { b.sections = nil }()
	return file.Parallel(len(list), func(i int) error { return list[i]() })
}

// A mdWriter writes Markdown. Texts of records pass through mdText, so that what they say stays
// text whatever characters they use.
type mdWriter struct{ bytes.Buffer }

func (w *mdWriter) printf(format string, args ...any) { fmt.Fprintf(&w.Buffer, format, args...) }

// item writes a bullet of the form "- label: value".
func (w *mdWriter) item(label, value string) {
	for _, part := range []string{"- ", label, ": ", value, "\n"} {
		w.WriteString(part)
	}
}

// mdText writes a text of one line as Markdown that reads as that text and nothing else.
func mdText(s string) string {
	if isPlainText(s) {
		return s
	}
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	start := mdMarker(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case i == start, strings.IndexByte("\\`*[]<|~", c) >= 0,
			c == '_' && !(wordByte(s, i-1) && wordByte(s, i+1)), // within a word it is only a character
			c == '#' && (i == 0 || s[i-1] == ' '),               // at the end of a heading it would close it
			c == '&' && entityFollows(s[i+1:]):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// isPlainText tells most texts, which can stand as they are, from those that take a closer look.
func isPlainText(s string) bool {
	if s == "" || s[0] == ' ' || mdMarker(s) >= 0 {
		return s == ""
	}
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || strings.IndexByte("\\`*[]<|~_&#", c) >= 0 || c == ' ' && (i == len(s)-1 || s[i+1] == ' ') {
			return false
		}
	}
	return true
}

// mdMarker gives the place of a character that would start a heading, a list, a quotation, a rule
// or the second line of a table at the beginning of a block, or -1.
func mdMarker(s string) int {
	if strings.IndexByte("#>+-=:", s[0]) >= 0 {
		return 0
	}
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
		return digits
	}
	return -1
}

func wordByte(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	return s[i] >= utf8.RuneSelf || unicode.IsLetter(rune(s[i])) || unicode.IsDigit(rune(s[i]))
}

// entityFollows tells whether the text after an ampersand could be read as an entity.
func entityFollows(s string) bool {
	name, _, ok := strings.Cut(s, ";")
	return ok && name != "" && !strings.ContainsAny(name, " \t")
}

// mdLink writes a link, or the text alone when the address is not of the web.
func mdLink(text, address string) string {
	target := mdTarget(address)
	if target == "" {
		return mdText(text)
	}
	return "[" + mdText(text) + "](" + target + ")"
}

// mdAddress writes an address that is its own text.
func mdAddress(address string) string {
	target := mdTarget(address)
	if target == "" {
		return mdText(address)
	}
	return "<" + target + ">"
}

// mdTarget gives an address with what would end a link escaped, or "" when it is not of the web.
func mdTarget(address string) string {
	host, ok := strings.CutPrefix(address, "https://")
	if !ok {
		host, ok = strings.CutPrefix(address, "http://")
	}
	if !ok || host == "" || strings.IndexByte("/?#", host[0]) >= 0 {
		return ""
	}
	const ends = "()<>\\\"`|*[]"
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c == 0x7f || strings.IndexByte(ends, c) >= 0 {
			return mdEscaped(address, ends)
		}
	}
	return address
}

func mdEscaped(address, ends string) string {
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c == 0x7f || strings.IndexByte(ends, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mdCode writes a code span that may hold backticks.
func mdCode(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// mdFence writes a code block whose fence is longer than any in the text.
func mdFence(text, indent string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	var b strings.Builder
	for line := range strings.SplitSeq(fence+"\n"+strings.TrimRight(text, "\n")+"\n"+fence, "\n") {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String()
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

func mdList(items []string) string {
	texts := make([]string, len(items))
	for i, s := range items {
		texts[i] = mdText(s)
	}
	return strings.Join(texts, ", ")
}

// mdTags writes tags as links to their lists.
func (b *builder) mdTags(tags []string) string {
	links := make([]string, len(tags))
	for i, t := range tags {
		links[i] = mdLink(t, b.site.URL(catalog.TagMarkdownPath(t)))
	}
	return strings.Join(links, ", ")
}
