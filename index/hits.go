package index

import (
	"math"
	"math/bits"
	"slices"

	"almanac/catalog"
	"almanac/index/postings"
)

// An answerRoom is the memory of an answer. An answer that is given away has a room of its own.
type answerRoom struct {
	hits     []Hit
	matches  []Match
	places   [][2]int32
	passages []PassageHit
	facets   []FacetCount
	missing  []missing
}

// missing are the words of the query that documents with other words do not have.
type missing struct {
	has   wordSet
	words []string
}

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
		hit.Entry, hit.Change, hit.Kind, hit.doc, hit.card = rec.entry, rec.change, rec.kind, f.doc, x.cards.card(f.doc, rec)
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

// growHits makes room for the hits of a page.
func (room *answerRoom) growHits(n int) {
	clear(room.hits)
	room.hits, room.missing = slices.Grow(room.hits[:0], n)[:n], room.missing[:0]
	if n == 0 {
		room.hits = []Hit{}
	}
}

// usualPlaces is the number of highlights that most hits have at most.
const usualPlaces = 6

// addMatches sets why a hit was found, and what it misses.
func (room *answerRoom) addMatches(hit *Hit, f found, pl *plan) {
	start, has := len(room.matches), wordSet(0)
	if slices.Contains(pl.pinned, f.doc) {
		room.matches = append(room.matches, Match{Term: pl.pinnedTerm, In: pl.pinnedIn})
		has = pl.required
	}
	for set := f.clauses; set != 0; set &= set - 1 {
		j := bits.TrailingZeros16(uint16(set))
		if j >= len(pl.clauses) {
			break // all documents have the only clause of a plan, which may have none
		}
		c := &pl.clauses[j]
		if at := c.list.Find(f.doc); at >= 0 {
			room.matches = append(room.matches, Match{c.term, c.as, fieldSets[c.list.Fields[at]]})
			has |= c.words
		}
	}
	hit.Matched = noMatches
	if len(room.matches) > start {
		hit.Matched = room.matches[start:len(room.matches):len(room.matches)]
	}
	if pl.required&^has != 0 {
		hit.Missing = room.missingWords(has, pl)
	}
}

// missingWords returns the words of the query that a document does not have. Hits that miss the same
// words share them.
func (room *answerRoom) missingWords(has wordSet, pl *plan) []string {
	for _, m := range room.missing {
		if m.has == has {
			return m.words
		}
	}
	list := make([]string, 0, bits.OnesCount16(uint16(pl.required&^has)))
	for i, w := range pl.words {
		if has&(1<<i) == 0 {
			list = append(list, w)
		}
	}
	room.missing = append(room.missing, missing{has, list})
	return list
}

// addPassages sets the highlights of a hit and the passages chosen.
func (room *answerRoom) addPassages(hit *Hit, terms *termSet, chosen []int) {
	c, first := hit.card, len(room.passages)
	if len(terms.hashes) > 0 {
		hit.Highlights.Title = c.highlights(terms, 0, c.title, &room.places)
	}
	for _, at := range chosen {
		p := &c.passages[at]
		room.passages = append(room.passages, PassageHit{&p.Passage, noPlaces, at})
		if len(terms.hashes) > 0 {
			room.passages[len(room.passages)-1].Highlights = c.highlights(terms, p.text, p.to, &room.places)
		}
	}
	hit.Passages = room.passages[first:len(room.passages):len(room.passages)]
	if hit.Entry != nil {
		hit.Highlights.Summary = hit.Passages[0].Highlights
	}
}

// What a hit has none of is empty, and not null in JSON.
var (
	noMatches = []Match{}
	noPlaces  = [][2]int32{}
)

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

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
