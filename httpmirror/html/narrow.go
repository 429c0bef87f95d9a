package html

import (
	"math"
	"slices"

	"github.com/a-h/templ"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// The measures of the narrow drawing, in units. It fits the smallest phone.
const (
	narrowWide = 284
	laneWide   = 17
)

// drawNarrow returns the drawing of a flow for narrow places: a narrow column for each actor, named at its top, and
// beside them the messages.
func drawNarrow(f *catalog.Flow) string {
	actors := arrange(f)
	lane := func(actor string) float64 { return 26 + float64(slices.Index(actors, actor)*laneWide) }
	left := lane(actors[len(actors)-1]) + 20
	var lives, lines, heads, words, numbers drawing
	top := float64(len(actors) * 19)
	y := top + 14
	for i, s := range f.Steps {
		label := wrap(s.Label, narrowWide-left)
		a, b := lane(s.From), lane(s.To)
		numbers.text(0, y+11, "", []string{units(float64(i + 1))})
		if a == b {
			lines.printf("M%s %sh9v10h-6", units(a), units(y+2))
			arrowHead(&heads, a, y+12, -1)
		} else {
			lines.printf("M%s %sH%s", units(a), units(y+7), units(b))
			arrowHead(&heads, b, y+7, math.Copysign(1, b-a))
			lines.printf("M%s %sh.1", units(a), units(y+7))
		}
		words.text(left, y+11, "", label)
		y += float64(len(label)*lineHeight) + 12
	}
	for i, a := range actors {
		at := float64(i*19) + 9
		lives.printf("M%s %sV%s", units(lane(a)), units(at), units(y-6))
		lines.printf("M%s %sH%s", units(lane(a)), units(at), units(left-5))
	}
	var d drawing
	d.printf(`<svg class="seq narrow" viewBox="0 0 %d %s" width="%srem" role="img" aria-label="Sequence diagram. %s" font-size="%d">`,
		narrowWide, units(y), units(narrowWide/float64(unitsPerRem)), templ.EscapeString(f.Title), textSize)
	d.printf(`<path fill="none" stroke="currentColor" stroke-opacity=".45" stroke-dasharray="3 4" d="%s"/>`,
		lives.String())
	d.printf(`<path fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" d="%s"/><path fill="currentColor" d="%s"/>`, lines.String(), heads.String())
	d.WriteString(`<g font-weight="600" fill="currentColor">`)
	for i, a := range actors {
		d.text(left, float64(i*19)+13.5, "", []string{phrase.Sentence(a)})
	}
	d.printf(`</g><g fill="currentColor">%s</g><g class="nth" fill="currentColor" font-weight="600">%s</g></svg>`,
		words.String(), numbers.String())
	return d.String()
}

// arrange returns the actors of a flow in the order in which the arrows between them are shortest in all; of several
// such orders, the first that begins with those who take part first.
func arrange(f *catalog.Flow) []string {
	best := f.Actors()
	if len(best) > 7 {
		return best // more orders than it is worth to try
	}
	var try func(order, rest []string)
	try = func(order, rest []string) {
		if len(rest) == 0 && lengthOf(f, order) < lengthOf(f, best) {
			best = slices.Clone(order)
		}
		for i, a := range rest {
			try(append(order, a), slices.Concat(rest[:i], rest[i+1:]))
		}
	}
	try(nil, best)
	if first := f.Steps[0]; slices.Index(best, first.From) > slices.Index(best, first.To) {
		slices.Reverse(best) // the first message goes to the right, as one reads
	}
	return best
}

// lengthOf returns the length of all arrows of a flow in an order of its actors, in columns. Long arrows count more.
func lengthOf(f *catalog.Flow, order []string) int {
	sum := 0
	for _, s := range f.Steps {
		n := slices.Index(order, s.To) - slices.Index(order, s.From)
		sum += n * n
	}
	return sum
}
