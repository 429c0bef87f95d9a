package index

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMostFrequent: the facets are the most frequent values, and of equally frequent ones the first.
func TestMostFrequent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		counts := make([]uint32, 1+r.IntN(90))
		var ids []uint16
		for i := range counts {
			if counts[i] = uint32(max(0, r.IntN(12)-4)); counts[i] > 0 {
				ids = append(ids, uint16(i))
			}
		}
		slices.SortStableFunc(ids, func(a, b uint16) int { return cmp.Compare(counts[b], counts[a]) })
		want := ids[:min(len(ids), maxFacets)]
		var got []uint16
		for _, key := range mostFrequent(make([]uint64, 0, maxFacets), counts, 0, uint16(len(counts))) {
			got = append(got, uint16(key))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("of %v: %v, want %v", counts, got, want)
		}
	}
}

// TestTopK: the hits kept are the first of all, in their order.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var top topK
		top.reset(1 + r.IntN(30))
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
