package html

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
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

// text writes lines of text one below the other, the baseline of the first at y.
func (d *drawing) text(x, y float64, lines []string) {
	d.printf(`<text x="%s" y="%s">`, units(x), units(y))
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

// The measures of a sequence diagram, in units. It fits the smallest phone.
const (
	narrowWide = 284
	laneWide   = 17
)

// drawFlow returns the sequence diagram of a flow for a page.
func drawFlow(f *catalog.Flow) string {
	body, high := flowBody(f)
	return fmt.Sprintf(`<svg class="seq" viewBox="0 0 %d %s" width="%srem" role="img" aria-label="Sequence diagram. %s" font-size="%d">%s</svg>`,
		narrowWide, units(high), units(narrowWide/float64(unitsPerRem)), templ.EscapeString(f.Title), textSize, body)
}

// flowBody returns the markup of a sequence diagram and its height: a narrow column for each actor, named at its top, and
// beside them the messages.
func flowBody(f *catalog.Flow) (markup string, high float64) {
	actors := f.Actors()
	lane := func(actor string) float64 { return 26 + float64(slices.Index(actors, actor)*laneWide) }
	left := lane(actors[len(actors)-1]) + 20
	var lives, lines, heads, words, numbers drawing
	top := float64(len(actors) * 19)
	y := top + 14
	for i, s := range f.Steps {
		label := wrap(s.Label, narrowWide-left)
		a, b := lane(s.From), lane(s.To)
		numbers.text(0, y+11, []string{units(float64(i + 1))})
		if a == b {
			lines.printf("M%s %sh9v10h-6", units(a), units(y+2))
			arrowHead(&heads, a, y+12, -1)
		} else {
			lines.printf("M%s %sH%s", units(a), units(y+7), units(b))
			arrowHead(&heads, b, y+7, math.Copysign(1, b-a))
			lines.printf("M%s %sh.1", units(a), units(y+7))
		}
		words.text(left, y+11, label)
		y += float64(len(label)*lineHeight) + 12
	}
	for i, a := range actors {
		at := float64(i*19) + 9
		lives.printf("M%s %sV%s", units(lane(a)), units(at), units(y-6))
		lines.printf("M%s %sH%s", units(lane(a)), units(at), units(left-5))
	}
	var d drawing
	d.printf(`<path fill="none" stroke="currentColor" stroke-opacity=".45" stroke-dasharray="3 4" d="%s"/>`,
		lives.String())
	d.printf(`<path fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" d="%s"/><path fill="currentColor" d="%s"/>`, lines.String(), heads.String())
	d.WriteString(`<g font-weight="600" fill="currentColor">`)
	for i, a := range actors {
		d.text(left, float64(i*19)+13.5, []string{phrase.Sentence(a)})
	}
	d.printf(`</g><g fill="currentColor">%s</g><g class="nth" fill="currentColor" font-weight="600">%s</g>`,
		words.String(), numbers.String())
	return d.String(), y
}
