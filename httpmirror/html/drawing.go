package html

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/a-h/templ"
)

// unitsPerRem is the number of units of a drawing in one rem of the page: what is 13 units high in a drawing is never
// smaller than 12 pixels, since a rem has 15 pixels or more.
const unitsPerRem = 16

// The measures of text in a drawing, in units.
const (
	textSize   = 13
	lineHeight = 16
)

// A drawing is the markup of an SVG under construction. It has the colour of the text around it.
type drawing struct{ strings.Builder }

// printf writes formatted markup.
func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.Builder, format, args...) }

// text writes lines of text one below the other, the baseline of the first at y. The anchor is "", "middle" or "end".
func (d *drawing) text(x, y float64, anchor string, lines []string) {
	d.printf(`<text x="%s" y="%s"`, units(x), units(y))
	if anchor != "" {
		d.printf(` text-anchor="%s"`, anchor)
	}
	d.WriteByte('>')
	for i, line := range lines {
		if i == 0 {
			d.WriteString(templ.EscapeString(line))
		} else {
			d.printf(`<tspan x="%s" dy="%d">%s</tspan>`, units(x), lineHeight, templ.EscapeString(line))
		}
	}
	d.WriteString("</text>")
}

// arrowHead adds the head of an arrow that ends at x, pointing to the right (1) or to the left (-1).
func arrowHead(d *drawing, x, y, way float64) {
	d.printf("M%s %sl%s -4v8z", units(x), units(y), units(-8*way))
}

// units returns a length with one decimal at most.
func units(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// widthOf returns the width of the longest of some lines, by the widest of the fonts that the stylesheet names.
func widthOf(lines []string) float64 {
	longest := 0.0
	for _, l := range lines {
		sum := 0.0
		for _, r := range l {
			sum += runeWidth(r)
		}
		longest = max(longest, sum)
	}
	return longest
}

func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("mwMW@%…", r):
		return 12.5
	case unicode.IsUpper(r):
		return 9.3
	case unicode.IsDigit(r):
		return 8.4
	case strings.ContainsRune("ijlI.,:;|'![]()/-rtf ", r):
		return 5
	}
	return 8
}

// wrap breaks a text into lines of at most a width: between words where it can, otherwise within a name, after a sign.
func wrap(text string, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for i, piece := range pieces(word, width) {
			switch joined := line + " " + piece; {
			case line == "":
				line = piece
			case i == 0 && widthOf([]string{joined}) <= width:
				line = joined
			default:
				lines, line = append(lines, line), piece
			}
		}
	}
	return append(lines, line)
}

// pieces breaks a word that is wider than a line, after a sign if there is one.
func pieces(word string, width float64) []string {
	var list []string
	for runes := []rune(word); ; {
		n, sum := 0, 0.0
		for n < len(runes) && (n < 2 || sum+runeWidth(runes[n]) <= width) {
			sum += runeWidth(runes[n])
			n++
		}
		if n == len(runes) {
			return append(list, string(runes))
		}
		for i := n; i > n/3; i-- {
			if strings.ContainsRune("/_-.,:=()[]", runes[i-1]) {
				n = i
				break
			}
		}
		list, runes = append(list, string(runes[:n])), runes[n:]
	}
}
