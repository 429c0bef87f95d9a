package index

import (
	"math"
	"slices"
	"sort"
)

// A found is a document with its score.
type found struct {
	key    uint64  // sorts the documents: see rankKey
	doc    uint32  // sorts documents with equal keys
	words  wordSet // of the query, that the document has
	record float32 // the score without that of passages, once they are ranked
}

// rankKey returns a key that is higher the lower the tier of a document, and then the higher its
// score, which must not be negative.
func rankKey(tier uint8, score float32) uint64 {
	return uint64(math.MaxUint8-tier)<<32 | uint64(math.Float32bits(score))
}

func (f found) score() float32 { return math.Float32frombits(uint32(f.key)) }

// before orders documents: the higher key first, and then the lower number.
func (f *found) before(other *found) bool {
	return f.key > other.key || f.key == other.key && f.doc < other.doc
}

// A topK has the first k of the documents offered to it, sorted.
type topK struct {
	list []found
	k    int
}

func (t *topK) reset(k int) { t.list, t.k = t.list[:0], k }

// offer adds a document if it is among the first so far.
func (t *topK) offer(f found) {
	n := len(t.list)
	if n == t.k {
		if n == 0 || !f.before(&t.list[n-1]) {
			return
		}
		n--
	}
	at := sort.Search(n, func(i int) bool { return f.before(&t.list[i]) })
	t.list = slices.Insert(t.list[:n], at, f)
}
