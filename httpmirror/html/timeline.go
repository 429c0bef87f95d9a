package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"go.almanac.example/catalog"
)

// A timeline is the releases of protocols, in two drawings: for wide and for narrow places.
type timeline struct {
	Events       []timelineEvent // newest first
	Wide, Narrow string          // markup
}

// A timelineEvent is an event with its protocol.
type timelineEvent struct {
	catalog.ProtocolEvent
	Protocol, Path string
}

// timelineEvents returns the events of some protocols, newest first.
func timelineEvents(profiles ...*catalog.Profile) (list []timelineEvent) {
	for _, p := range profiles {
		for _, e := range p.Events {
			list = append(list, timelineEvent{e, shortName(p.ID, p.Name), catalog.ProtocolPath(p.ID)})
		}
	}
	slices.SortStableFunc(list, func(a, b timelineEvent) int { return cmp.Compare(b.Date, a.Date) })
	return list
}

// newTimeline draws the events of some protocols, a line for each.
func newTimeline(profiles []*catalog.Profile) timeline {
	t := timeline{Events: timelineEvents(profiles...)}
	if len(t.Events) > 0 {
		a := newAxis(t.Events)
		t.Wide, t.Narrow = drawTimeline(profiles, a, 680, "wide"), drawTimeline(profiles, a, narrowWide, "narrow")
	}
	return t
}

// An axis has the years of some events. Older events than the break are at its left end, in a part without scale.
type axis struct {
	first, last int // years
	early       bool
}

// axisYears is how many years an axis shows to scale.
const axisYears = 4

func newAxis(events []timelineEvent) axis {
	a := axis{last: events[0].Date.Time().Year() + 1}
	a.first = max(a.last-axisYears, events[len(events)-1].Date.Time().Year())
	a.early = events[len(events)-1].Date.Time().Year() < a.first
	return a
}

// earlyWide is the width of the part without scale, as a share of the axis.
const earlyWide = .14

// position returns the place of a day on an axis from 0 to 1.
func (a axis) position(d catalog.Date, early int) float64 {
	t := d.Time()
	left := 0.0
	if a.early {
		left = earlyWide
	}
	if t.Year() < a.first {
		return math.Min(.015+float64(early)*.055, earlyWide-.02)
	}
	start := time.Date(a.first, 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(a.last, 1, 1, 0, 0, 0, 0, time.UTC)
	return left + (1-left)*t.Sub(start).Hours()/end.Sub(start).Hours()
}

// The measures of a timeline, in units.
const (
	namesWide = 170 // at the left of the wide drawing of several protocols
	rowHigh   = 27
)

// drawTimeline draws a line for each of some profiles on an axis, with a name that leads to its page.
func drawTimeline(rows []*catalog.Profile, a axis, wide float64, class string) string {
	left, high := float64(namesWide), float64(rowHigh)
	if class == "narrow" {
		left, high = 6, 38
	}
	span := wide - left - 30
	var d, lines, links, dots, rings, words drawing
	height := float64(len(rows))*high + 26
	for y := a.first; y < a.last; y++ {
		x := left + span*a.position(catalog.Date(fmt.Sprintf("%d-01-01", y)), 0)
		lines.printf("M%s 2V%s", units(x), units(height-20))
		words.text(x+3, height-5, "", []string{fmt.Sprint(y)})
	}
	if a.early {
		words.text(left, height-5, "", []string{map[string]string{"wide": "earlier", "narrow": "…"}[class]})
	}
	for i, p := range rows {
		base := float64(i)*high + high - 8
		drawEvents(p, func(d catalog.Date, early int) float64 { return left + span*a.position(d, early) }, base, &links, &dots, &rings)
		x, y, anchor := left-14, base+4, "end"
		if class == "narrow" {
			x, y, anchor = left, base-12, ""
		}
		words.printf(`<a href="%s">`, catalog.ProtocolPath(p.ID))
		words.text(x, y, anchor, []string{shortName(p.ID, p.Name)})
		words.WriteString("</a>")
		if len(p.Events) == 0 {
			words.text(wide-4, base-4, "end", []string{"no dated release"})
		}
		lines.printf("M%s %sH%s", units(left), units(base), units(wide-4))
	}
	d.printf(`<svg class="seq %s" viewBox="0 0 %s %s" width="%srem" role="group" aria-label="Release timeline" font-size="%d">`,
		class, units(wide), units(height), units(wide/unitsPerRem), textSize)
	d.printf(`<path fill="none" stroke="currentColor" stroke-opacity=".25" d="%s"/>`, lines.String())
	d.printf(`<path fill="none" stroke="currentColor" stroke-width="2" d="%s"/>`, links.String())
	d.printf(`<g class="nth" fill="currentColor">%s</g><g class="rings" fill="#fcfbf7" stroke="currentColor" stroke-width="1.6">%s</g>`, dots.String(), rings.String())
	d.printf(`<g fill="currentColor">%s</g></svg>`, words.String())
	return d.String()
}

// drawEvents draws the events of a protocol on a line: a ring for a superseded one, with a line to its successor, and a
// dot for the others.
func drawEvents(p *catalog.Profile, at func(d catalog.Date, early int) float64, base float64, links, dots, rings *drawing) {
	place := make(map[string]float64)
	for i, e := range p.Events {
		place[e.Version] = at(e.Date, i)
	}
	for _, e := range p.Events {
		x := place[e.Version]
		if by := e.SupersededBy; by != nil {
			links.printf("M%s %sH%s", units(x), units(base), units(place[*by]))
			rings.printf(`<circle cx="%s" cy="%s" r="4.5"/>`, units(x), units(base))
		} else {
			dots.printf(`<circle cx="%s" cy="%s" r="5"/>`, units(x), units(base))
		}
	}
}
