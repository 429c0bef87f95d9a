package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMostFrequent: the facets are the most frequent values, and of equally frequent ones the first.
func TestMostFrequent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		counts := make([]uint32, 1+r.IntN(90))
		f := filters{}
		want := []FacetCount{}
		for i := range counts {
			f.values = append(f.values, facetValue{facetTag, fmt.Sprintf("%02d", i)})
			if counts[i] = uint32(max(0, r.IntN(12)-4)); counts[i] > 0 {
				want = append(want, FacetCount{f.values[i].value, int(counts[i])})
			}
		}
		slices.SortStableFunc(want, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
		want = want[:min(len(want), maxFacets)]
		if got := f.count(counts).Tag; !slices.Equal(got, want) {
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
