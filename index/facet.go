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

// count returns the counts of values as facets, which are parts of the list that it returns too.
func (f *filters) count(counts []uint32, list []FacetCount) (Facets, []FacetCount) {
	var room [facetCount * maxFacets]uint64
	var best [facetCount][]uint64
	n := 0
	for facet, values := range f.facets {
		best[facet] = mostFrequent(room[facet*maxFacets:facet*maxFacets], counts, values.from, values.to)
		n += len(best[facet])
	}
	list = slices.Grow(list, n)
	var parts [facetCount][]FacetCount
	for facet, keys := range best {
		from := len(list)
		for _, k := range keys {
			list = append(list, FacetCount{f.values[uint16(k)], int(math.MaxUint32 - k>>16)})
		}
		parts[facet] = list[from:len(list):len(list)]
	}
	return Facets{Category: parts[facetCategory], Tag: parts[facetTag], Type: parts[facetType], Kind: parts[facetKind]}, list
}

// mostFrequent appends the keys of the maxFacets values with the highest counts to best, which is empty.
// A key sorts by count downwards, and then by number upwards.
func mostFrequent(best []uint64, counts []uint32, from, to uint16) []uint64 {
	least := uint32(1) // a later value with an equal count comes after those kept
	for id := from; id < to; id++ {
		n := counts[id]
		if n < least {
			continue
		}
		key := uint64(math.MaxUint32-n)<<16 | uint64(id)
		if len(best) < maxFacets {
			best = append(best, key)
		} else {
			best[maxFacets-1] = key
		}
		for i := len(best) - 1; i > 0 && best[i] < best[i-1]; i-- {
			best[i], best[i-1] = best[i-1], best[i]
		}
		if len(best) == maxFacets {
			least = math.MaxUint32 - uint32(best[maxFacets-1]>>16) + 1
		}
	}
	return best
}
