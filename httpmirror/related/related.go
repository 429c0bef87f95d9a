// Package related finds the records of a catalog that belong to a library entry.
package related

import (
	"cmp"
	"slices"

	"go.almanac.example/catalog"
)

// A LinkedEntry is a library entry with the records that belong to it.
type LinkedEntry struct {
	*catalog.Entry
	Category   catalog.Category
	Protocols  []*catalog.Protocol        // those whose tags it carries
	Articles   []*catalog.Article         // those that rest on it
	Nearest    []*catalog.Entry           // see Records.nearest
	Questions  []string                   // that the entry answers
	Statements []catalog.ClassedStatement // about its source
	Reading    *catalog.ClassedReading    // of its summary; nil: none
}

// Records find the records that belong to entries. It is safe for concurrent use.
type Records struct {
	cat   *catalog.Catalog
	cited map[string][]*catalog.Article // by the id of the entry that they rest on
}

// New returns the index of a catalog.
func New(cat *catalog.Catalog) *Records {
	x := &Records{cat: cat, cited: make(map[string][]*catalog.Article)}
	for _, a := range cat.Articles() {
		for _, id := range a.Entries {
			x.cited[id] = append(x.cited[id], a)
		}
	}
	return x
}

// Link returns an entry with the records that belong to it.
func (x *Records) Link(e *catalog.Entry) LinkedEntry {
	r := LinkedEntry{Entry: e, Articles: x.cited[e.ID], Nearest: x.nearest(e), Questions: x.cat.Questions(e.ID),
		Statements: x.cat.ClassedStatements(e)}
	if reading, ok := x.cat.EntryReading(e); ok {
		r.Reading = &reading
	}
	r.Category, _ = x.cat.Category(e.Category) // the catalog has no entries without one
	for _, t := range e.Tags {
		if p, ok := x.cat.Protocol(t); ok {
			r.Protocols = append(r.Protocols, p)
		}
	}
	return r
}

const (
	nearestCount  = 6  // entries returned as nearest
	nearestWindow = 48 // entries compared in the list of a tag, so that the cost of a page is bounded
)

// nearest returns the entries that share the rarest tags with e. A shared tag counts the more the rarer it is, the same
// category counts a little; ties keep the published order.
func (x *Records) nearest(e *catalog.Entry) []*catalog.Entry {
	tags := slices.Clone(e.Tags)
	slices.SortStableFunc(tags, func(a, b string) int { return cmp.Compare(len(x.cat.WithTag(a)), len(x.cat.WithTag(b))) })
	var candidates []candidate
	for _, t := range tags[:min(3, len(tags))] {
		list := x.cat.WithTag(t)
		place, _ := slices.BinarySearchFunc(list, e, x.cat.CompareEntries)
		from := max(0, min(place-nearestWindow/2, len(list)-nearestWindow))
		for _, other := range list[from:min(len(list), from+nearestWindow)] {
			i := slices.IndexFunc(candidates, func(c candidate) bool { return c.entry == other })
			if i < 0 {
				i = len(candidates)
				candidates = append(candidates, candidate{entry: other})
			}
			candidates[i].score += 1 / float64(len(list))
		}
	}
	for i, c := range candidates {
		if c.entry.Category == e.Category {
			candidates[i].score *= 1.25
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var nearest []*catalog.Entry
	for _, c := range candidates {
		if c.entry != e && len(nearest) < nearestCount {
			nearest = append(nearest, c.entry)
		}
	}
	return nearest
}

// A candidate is an entry that shares tags with another.
type candidate struct {
	entry *catalog.Entry
	score float64
}
