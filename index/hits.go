package index

import (
	"math"
	"slices"

	"almanac/catalog"
	"almanac/index/postings"
)

// results returns the answer made of the documents collected.
func (x *Index) results(s *scratch, p *parsed, pl *plan) *Results {
	page := s.top.from(p.offset)
	r := &Results{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt,
		Query: p.text, Total: s.total, Count: len(page), Entries: make([]Hit, len(page)),
		Facets: x.filters.count(s.counts), Suggestion: pl.suggestion,
	}
	x.fill(r.Entries, page, pl)
	if next := p.offset + len(page); next < s.total && next < MaxDepth && len(page) > 0 {
		r.NextCursor = x.cursor(p, next)
	}
	return r
}

// fill sets the hits of a page. Their matches share one allocation, and so do their places.
func (x *Index) fill(hits []Hit, page []found, pl *plan) {
	matches := make([]Match, 0, len(page)*len(pl.clauses)+len(pl.pinned))
	places := make([][2]int, 0, 4*len(page))
	terms := termSet{terms: make([]uint64, 0, usualVariants*len(pl.clauses))}
	for i := range pl.clauses {
		x.cards.add(&terms, pl.clauses[i].variants)
	}
	for i, f := range page {
		rec, start := &x.records[f.doc], len(matches)
		if slices.Contains(pl.pinned, f.doc) {
			matches = append(matches, Match{Term: pl.pinnedTerm, In: pl.pinnedIn})
		}
		for j := range pl.clauses {
			c := &pl.clauses[j]
			if at := c.list.Find(f.doc); at >= 0 {
				matches = append(matches, Match{c.term, c.as, fieldSets[c.list.Fields[at]]})
			}
		}
		card := x.cards.card(f.doc, rec)
		hits[i] = Hit{
			Entry: rec.entry, Change: rec.change, Kind: rec.kind, Score: round(f.score),
			Matched:    matches[start:len(matches):len(matches)],
			Highlights: card.highlights(&terms, &places),
			doc:        f.doc, card: card,
		}
	}
}

// matchNames are the scored fields as answers name them.
var matchNames = [...]string{postings.Title: "title", postings.Labels: "labels", postings.Text: "text"}

// fieldSets are the names of each set of scored fields, which all answers share.
var fieldSets = func() (sets [1 << postings.Fields][]string) {
	for bits := range sets {
		for f, name := range matchNames {
			if bits&(1<<f) != 0 {
				sets[bits] = append(sets[bits], name)
			}
		}
	}
	return sets
}()

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
