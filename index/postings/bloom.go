package postings

import (
	"hash/maphash"
	"math"
)

// A bloom is a Bloom filter with sixteen bits for each term: it reports one unknown term in sixty
// as known. Most terms that a query could mean, joined words and other spellings, are in no
// document, and Bleve need not be asked for them.
type bloom struct {
	seed maphash.Seed
	bits []uint64
}

func newBloom(terms int) *bloom {
	return &bloom{seed: maphash.MakeSeed(), bits: make([]uint64, terms/4+1)}
}

// positions returns the two bits of a hash.
func (f *bloom) positions(hash uint64) (uint32, uint32) {
	n := uint64(len(f.bits) * 64)
	return uint32((hash & math.MaxUint32) * n >> 32), uint32((hash >> 32) * n >> 32)
}

func (f *bloom) add(term string) {
	a, b := f.positions(maphash.String(f.seed, term))
	f.bits[a>>6] |= 1 << (a & 63)
	f.bits[b>>6] |= 1 << (b & 63)
}

// blooms are the filters of disjoint sets of documents.
type blooms []*bloom

// has reports whether a term may have been added to any; false is certain.
func (l blooms) has(term string) bool {
	for _, f := range l {
		if f.has(term) {
			return true
		}
	}
	return false
}

// has reports whether a term may have been added; false is certain.
func (f *bloom) has(term string) bool {
	a, b := f.positions(maphash.String(f.seed, term))
	return f.bits[a>>6]>>(a&63)&1 != 0 && f.bits[b>>6]>>(b&63)&1 != 0
}
