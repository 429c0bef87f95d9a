package catalog

import (
	"maps"
	"slices"
)

// A FreshnessRow is how many values of a kind were read on each day.
type FreshnessRow struct {
	Label  string
	Counts map[Date]int
}

// Freshness returns on which days what is published was last read at its source, and on which days the link checker last had an
// answer from the sources of the library: the last row, which is empty before its first round.
func (c *Catalog) Freshness() []FreshnessRow {
	rows := []FreshnessRow{{Label: "library entries read"}, {Label: "facts read"}, {Label: "profile values read"}, {Label: "flow steps read"}, {Label: "articles checked"}, {Label: "links answered"}}
	for i := range rows {
		rows[i].Counts = make(map[Date]int)
	}
	count := func(row int, d Date) {
		if d != "" {
			rows[row].Counts[d]++
		}
	}
	for _, e := range c.entries {
		count(0, e.VerifiedAt)
		if e.HTTPStatus != 0 {
			count(5, e.LastChecked)
		}
	}
	for _, p := range c.protocols {
		for _, f := range p.Facts() {
			count(1, f.VerifiedAt)
		}
	}
	for _, p := range c.profiles {
		for _, f := range p.Fields() {
			count(2, f.VerifiedAt)
		}
		if f := c.flows[p.ID]; f != nil {
			for _, s := range f.Steps {
				count(3, s.VerifiedAt)
			}
		}
	}
	for _, a := range c.articles {
		count(4, a.VerifiedAt)
	}
	return rows
}

// FreshnessDay returns the newest day of the records that Freshness counts, and of the trust checklist.
func (c *Catalog) FreshnessDay() Date {
	return max(c.TrustDay(), c.listDays.all, c.ProtocolsDay(), c.ProfilesDay(), c.FlowsDay(), c.ArticlesDay())
}

// FreshnessDays returns the days of some rows, newest first.
func FreshnessDays(rows []FreshnessRow) []Date {
	days := make(map[Date]bool)
	for _, r := range rows {
		for d := range r.Counts {
			days[d] = true
		}
	}
	list := slices.Sorted(maps.Keys(days))
	slices.Reverse(list)
	return list
}
