package index

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTopK: the hits kept are the first of all, in their order.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		top := topK{k: 1 + r.IntN(30)}
		all := make([]found, r.IntN(100))
		for i := range all {
			all[i] = found{key: uint64(r.IntN(20)), doc: uint32(i)}
			top.offer(all[i])
		}
		slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.doc, b.doc)) })
		if got, want := top.list, all[:min(len(all), top.k)]; !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
