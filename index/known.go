package index

import (
	"fmt"
	"hash/maphash"
	"math"
)

// known tells which terms no document has, without asking Bleve: a Bloom filter of sixteen bits
// for each term, wrong about one unknown term in sixty. Most of what a query wishes for, joined
// words and other spellings, is in no document.
type known struct {
	seed maphash.Seed
	bits []uint64
}

func newKnown(terms int) *known {
	return &known{seed: maphash.MakeSeed(), bits: make([]uint64, terms/4+1)}
}

// places gives the two bits of a term.
func (k *known) places(hash uint64) (uint32, uint32) {
	n := uint64(len(k.bits) * 64)
	return uint32((hash & math.MaxUint32) * n >> 32), uint32((hash >> 32) * n >> 32)
}

func (k *known) add(term string) {
	a, b := k.places(maphash.String(k.seed, term))
	k.bits[a>>6] |= 1 << (a & 63)
	k.bits[b>>6] |= 1 << (b & 63)
}

func (k *known) has(term string) bool { return k.hasHash(maphash.String(k.seed, term)) }

func (k *known) hasBytes(term []byte) bool { return k.hasHash(maphash.Bytes(k.seed, term)) }

func (k *known) hasHash(hash uint64) bool {
	a, b := k.places(hash)
	return k.bits[a>>6]>>(a&63)&1 != 0 && k.bits[b>>6]>>(b&63)&1 != 0
}

// learn reads the dictionaries.
func (s *store) learn() (err error) {
	if s.known, err = s.knownIn(fieldTitle, fieldLabels, fieldText); err != nil {
		return err
	}
	s.words, err = s.knownIn(fieldWords)
	return err
}

func (s *store) knownIn(fields ...int) (*known, error) {
	terms := 0
	for _, f := range fields {
		n, err := s.eachTerm(f, func(string) {})
		if err != nil {
			return nil, err
		}
		terms += n
	}
	k := newKnown(terms)
	for _, f := range fields {
		if _, err := s.eachTerm(f, k.add); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// eachTerm gives every term of a field to do, and their number.
func (s *store) eachTerm(field int, do func(string)) (int, error) {
	dict, err := s.reader.FieldDict(fieldNames[field])
	if err != nil {
		return 0, fmt.Errorf("read dictionary: %w", err)
	}
	defer dict.Close()
	for n := 0; ; n++ {
		e, err := dict.Next()
		if err != nil {
			return 0, fmt.Errorf("read dictionary: %w", err)
		}
		if e == nil {
			return n, nil
		}
		do(e.Term)
	}
}
