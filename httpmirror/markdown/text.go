// Package markdown renders the records of a catalog as Markdown files, and the Markdown of the curated texts as HTML.
//
// The files are made to be read anywhere: every link in them is absolute.
package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.almanac.example/catalog"
)

// A Renderer renders the documents of a catalog. It is safe for concurrent use.
type Renderer struct {
	cat    *catalog.Catalog
	site   catalog.Site
	absent []string                      // paths that this installation does not publish
	cited  map[string][]*catalog.Article // by the id of an entry: those that rest on it
}

// New returns a renderer. Links of the curated texts to absent paths become plain words.
func New(c *catalog.Catalog, absent []string) *Renderer {
	r := &Renderer{cat: c, site: c.Site(), absent: absent, cited: make(map[string][]*catalog.Article)}
	for _, a := range c.Articles() {
		for _, id := range a.Entries {
			r.cited[id] = append(r.cited[id], a)
		}
	}
	return r
}

// A Writer writes Markdown. Texts of records pass through Text, so that they stay text whatever characters they use.
type Writer struct{ bytes.Buffer }

// Printf writes a formatted text.
func (w *Writer) Printf(format string, args ...any) { fmt.Fprintf(&w.Buffer, format, args...) }

// Item writes a bullet of the form "- label: value".
func (w *Writer) Item(label, value string) {
	w.WriteString("- " + label + ": " + value + "\n")
}

// Text returns a text as one line of Markdown that reads as that text and nothing else.
func Text(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	start := marker(s)
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

// marker returns the place of a character that would start a heading, a list, a quotation, a rule or the second line of
// a table at the beginning of a block, or -1.
func marker(s string) int {
	if strings.IndexByte("#>+-=:", s[0]) >= 0 {
		return 0
	}
	after := strings.TrimLeft(s, "0123456789")
	if digits := len(s) - len(after); digits > 0 && after != "" && (after[0] == '.' || after[0] == ')') {
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

// entityFollows reports whether the text after an ampersand could be read as an entity.
func entityFollows(s string) bool {
	name, _, ok := strings.Cut(s, ";")
	return ok && name != "" && !strings.ContainsAny(name, " \t")
}

// Link returns a link, or the text alone when the address is not of the web.
func Link(text, address string) string {
	href := target(address)
	if href == "" {
		return Text(text)
	}
	return "[" + Text(text) + "](" + href + ")"
}

// Address returns a link whose text is its address.
func Address(address string) string {
	href := target(address)
	if href == "" {
		return Text(address)
	}
	return "<" + href + ">"
}

// target returns an address with the characters that would end a link escaped, or "" when it is not of the web.
func target(address string) string {
	host, ok := strings.CutPrefix(address, "https://")
	if !ok {
		host, ok = strings.CutPrefix(address, "http://")
	}
	if !ok || host == "" || strings.IndexByte("/?#", host[0]) >= 0 {
		return ""
	}
	return linkEnds.Replace(address)
}

// linkEnds escapes the characters that would end a link.
var linkEnds = func() *strings.Replacer {
	var pairs []string
	for c := range byte(utf8.RuneSelf) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("()<>\\\"`|*[]", c) >= 0 {
			pairs = append(pairs, string(rune(c)), fmt.Sprintf("%%%02X", c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// Code returns a code span, also for a text that holds backticks.
func Code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := strings.Repeat("`", longestRun(s)+1)
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// Fence returns a code block, each line behind indent, whose fence is longer than any in the text.
func Fence(text, indent string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	var b strings.Builder
	for line := range strings.SplitSeq(fence+"\n"+strings.TrimRight(text, "\n")+"\n"+fence, "\n") {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return b.String()
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s string) (longest int) {
	for run := range strings.FieldsFuncSeq(s, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	return longest
}

// List returns texts joined by commas.
func List(items []string) string { return strings.Join(catalog.Convert(items, Text), ", ") }
