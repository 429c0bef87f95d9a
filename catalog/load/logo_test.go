package load

import (
	"strings"
	"testing"
)

// TestLogo: a logo is an SVG picture of shapes alone.
func TestLogo(t *testing.T) {
	const path = `<path d="M0 0h9v9z"/>`
	for content, want := range map[string]string{
		path:                              "",
		`<a href="#x">` + path + "</a>":   "",
		"<script/>":                       `has "<script"`,
		"<foreignObject/>":                `has "<foreignObject"`,
		`<path onload="x()"/>`:            `has " onload="`,
		`<image href="https://x.org/y"/>`: `has "href=`,
		"<path>":                          "is not an SVG picture",
		strings.Repeat(path, 1000):        "make it smaller than 20000",
	} {
		var faults Faults
		linter{&faults, logoFile, ""}.logo(`<svg xmlns="http://www.w3.org/2000/svg">` + content + "</svg>")
		var got string
		if err := faults.err(); err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%.40s: %q, want %q", content, got, want)
		}
	}
}
