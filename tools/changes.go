package tools

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog"
)

// changes are the change feed, encoded change by change.
type changes struct {
	days      []catalog.Date // newest first
	byDate    map[catalog.Date][]change
	summaries map[catalog.Date]changeSummary // of whole days
	addresses map[string]string              // of records other than library entries, by id; Markdown where there is some
}

func newChanges(c *catalog.Catalog) *changes {
	cs := &changes{days: c.ChangeDays(), byDate: make(map[catalog.Date][]change), summaries: make(map[catalog.Date]changeSummary), addresses: make(map[string]string)}
	for _, d := range cs.days {
		for _, ch := range c.Changes(d).Entries {
			cs.byDate[d] = append(cs.byDate[d], newChange(c, ch))
			if ch.Kind != "library" {
				cs.addresses[ch.ID] = cmp.Or(ch.MDURL, ch.URL)
			}
		}
		cs.summaries[d] = summarize(cs.byDate[d])
	}
	return cs
}

// A changeFilter selects changes.
type changeFilter struct {
	from, to catalog.Date
	kinds    []string // any of these; nil: all
	change   string   // one of changeTypes; "": all
}

func (f *changeFilter) isDay() bool { return f.from == f.to && f.kinds == nil && f.change == "" }

// choose returns the changes that pass, newest day first, and their summary.
func (cs *changes) choose(f changeFilter) (chosen []change, s changeSummary) {
	if f.isDay() {
		s, ok := cs.summaries[f.from]
		if !ok {
			s = summarize(nil)
		}
		return cs.byDate[f.from], s
	}
	for _, d := range cs.days {
		if d < f.from || d > f.to {
			continue
		}
		for _, ch := range cs.byDate[d] {
			if (f.kinds == nil || slices.Contains(f.kinds, ch.kind)) && (f.change == "" || f.change == ch.change) {
				chosen = append(chosen, ch)
			}
		}
	}
	return chosen, summarize(chosen)
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
