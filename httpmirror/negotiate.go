package httpmirror

import (
	"strings"

	"almanac/accept"
	"almanac/httpmirror/file"
)

// chooseCoding returns the content coding of an answer.
func chooseCoding(lines []string) file.Coding {
	c, _ := file.CodingNamed(accept.Coding(lines, "br", "zstd", "gzip"))
	return c
}

// negotiate returns the form of a page that a client prefers: the page, or one of its alternates. The page wins ties, and
// answers those who accept none of the forms.
func (m *Mirror) negotiate(lines []string, f *file.File) *file.File {
	if len(lines) == 0 || (len(lines) == 1 && (lines[0] == "*/*" || strings.HasPrefix(lines[0], "text/html,"))) {
		return f
	}
	best, weight := f, accept.Weight(lines, file.BareType(f.Type))
	for _, a := range f.Alternates {
		q := accept.Weight(lines, a.Type)
		if q <= weight {
			continue
		}
		if form, err := m.find(a.Path); err == nil {
			best, weight = form, q
		}
	}
	return best
}
