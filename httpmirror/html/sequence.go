package html

import (
	"math"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// A sequence is a flow drawn as a sequence diagram, in two drawings: one with a column for each actor, and one for
// narrow places, in which the messages stand beside narrow columns. Both have every step, by the number that it has in
// the list.
type sequence struct {
	Flow   *catalog.Flow
	Wide   string // markup
	Narrow string // markup
	Rem    int    // the width from which on the wide drawing fits, in rem: one of sequenceWidths
}

// sequenceWidths are the widths of place that the stylesheet tells apart, in rem.
var sequenceWidths = []int{40, 48, 56, 66}

// Class returns the class by which the stylesheet knows from which width on the wide drawing fits.
func (s sequence) Class() string {
	return "fits-" + []string{"s", "m", "l", "xl"}[slices.Index(sequenceWidths, s.Rem)]
}

// newSequence draws a flow.
func newSequence(f *catalog.Flow) sequence {
	l := layOut(f)
	s := sequence{Flow: f, Wide: l.draw(false), Narrow: drawNarrow(f), Rem: sequenceWidths[len(sequenceWidths)-1]}
	for _, rem := range slices.Backward(sequenceWidths) {
		if l.width <= float64(rem*unitsPerRem) {
			s.Rem = rem
		}
	}
	return s
}

// FlowPicture returns the sequence diagram of a flow as a file of its own.
func FlowPicture(f *catalog.Flow) []byte { return []byte(layOut(f).draw(true)) }

// The measures of the wide drawing, in units.
const (
	gutter    = 26  // at the left, for the numbers of the steps
	actorHigh = 30  // the box of an actor
	padding   = 16  // around a label
	leastGap  = 104 // between two lifelines
	loopWide  = 26  // of a message to oneself
	rowSpace  = 22  // of a step beside its lines
)

// A layout is where everything is in the wide drawing.
type layout struct {
	flow   *catalog.Flow
	actors []string
	x      []float64  // of the lifelines
	labels [][]string // of the steps, in lines
	width  float64
	height float64
}

// layOut finds a layout that fits the widest place, by breaking labels into shorter lines until it does.
func layOut(f *catalog.Flow) *layout {
	l := &layout{flow: f, actors: arrange(f)}
	for _, width := range []float64{240, 210, 180, 150, 130} {
		l.place(width)
		if l.width <= float64(sequenceWidths[len(sequenceWidths)-1]*unitsPerRem) {
			break
		}
	}
	return l
}

// place places the lifelines for labels of at most a width.
func (l *layout) place(width float64) {
	gaps := make([]float64, len(l.actors)) // to the right of each actor
	for i, a := range l.actors {
		gaps[i] = leastGap
		if i+1 < len(l.actors) {
			gaps[i] = max(gaps[i], (actorWidth(a)+actorWidth(l.actors[i+1]))/2+padding)
		}
	}
	l.labels = make([][]string, len(l.flow.Steps))
	for i, s := range l.flow.Steps {
		from, to := l.ends(s)
		l.labels[i] = wrap(s.Label, width)
		switch wide := widthOf(l.labels[i]) + 2*padding; {
		case from == to:
			gaps[from] = max(gaps[from], wide+loopWide)
		case to-from == 1 || from-to == 1:
			gaps[min(from, to)] = max(gaps[min(from, to)], wide)
		}
	}
	l.widen(gaps)
	l.x = make([]float64, len(l.actors))
	at := gutter + actorWidth(l.actors[0])/2
	for i := range l.actors {
		l.x[i] = at
		at += gaps[i]
	}
	last := len(l.actors) - 1
	l.width = l.x[last] + actorWidth(l.actors[last])/2 + 2
	l.height = actorHigh + 10
	for i, s := range l.flow.Steps {
		l.height += float64(len(l.labels[i])*lineHeight) + rowSpace
		if from, to := l.ends(s); from == to && from == last {
			l.width = max(l.width, l.x[last]+gaps[last])
		}
	}
	l.height += 6
}

// widen makes place for the labels of messages that pass a lifeline.
func (l *layout) widen(gaps []float64) {
	for i, s := range l.flow.Steps {
		from, to := l.ends(s)
		lo, hi := min(from, to), max(from, to)
		if hi-lo < 2 {
			continue
		}
		width := 0.0
		for _, g := range gaps[lo:hi] {
			width += g
		}
		if more := widthOf(l.labels[i]) + padding - width; more > 0 {
			for g := lo; g < hi; g++ {
				gaps[g] += more / float64(hi-lo)
			}
		}
	}
}

// ends returns the columns between which a step is.
func (l *layout) ends(s catalog.FlowStep) (from, to int) {
	return slices.Index(l.actors, s.From), slices.Index(l.actors, s.To)
}

// actorWidth returns the width of the box of an actor.
func actorWidth(name string) float64 {
	return math.Ceil(widthOf([]string{phrase.Sentence(name)})*1.08) + padding
}

// draw returns the wide drawing, as a part of a page or as a file of its own.
func (l *layout) draw(file bool) string {
	var d drawing
	l.open(&d, file)
	d.WriteString(`<path fill="none" stroke="currentColor" stroke-opacity=".45" stroke-dasharray="3 4" d="`)
	for _, x := range l.x {
		d.printf("M%s %dV%s", units(x), actorHigh, units(l.height))
	}
	d.WriteString(`"/><g fill="none" stroke="currentColor">`)
	for i, a := range l.actors {
		d.printf(`<rect x="%s" y="1" width="%s" height="%d" rx="3"/>`,
			units(l.x[i]-actorWidth(a)/2), units(actorWidth(a)), actorHigh-2)
	}
	d.WriteString(`</g><g font-weight="600" fill="currentColor">`)
	for i, a := range l.actors {
		d.text(l.x[i], 19.5, "middle", []string{phrase.Sentence(a)})
	}
	d.WriteString("</g>")
	l.drawSteps(&d)
	d.WriteString("</svg>")
	return d.String()
}

// open writes the beginning of the wide drawing.
func (l *layout) open(d *drawing, file bool) {
	title := templ.EscapeString(l.flow.Title)
	if !file {
		d.printf(`<svg class="seq wide" viewBox="0 0 %s %s" width="%srem" role="img" aria-label="Sequence diagram. %s" font-size="%d">`,
			units(l.width), units(l.height), units(l.width/unitsPerRem), title, textSize)
		return
	}
	d.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/css\" href=\"%s\"?>\n",
		styleAddress)
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="seq" viewBox="-12 -12 %s %s" width="%s" height="%s" role="img" color="#1c1b18" font-family="system-ui, sans-serif" font-size="%d">`,
		units(l.width+24), units(l.height+24), units(l.width+24), units(l.height+24), textSize)
	d.printf(`<title>%s</title><desc>%s</desc>`, title, templ.EscapeString(flowWords(l.flow)))
	d.printf(`<rect x="-12" y="-12" width="%s" height="%s" fill="#fcfbf7"/>`, units(l.width+24), units(l.height+24))
}

// drawSteps writes the arrows with their labels and numbers.
func (l *layout) drawSteps(d *drawing) {
	var labels, numbers, lines, heads drawing
	y := float64(actorHigh + 10)
	for i, s := range l.flow.Steps {
		from, to := l.ends(s)
		high := float64(len(l.labels[i]) * lineHeight)
		base := y + high + 6 // the arrow
		a, b := l.x[from], l.x[to]
		if from == to {
			labels.text(a+loopWide+8, y+high/2+8, "", l.labels[i])
			lines.printf("M%s %sh%dv%dh-%d", units(a), units(base-12), loopWide, 14, loopWide-3)
			arrowHead(&heads, a, base+2, -1)
		} else {
			labels.text((a+b)/2, y+lineHeight-3, "middle", l.labels[i])
			lines.printf("M%s %sH%s", units(a), units(base), units(b))
			arrowHead(&heads, b, base, math.Copysign(1, b-a))
		}
		numbers.text(0, base+4, "", []string{units(float64(i + 1))})
		y += high + rowSpace
	}
	d.printf(`<path fill="none" stroke="currentColor" stroke-width="1.3" d="%s"/><path fill="currentColor" d="%s"/>`,
		lines.String(), heads.String())
	d.printf(`<g class="said" fill="currentColor" stroke="#fcfbf7" stroke-width="4" stroke-linejoin="round" paint-order="stroke">%s</g>`, labels.String())
	d.printf(`<g class="nth" fill="currentColor" font-weight="600">%s</g>`, numbers.String())
}

// flowWords returns the steps of a flow as one text.
func flowWords(f *catalog.Flow) string {
	var list []string
	for i, s := range f.Steps {
		list = append(list, units(float64(i+1))+". "+s.Parties()+": "+s.Label)
	}
	return strings.Join(list, "; ")
}
