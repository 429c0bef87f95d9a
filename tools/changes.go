package tools

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

// changes are the change feed, encoded change by change.
type changes struct {
	days      []catalog.Date // newest first
	byDate    map[catalog.Date][]change
	addresses map[string]string // of records other than library entries, by id; Markdown where there is some
}

type change struct {
	kind string
	piece
}

func newChanges(c *catalog.Catalog) *changes {
	cs := &changes{days: c.ChangeDays(), byDate: make(map[catalog.Date][]change), addresses: make(map[string]string)}
	for _, d := range cs.days {
		for _, ch := range c.Changes(d).Entries {
			cs.byDate[d] = append(cs.byDate[d], change{ch.Kind, piece{encode(ch), changeLine(ch)}})
			if ch.Kind != "library" {
				cs.addresses[ch.ID] = cmp.Or(ch.MDURL, ch.URL)
			}
		}
	}
	return cs
}

// changeLine returns the members of a change as a line of a list.
func changeLine(ch catalog.Change) []byte {
	parts := []string{
		"- id: " + ch.ID, "kind: " + ch.Kind, "**" + ch.Title + "**", ch.URL,
	}
	if ch.MDURL != "" {
		parts = append(parts, "md_url: "+ch.MDURL)
	}
	if ch.Category != "" {
		parts = append(parts, "category: "+ch.Category)
	}
	published := ""
	if ch.DatePublished != nil {
		published = string(*ch.DatePublished)
	}
	parts = append(parts, "date_published: "+orUnknown(published), "verified_at: "+string(ch.VerifiedAt))
	if ch.Note != "" {
		parts = append(parts, "note: "+ch.Note)
	}
	return wirejson.AppendEscaped(nil, strings.Join(parts, "; ")+"\n")
}

// choose returns the changes of some days and kinds, newest day first.
func (cs *changes) choose(from, to catalog.Date, kinds []string) (chosen []change) {
	if from == to && kinds == nil {
		return cs.byDate[from]
	}
	for _, d := range cs.days {
		if d < from || d > to {
			continue
		}
		for _, ch := range cs.byDate[d] {
			if kinds == nil || slices.Contains(kinds, ch.kind) {
				chosen = append(chosen, ch)
			}
		}
	}
	return chosen
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
