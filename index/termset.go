package index

import (
	"bytes"
	"math"
	"slices"
)

// A termSet holds the terms of a query, as cards have them.
type termSet struct {
	hashes  []uint64
	clauses []uint8   // by term: the clause it belongs to
	weights []float32 // by clause: what a passage with it is worth more
	low     [256]bool // by the low bits of a hash: a term may have it
}

func (t *termSet) reset() {
	t.hashes, t.clauses, t.weights, t.low = t.hashes[:0], t.clauses[:0], t.weights[:0], [256]bool{}
}

// add adds a term of the clause whose weight is added next.
func (t *termSet) add(hash uint64) {
	t.hashes, t.clauses = append(t.hashes, hash), append(t.clauses, uint8(len(t.weights)))
	t.low[uint8(hash)] = true
}

// highlights returns the places of terms among those of a card from one to another, with those that
// touch or overlap joined. The places are appended to room.
func (c *card) highlights(terms *termSet, from, to int, room *[][2]int32) [][2]int32 {
	places := *room
	start, low := len(places), c.low[from:to]
	for i := 0; i < len(low); i++ {
		if len(terms.hashes) == 1 { // the usual case has a faster loop
			next := bytes.IndexByte(low[i:], uint8(terms.hashes[0]))
			if next < 0 {
				break
			}
			i += next
		}
		if !terms.low[low[i]] || !slices.Contains(terms.hashes, c.terms[from+i]) {
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
	scored []uint16       // the passages whose score is not zero
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
	n := len(c.passages)
	if n < 2 {
		for at := range n {
			room.best = append(room.best, at)
		}
		return
	}
	room.scores = slices.Grow(room.scores[:0], n)[:n]
	c.score(terms, room)
	var best [maxPassages]uint64 // a score and the complement of an index, so that the higher is the better
	for _, i := range room.scored {
		key := uint64(math.Float32bits(room.scores[i].score))<<16 | uint64(math.MaxUint16-i)
		room.scores[i] = passageScore{}
		for at := range best {
			if key > best[at] {
				key, best[at] = best[at], key
			}
		}
	}
	if best[0] == 0 {
		room.best = append(room.best, 0)
		return
	}
	least := math.Float32frombits(uint32(best[0]>>16)) / 2
	for _, key := range best {
		if key != 0 && math.Float32frombits(uint32(key>>16)) >= least {
			room.best = append(room.best, int(math.MaxUint16-key&math.MaxUint16))
		}
	}
}

// score adds up, for each passage, the weights of the clauses that it has, with a little more for each
// time that its title has one.
func (c *card) score(terms *termSet, room *passageRoom) {
	room.scored = room.scored[:0]
	for i, hash := range terms.hashes {
		clause := terms.clauses[i]
		weight := terms.weights[clause]
		for _, at := range c.at.find(hash) {
			s := &room.scores[at.passage]
			if s.has == 0 {
				room.scored = append(room.scored, at.passage)
			}
			if s.has>>clause&1 == 0 {
				s.has |= 1 << clause
				s.score += weight
			}
			s.score += weight / 2 * float32(at.inTitle)
		}
	}
}
