package index

import (
	"math/bits"
	"slices"

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
	words    []string // of missing
}

// missing are the words of the query that documents with other words do not have.
type missing struct {
	has   wordSet
	words []string
}

// growHits makes room for the hits of a page.
func (room *answerRoom) growHits(n int) {
	clear(room.hits)
	room.hits, room.missing = slices.Grow(room.hits[:0], n)[:n], room.missing[:0]
	room.words = room.words[:0]
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
	start := len(room.words)
	for i, w := range pl.words {
		if has&(1<<i) == 0 {
			room.words = append(room.words, w)
		}
	}
	list := room.words[start:len(room.words):len(room.words)]
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
