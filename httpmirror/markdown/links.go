package markdown

import (
	"bytes"
	"regexp"
	"strings"
)

// withoutLinks replaces links to absent paths by their words.
func withoutLinks(text string, absent []string) string {
	for _, path := range absent {
		link := regexp.MustCompile(`\[([^\[\]]*)\]\(` + regexp.QuoteMeta(path) + `\)`)
		text = link.ReplaceAllString(text, "$1")
	}
	return text
}

// absoluteLinks puts the base before the links of a Markdown text that begin with a slash. Code stays as it is.
func absoluteLinks(text, base string) []byte {
	var out bytes.Buffer
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
	return out.Bytes()
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
