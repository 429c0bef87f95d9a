package tools

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"almanac/catalog"
)

// maxPieces bounds the encoded changes that are kept; each takes about half a kilobyte. Others are encoded for each answer.
const maxPieces = 4_000

// changes are the change feed, encoded change by change.
type changes struct {
	catalog   *catalog.Catalog
	days      []catalog.Date // newest first
	byDate    map[catalog.Date]*changeDay
	addresses map[string]string // of records other than library entries, by id; Markdown where there is some
	left      atomic.Int64      // how many pieces may still be kept
}

// A changeDay is a day of the change feed, its changes in their order there.
type changeDay struct {
	date   catalog.Date
	again  []bool // read again
	others int    // how many are not of library entries; these come first
	counts *changeCounts
	pieces []atomic.Pointer[piece] // those that are kept
}

func newChanges(c *catalog.Catalog) *changes {
	cs := &changes{catalog: c, days: c.ChangeDays(), byDate: make(map[catalog.Date]*changeDay), addresses: make(map[string]string)}
	cs.left.Store(maxPieces)
	for _, d := range cs.days {
		n := c.ChangeCount(d)
		day := &changeDay{date: d, again: make([]bool, n), counts: newChangeCounts(), pieces: make([]atomic.Pointer[piece], n)}
		for i := range n {
			ch := c.Change(d, i)
			day.again[i] = c.ReadBefore(ch.ID, d)
			day.counts.add(ch, day.typeOf(i))
			if ch.Kind != "library" {
				day.others++
				cs.addresses[ch.ID] = cmp.Or(ch.MDURL, ch.URL)
			}
		}
		cs.byDate[d] = day
	}
	return cs
}

// typeOf returns the type of a change, one of changeTypes.
func (d *changeDay) typeOf(i int) string {
	if d.again[i] {
		return changeReadAgain
	}
	return changeAdded
}

// A changeRef is the place of a change.
type changeRef struct {
	day   *changeDay
	index int
}

// piece returns a change, encoded.
func (cs *changes) piece(at changeRef) piece {
	slot := &at.day.pieces[at.index]
	if made := slot.Load(); made != nil {
		return *made
	}
	made := changePiece(cs.catalog.Change(at.day.date, at.index), at.day.typeOf(at.index))
	if cs.left.Add(-1) >= 0 {
		slot.Store(made)
	}
	return *made
}

// chosenChanges are the changes that pass a filter: all of a day, or a list.
type chosenChanges struct {
	day  *changeDay
	list []changeRef
}

func (c *chosenChanges) len() int {
	if c.day != nil {
		return len(c.day.again)
	}
	return len(c.list)
}

func (c *chosenChanges) at(i int) changeRef {
	if c.day != nil {
		return changeRef{c.day, i}
	}
	return c.list[i]
}

// A changeFilter selects changes.
type changeFilter struct {
	from, to catalog.Date
	kinds    []string // any of these; nil: all
	change   string   // one of changeTypes; "": all
}

func (f *changeFilter) isDay() bool { return f.from == f.to && f.kinds == nil && f.change == "" }

// choose returns the changes that pass, newest day first, and their summary.
func (cs *changes) choose(f changeFilter) (chosen chosenChanges, s changeSummary) {
	counts := newChangeCounts()
	if f.isDay() {
		if day := cs.byDate[f.from]; day != nil {
			chosen.day, counts = day, day.counts
		}
		return chosen, counts.summary()
	}
	for _, d := range cs.days {
		if d < f.from || d > f.to {
			continue
		}
		day := cs.byDate[d]
		for i := range day.again {
			if f.kinds == nil && f.change == "" {
				chosen.list = append(chosen.list, changeRef{day, i})
				continue
			}
			ch := cs.catalog.Change(d, i)
			if (f.kinds == nil || slices.Contains(f.kinds, ch.Kind)) && (f.change == "" || f.change == day.typeOf(i)) {
				chosen.list = append(chosen.list, changeRef{day, i})
				counts.add(ch, day.typeOf(i))
			}
		}
		if f.kinds == nil && f.change == "" {
			counts.addAll(day.counts)
		}
	}
	return chosen, counts.summary()
}

const maxDays = 5 // suggested days with changes

// daysWithin returns the newest days with changes in a span.
func (cs *changes) daysWithin(from, to catalog.Date) []catalog.Date {
	days := []catalog.Date{}
	for _, d := range cs.days {
		if from <= d && d <= to && len(days) < maxDays {
			days = append(days, d)
		}
	}
	return days
}

// nearestDays returns the newest days with changes up to a day, or the newest of all.
func (cs *changes) nearestDays(to catalog.Date) []catalog.Date {
	if near := cs.daysWithin("", to); len(near) > 0 {
		return near
	}
	return append([]catalog.Date{}, cs.days[:min(maxDays, len(cs.days))]...)
}

func joinDates(days []catalog.Date) string {
	parts := make([]string, len(days))
	for i, d := range days {
		parts[i] = string(d)
	}
	return orNone(strings.Join(parts, ", "))
}
