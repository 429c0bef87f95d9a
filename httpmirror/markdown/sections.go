package markdown

import (
	"strings"
)

// A Section is a part of a Markdown document with a name: what a heading begins, or an item of a
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
