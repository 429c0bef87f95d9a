package index

import (
	"hash/maphash"
	"slices"
)

// A termSet holds the terms of a query, as cards have them.
type termSet struct {
	hashes  []uint64
	clauses []uint8   // by term: the clause it belongs to
	weights []float32 // by clause: what a passage with it is worth more
	low     [4]uint64 // one bit for the low bits of each hash
}

func (t *termSet) reset() {
	t.hashes, t.clauses, t.weights, t.low = t.hashes[:0], t.clauses[:0], t.weights[:0], [4]uint64{}
}

// add adds a term of the clause whose weight is added next.
func (t *termSet) add(hash uint64) {
	t.hashes, t.clauses = append(t.hashes, hash), append(t.clauses, uint8(len(t.weights)))
	t.low[uint8(hash)>>6] |= 1 << (hash & 63)
}

// mayHave reports whether the set may have a term, given the low bits of its hash; false is certain.
func (t *termSet) mayHave(low uint8) bool { return t.low[low>>6]>>(low&63)&1 != 0 }

// hash returns the hash of a term.
func (c *cards) hash(term string) uint64 { return maphash.String(c.seed, term) }

// highlights returns the places of terms among those of a card from one to another, with those that
// touch or overlap joined. The places are appended to room.
func (c *card) highlights(terms *termSet, from, to int, room *[][2]int32) [][2]int32 {
	places := *room
	start := len(places)
	for i, low := range c.low[from:to] {
		if !terms.mayHave(low) || !slices.Contains(terms.hashes, c.terms[from+i]) {
			continue
		}
		place := c.places[from+i]
		if n := len(places); n > start && place[0] <= places[n-1][1] {
			places[n-1][1] = max(places[n-1][1], place[1])
			continue
		}
		places = append(places, place)
	}
	*room = places
	return places[start:len(places):len(places)]
}

// A passageRoom is the memory of choosing the passages of a page, used again by the next choice.
type passageRoom struct {
	scores []passageScore // by passage; zero between choices
	best   []int          // of one document after the other
}

// A passageScore is the score of a passage so far, with the clauses that it has.
type passageScore struct {
	score float32
	has   clauseSet
}

// maxPassages bounds the passages of a hit.
const maxPassages = 3

// addBest appends the indexes of the passages that have most of the terms, the best first: at least one, if
// the card has any.
func (room *passageRoom) addBest(c *card, terms *termSet) {
	n, start := len(c.passages), len(room.best)
	if n == 1 {
		room.best = append(room.best, 0)
		return
	}
	room.scores = slices.Grow(room.scores[:0], n)[:n]
	c.score(terms, room.scores)
	best := room.best[start:]
	for i := range room.scores {
		score := room.scores[i].score
		if score == 0 {
			continue
		}
		at := len(best)
		for at > 0 && room.scores[best[at-1]].score < score {
			at--
		}
		if best = slices.Insert(best, at, i); len(best) > maxPassages {
			best = best[:maxPassages]
		}
	}
	for len(best) > 0 && room.scores[best[len(best)-1]].score < room.scores[best[0]].score/2 {
		best = best[:len(best)-1]
	}
	if len(best) == 0 && n > 0 {
		best = append(best, 0)
	}
	clear(room.scores)
	room.best = append(room.best[:start], best...)
}

// score adds up, for each passage, the weights of the clauses that it has, with a little more for each
// time that its title has one.
func (c *card) score(terms *termSet, scores []passageScore) {
	for i, hash := range terms.hashes {
		clause := terms.clauses[i]
		weight := terms.weights[clause]
		for _, at := range c.at[hash] {
			s := &scores[at.passage]
			if s.has>>clause&1 == 0 {
				s.has |= 1 << clause
				s.score += weight
			}
			s.score += weight / 2 * float32(at.inTitle)
		}
	}
}
