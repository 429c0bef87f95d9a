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
		Facets: x.filters.count(s.counts), Suggestion: pl.suggestion, Undated: s.undated,
	}
	x.fill(r.Entries, page, p, pl)
	if next := p.offset + len(page); next < s.total && next < MaxDepth && len(page) > 0 {
		r.NextCursor = x.cursor(p, next)
	}
	return r
}

// fill sets the hits of a page. Their matches share one allocation, and so do their places.
func (x *Index) fill(hits []Hit, page []found, p *parsed, pl *plan) {
	matches := make([]Match, 0, len(page)*len(pl.clauses)+len(pl.pinned))
	places := make([][2]int, 0, 8*len(page))
	passages := make([]Passage, 0, len(page))
	shown := make([]int, 0, len(page))
	terms := x.termSet(pl)
	var best []*cardPassage
	for i, f := range page {
		rec, start := &x.records[f.doc], len(matches)
		var has wordSet
		if slices.Contains(pl.pinned, f.doc) {
			matches = append(matches, Match{Term: pl.pinnedTerm, In: pl.pinnedIn})
			has = pl.required
		}
		for j := range pl.clauses {
			c := &pl.clauses[j]
			if at := c.list.Find(f.doc); at >= 0 {
				matches = append(matches, Match{c.term, c.as, fieldSets[c.list.Fields[at]]})
				has |= c.words
			}
		}
		hit := &hits[i]
		card := x.cards.card(f.doc, rec)
		*hit = Hit{
			Entry: rec.entry, Change: rec.change, Kind: rec.kind,
			Matched: matches[start:len(matches):len(matches)], Missing: pl.missing(has),
			doc: f.doc, card: card,
		}
		if p.sort == SortRelevance {
			hit.Score = round(f.score())
		}
		hit.Highlights.Title = card.highlights(&terms, 0, card.title, &places)
		hit.Highlights.Summary = card.highlights(&terms, card.title, card.body, &places)
		first := len(passages)
		best = card.best(&terms, best[:0])
		for _, cp := range best {
			p := cp.Passage
			if rec.entry != nil {
				p.Highlights = hit.Highlights.Summary
			} else {
				p.Highlights = card.highlights(&terms, cp.text, cp.to, &places)
			}
			passages, shown = append(passages, p), append(shown, cp.at)
		}
		hit.Passages, hit.shown = passages[first:len(passages):len(passages)], shown[first:len(shown):len(shown)]
	}
}

// termSet returns the terms of a plan, each clause with the weight of its rarity.
func (x *Index) termSet(pl *plan) termSet {
	set := termSet{terms: make([]uint64, 0, usualVariants*len(pl.clauses))}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		rarity := math.Log1p(float64(len(x.records)) / float64(1+len(c.list.Docs)))
		x.cards.add(&set, c.variants, float32(rarity))
	}
	return set
}

// matchNames are the scored fields as answers name them.
var matchNames = [...]string{postings.Title: "title", postings.Labels: "labels", postings.Text: "text",
	postings.Questions: "questions", postings.Addresses: "addresses"}

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

// missing returns the words of the query that a document does not have.
func (pl *plan) missing(has wordSet) []string {
	if pl.required&^has == 0 {
		return nil
	}
	var list []string
	for i, w := range pl.words {
		if has&(1<<i) == 0 {
			list = append(list, w)
		}
	}
	return list
}

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
