package index

import "math"

// A found is a document with its score.
type found struct {
	key     uint64    // sorts the documents: see rankKey
	doc     uint32    // sorts documents with equal keys
	clauses clauseSet // that the document has
	record  float32   // the score without that of passages, once they are ranked
}

// rankKey returns a key that is higher the lower the tier of a document, and then the higher its
// score, which must not be negative.
func rankKey(tier uint8, score float32) uint64 {
	return uint64(math.MaxUint8-tier)<<32 | uint64(math.Float32bits(score))
}

func (f found) score() float32 { return math.Float32frombits(uint32(f.key)) }

// before reports whether a comes before b in the answer.
func (a found) before(b found) bool {
	return a.key > b.key || a.key == b.key && a.doc < b.doc
}

// A topK keeps the first k of the documents offered to it, in a heap with the last of them on top.
type topK struct {
	heap []found
	k    int
}

func (t *topK) reset(k int) { t.heap, t.k = t.heap[:0], k }

// offer keeps a document if it is among the first so far, and returns the least key that the next
// document must have.
func (t *topK) offer(f found) uint64 {
	h := t.heap
	if len(h) < t.k {
		h = append(h, f)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !h[up].before(h[i]) {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		t.heap = h
		if len(h) < t.k {
			return 0
		}
		return h[0].key
	}
	if !f.before(h[0]) {
		return h[0].key
	}
	h[0] = f
	sink(h)
	return h[0].key
}

// sink restores the order of a heap whose top is new.
func sink(h []found) {
	for i := 0; ; {
		low := 2*i + 1
		if low >= len(h) {
			return
		}
		if right := low + 1; right < len(h) && h[low].before(h[right]) {
			low = right
		}
		if !h[i].before(h[low]) {
			return
		}
		h[i], h[low] = h[low], h[i]
		i = low
	}
}

// sorted returns the documents kept, the first one first, which ends the keeping.
func (t *topK) sorted() []found {
	for h := t.heap; len(h) > 1; {
		last := len(h) - 1
		h[0], h[last] = h[last], h[0]
		h = h[:last]
		sink(h)
	}
	return t.heap
}
