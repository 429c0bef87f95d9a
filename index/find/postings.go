package find

import (
	"encoding/binary"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sort"
	"sync"

	"almanac/index/text"
)

// A posting is a record that has a term.
type posting struct {
	record uint32
	weight uint8 // of the term in all places of the record, in steps of 1/weightSteps
	place  place // where it weighs most
}

// digits are the characters that JSON and HTML leave as they are, without the space.
const digits = "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	weightSteps = 4
	maxWeight   = len(digits) - 1 // one digit of a Document
	moreFactor  = 0.4             // of the weight of further places
	placeBits   = 3               // of a posting, in the low bits of the distance to the one before
)

// postings are the records that have each term. A large library has millions of them, and they are kept in a few bytes each.
type postings struct {
	terms  string   // one after the other, sorted
	starts []uint32 // of each term, and the end of the last
	counts []uint32 // of the postings of each term
	bytes  []byte   // the postings of each term
	ends   []uint32 // of the postings of each term
}

func (ps *postings) len() int { return len(ps.counts) }

func (ps *postings) term(i int) string { return ps.terms[ps.starts[i]:ps.starts[i+1]] }

// count returns the number of records that have a term.
func (ps *postings) count(i int) int { return int(ps.counts[i]) }

// find returns the number of a term, or that of the first one after it.
func (ps *postings) find(term string) (i int, ok bool) {
	return sort.Find(ps.len(), func(i int) int {
		switch t := ps.term(i); {
		case term < t:
			return -1
		case term > t:
			return 1
		}
		return 0
	})
}

func (ps *postings) has(term string) bool { _, ok := ps.find(term); return ok }

// of yields the postings of a term, in the order of their records.
func (ps *postings) of(i int) iter.Seq[posting] {
	return func(yield func(posting) bool) {
		from := uint32(0)
		if i > 0 {
			from = ps.ends[i-1]
		}
		record := uint32(0)
		for b := ps.bytes[from:ps.ends[i]]; len(b) > 0; {
			v, n := binary.Uvarint(b)
			record += uint32(v >> placeBits)
			if !yield(posting{record, b[n], place(v & (1<<placeBits - 1))}) {
				return
			}
			b = b[n+1:]
		}
	}
}

// newPostings returns the postings of records, collected on every core.
func newPostings(analyzer *text.Analyzer, records *List) *postings {
	builders := make([]*builder, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := range builders {
		b := newBuilder(analyzer)
		builders[i] = b
		workers.Go(func() {
			for n := i * records.len() / len(builders); n < (i+1)*records.len()/len(builders); n++ {
				b.add(uint32(n), records.at(n))
			}
		})
	}
	workers.Wait()
	for i, b := range builders[1:] {
		builders[0].append(b)
		builders[i+1] = nil
	}
	return builders[0].postings()
}

// A builder collects the postings of records, which are added in their order.
type builder struct {
	analyzer *text.Analyzer
	terms    map[string]*termBuilder

	// The memory of adding a record, used again by the next.
	words   []text.Word
	found   []text.Term
	has     []*termBuilder         // the terms of the record
	weights [][len(places)]float64 // of each
}

func newBuilder(a *text.Analyzer) *builder {
	return &builder{analyzer: a, terms: make(map[string]*termBuilder)}
}

// A termBuilder is the postings of a term so far.
type termBuilder struct {
	bytes []byte
	count uint32
	last  uint32 // record
	at    uint32 // its place among the terms of the record that is being added, plus one; 0 if the record does not have it
}

// add adds a record under each term of its texts.
func (b *builder) add(n uint32, rec *Record) {
	b.has, b.weights = b.has[:0], b.weights[:0]
	for p, list := range rec.texts {
		for _, s := range list {
			b.words = b.analyzer.Words(b.words[:0], s)
			b.found = b.analyzer.Terms(b.found[:0], b.words, s)
			for _, t := range b.found {
				if place(p) == inID && !t.IsWritten() { // the title has the same names
					continue
				}
				w := &b.weights[b.of(t.Text)][p] // a short name says more with a word than a long one
				*w = max(*w, places[p].weight*(1+places[p].short/float64(len(b.words))))
			}
		}
	}
	for i, t := range b.has {
		w := &b.weights[i]
		best, sum := place(0), 0.0
		for p := range places {
			sum += w[p]
			if w[p] > w[best] {
				best = place(p)
			}
		}
		weight := weightSteps * (w[best] + moreFactor*(sum-w[best]))
		t.bytes = append(binary.AppendUvarint(t.bytes, uint64(n-t.last)<<placeBits|uint64(best)), uint8(min(weight, float64(maxWeight))))
		t.count, t.last, t.at = t.count+1, n, 0
	}
}

// of returns the place of a term among those of the record that is being added.
func (b *builder) of(term string) int {
	t := b.terms[term]
	if t == nil {
		t = new(termBuilder)
		b.terms[term] = t
	}
	if t.at == 0 {
		b.has, b.weights = append(b.has, t), append(b.weights, [len(places)]float64{})
		t.at = uint32(len(b.has))
	}
	return int(t.at - 1)
}

// append adds what another builder has collected of the records after those of b.
func (b *builder) append(next *builder) {
	for term, more := range next.terms {
		t := b.terms[term]
		if t == nil {
			b.terms[term] = more
			continue
		}
		first, n := binary.Uvarint(more.bytes) // its distance is from the first record of all
		t.bytes = append(binary.AppendUvarint(t.bytes, first-uint64(t.last)<<placeBits), more.bytes[n:]...)
		t.count, t.last = t.count+more.count, more.last
	}
}

// postings returns what was collected.
func (b *builder) postings() *postings {
	terms := slices.Sorted(maps.Keys(b.terms))
	letters, bytes := 0, 0
	for _, term := range terms {
		letters, bytes = letters+len(term), bytes+len(b.terms[term].bytes)
	}
	ps := &postings{bytes: make([]byte, 0, bytes), starts: make([]uint32, 1, len(terms)+1), counts: make([]uint32, 0, len(terms)), ends: make([]uint32, 0, len(terms))}
	all := make([]byte, 0, letters)
	for _, term := range terms {
		t := b.terms[term]
		all, ps.bytes = append(all, term...), append(ps.bytes, t.bytes...)
		ps.starts, ps.counts, ps.ends = append(ps.starts, uint32(len(all))), append(ps.counts, t.count), append(ps.ends, uint32(len(ps.bytes)))
	}
	ps.terms = string(all)
	return ps
}
