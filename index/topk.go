package index

import (
	"cmp"
	"math"
	"slices"
)

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

// compare orders hits: the higher key first, and then the lower document.
func (f found) compare(other found) int {
	return cmp.Or(cmp.Compare(other.key, f.key), cmp.Compare(f.doc, other.doc))
}

// A topK has the first k of the documents offered to it, sorted.
type topK struct {
	list []found
	k    int
}

func (t *topK) reset(k int) { t.list, t.k = t.list[:0], k }

// offer adds a document if it is among the first so far.
func (t *topK) offer(f found) {
	if n := len(t.list); n == t.k {
		if n == 0 || f.compare(t.list[n-1]) > 0 {
			return
		}
		t.list = t.list[:n-1]
	}
	at, _ := slices.BinarySearchFunc(t.list, f, found.compare)
	t.list = slices.Insert(t.list, at, f)
}
