package index

import (
	"math"
	"math/bits"
	"slices"

	"almanac/catalog"
)

// results returns the answer made of the documents collected, in a room whose former answer it replaces.
func (x *Index) results(s *scratch, p *parsed, room *answerRoom) Results {
	pl, page := &s.planning.plan, s.top.from(p.offset)
	r := Results{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt,
		Query: p.text, Total: s.total, Count: len(page), Entries: x.hits(s, room, page, p),
		Suggestion: pl.suggestion, Undated: s.undated,
	}
	r.Facets, room.facets = x.filters.count(s.counts, room.facets[:0])
	if next := p.offset + len(page); next < s.total && next < MaxDepth && len(page) > 0 {
		r.NextCursor = x.cursor(p, next)
	}
	return r
}

// hits returns the hits of a page. Their parts share one allocation for each kind of part.
func (x *Index) hits(s *scratch, room *answerRoom, page []found, p *parsed) []Hit {
	pl := &s.planning.plan
	x.setTerms(&s.terms, pl)
	s.passages.best = s.passages.best[:0]
	room.growHits(len(page))
	matches := len(pl.pinned)
	for i, f := range page {
		rec := &x.records[f.doc]
		hit := &room.hits[i]
		hit.Entry, hit.Change, hit.Kind, hit.doc, hit.card = rec.entry, rec.change(), rec.kind(), f.doc, x.cards.card(f.doc, rec)
		matches += min(bits.OnesCount16(uint16(f.clauses)), len(pl.clauses))
		start := len(s.passages.best)
		s.passages.addBest(hit.card, &s.terms)
		hit.chosen = int32(len(s.passages.best) - start)
	}
	room.matches = slices.Grow(room.matches[:0], matches)
	room.passages = slices.Grow(room.passages[:0], len(s.passages.best))
	room.places = slices.Grow(room.places[:0], min(len(s.terms.hashes), usualPlaces)*len(page))
	chosen := s.passages.best
	for i, f := range page {
		hit := &room.hits[i]
		if p.sort == SortRelevance {
			hit.Score = round(f.score())
		}
		room.addMatches(hit, f, pl)
		room.addPassages(hit, &s.terms, chosen[:hit.chosen])
		chosen = chosen[hit.chosen:]
	}
	return room.hits
}

// setTerms sets the terms of a plan, each clause with the weight of its rarity. Terms that no document has
// are left out.
func (x *Index) setTerms(set *termSet, pl *plan) {
	set.reset()
	for i := range pl.clauses {
		c := &pl.clauses[i]
		rarity := math.Log1p(float64(len(x.records)) / float64(1+len(c.list.Docs)))
		for _, v := range c.variants {
			if x.store.MayHave(v.Term) {
				set.add(x.cards.hash(v.Term))
			}
		}
		set.weights = append(set.weights, float32(rarity))
	}
}

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
