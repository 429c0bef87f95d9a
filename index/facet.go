package index

import (
	"math"
	"slices"
)

// Facets count the documents found by each value they have, the most frequent first.
type Facets struct {
	Category []FacetCount `json:"category"`
	Tag      []FacetCount `json:"tag"`
	Type     []FacetCount `json:"type"`
	Kind     []FacetCount `json:"kind"`
}

// A FacetCount is a value with the number of documents found that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// maxFacets bounds the values of one facet in an answer.
const maxFacets = 20

// count returns the counts of values as facets.
func (f *filters) count(counts []uint32) Facets {
	var room [64]uint64
	keys := room[:0]
	var ends [facetCount]int
	for facet, values := range f.facets {
		for id := values.from; id < values.to; id++ {
			if n := counts[id]; n > 0 { // sorts by count downwards, then by number upwards
				keys = append(keys, uint64(math.MaxUint32-n)<<16|uint64(id))
			}
		}
		ends[facet] = len(keys)
	}
	n, start := 0, 0
	for _, end := range ends {
		n, start = n+min(end-start, maxFacets), end
	}
	list := make([]FacetCount, 0, n) // of all facets, each a part of it
	var parts [facetCount][]FacetCount
	start = 0
	for facet, end := range ends {
		from := len(list)
		slices.Sort(keys[start:end])
		for _, k := range keys[start:min(end, start+maxFacets)] {
			list = append(list, FacetCount{f.values[uint16(k)], int(math.MaxUint32 - k>>16)})
		}
		parts[facet] = list[from:len(list):len(list)]
		start = end
	}
	return Facets{Category: parts[facetCategory], Tag: parts[facetTag], Type: parts[facetType], Kind: parts[facetKind]}
}
