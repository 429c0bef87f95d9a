package index

import (
	"cmp"
	"math"
	"math/rand/v2"
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

// compare orders documents: the higher key first, and then the lower number.
func compare(f, g found) int { return cmp.Or(cmp.Compare(g.key, f.key), cmp.Compare(f.doc, g.doc)) }

// before reports whether a document comes before another.
func (f *found) before(g *found) bool { return f.key > g.key || f.key == g.key && f.doc < g.doc }

// A topK has the first k of the documents offered to it, among others until sort is called.
type topK struct {
	list []found
	k    int
}

func (t *topK) reset(k int) { t.list, t.k = t.list[:0], k }

// offer adds a document if it may be among the first.
func (t *topK) offer(f found) {
	if t.list = append(t.list, f); len(t.list) >= 2*t.k {
		t.cut()
	}
}

// cut removes the documents that are not among the first k.
func (t *topK) cut() {
	if len(t.list) > t.k {
		selectFirst(t.list, t.k)
		t.list = t.list[:t.k]
	}
}

// sort sorts the first n of the documents, and leaves the others behind them as they are.
func (t *topK) sort(n int) {
	t.cut()
	n = min(n, len(t.list))
	selectFirst(t.list, n)
	slices.SortFunc(t.list[:n], compare)
}

// selectFirst moves the first n documents of a list to its beginning, in any order.
func selectFirst(list []found, n int) {
	for from, to := 0, len(list); from < n && n < to; {
		last := to - 1
		at := from + rand.IntN(to-from)
		list[at], list[last] = list[last], list[at]
		at = from
		for i := from; i < last; i++ {
			if list[i].before(&list[last]) {
				list[at], list[i] = list[i], list[at]
				at++
			}
		}
		list[at], list[last] = list[last], list[at]
		if at < n {
			from = at + 1
		} else {
			to = at
		}
	}
}
