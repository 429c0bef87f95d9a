package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A list is what one term is worth in each document that has it: BM25F with everything in it but
// the other terms, so that a search only has to add. Documents ascend.
type list struct {
	docs   []uint32
	worth  []float32
	fields []uint8 // bit f is set when field f has the term
}

func (l *list) size() int {
	return int(unsafe.Sizeof(*l)) + 9*len(l.docs)
}

// find gives the place of a document in l, or -1.
func (l *list) find(doc uint32) int {
	if i, ok := slices.BinarySearch(l.docs, doc); ok {
		return i
	}
	return -1
}

// The weights of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 3.6).
// One setting for every collection; see relevance_test.go for what it is held to.
const (
	saturation    = 1.4  // k1
	normalisation = 0.65 // b
)

// fieldWeights are the weights of the scored fields.
var fieldWeights = [scoredFields]float64{fieldTitle: 3, fieldLabels: 1.5, fieldText: 1}

// lists keeps the lists read so far, in two generations: when the younger has filled its half of
// the budget it becomes the elder, and what the elder had that nobody asked for again goes.
type lists struct {
	mu             sync.RWMutex
	younger, elder map[string]*list
	bytes          int // of the younger
	budget         int
}

func newLists(budget int) *lists {
	return &lists{younger: make(map[string]*list), budget: budget}
}

func (ls *lists) get(key []byte) (*list, bool) {
	ls.mu.RLock()
	l, ok := ls.younger[string(key)]
	if ok {
		ls.mu.RUnlock()
		return l, true
	}
	l, ok = ls.elder[string(key)]
	ls.mu.RUnlock()
	if ok {
		ls.put(key, l)
	}
	return l, ok
}

func (ls *lists) put(key []byte, l *list) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if _, ok := ls.younger[string(key)]; ok {
		return
	}
	ls.bytes += l.size() + len(key)
	if ls.bytes > ls.budget/2 {
		ls.elder, ls.younger = ls.younger, make(map[string]*list)
		ls.bytes = l.size() + len(key)
	}
	ls.younger[string(key)] = l
}

// A variant is one of the terms a word is found by.
type variant struct {
	term   string
	weight float32
}

// list gives the list of the best of several variants, in each document the one worth most.
func (x *Index) list(b *bound, variants ...variant) (*list, error) {
	var room [128]byte
	key := room[:0]
	for _, v := range variants { // no term has a byte below a space
		if !x.store.known.has(v.term) {
			continue
		}
		key = append(append(key, v.term...), 1)
		if v.weight != 1 {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v.weight))
		}
	}
	if len(key) == 0 {
		return x.nothing, nil
	}
	if l, ok := x.lists.get(key); ok {
		return l, nil
	}
	return x.await(b, string(key), variants)
}

// await has a list read, once for all who ask for it at the same time. A search whose time ends
// does not wait any longer, and finds the list ready when it is asked again.
func (x *Index) await(b *bound, key string, variants []variant) (*list, error) {
	variants = slices.Clone(variants)
	read := x.reading.DoChan(key, func() (any, error) {
		l, err := x.readBest(variants)
		if err == nil {
			x.lists.put([]byte(key), l)
		}
		return l, err
	})
	over := time.NewTimer(time.Until(b.until))
	defer over.Stop()
	select {
	case r := <-read:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*list), nil
	case <-over.C:
		return nil, context.DeadlineExceeded
	case <-b.ctx.Done():
		return nil, b.ctx.Err()
	}
}

// readBest runs on when the search that wants the list has ended, and outside of whatever recovers
// from panics around that search.
func (x *Index) readBest(variants []variant) (merged *list, err error) {
	if err := x.users.enter(); err != nil {
		return nil, err
	}
	defer x.users.leave()
	defer func() {
		if p := recover(); p != nil {
			merged, err = nil, fmt.Errorf("read postings: panic: %v", p)
		}
	}()
	for _, v := range variants {
		if !x.store.known.has(v.term) {
			continue
		}
		l, err := x.readList(v.term)
		if err != nil {
			return nil, err
		}
		merged = mergeBest(merged, l, v.weight)
	}
	return merged, nil
}

// mergeBest gives the union of a and b, b's worth being scaled by weight.
func mergeBest(a, b *list, weight float32) *list {
	switch {
	case (a == nil || len(a.docs) == 0) && weight == 1:
		return b
	case a == nil:
		a = &list{}
	case len(b.docs) == 0:
		return a
	}
	m := &list{}
	for i, j := 0, 0; i < len(a.docs) || j < len(b.docs); {
		switch {
		case j == len(b.docs) || i < len(a.docs) && a.docs[i] < b.docs[j]:
			m.add(a.docs[i], a.worth[i], a.fields[i])
			i++
		case i == len(a.docs) || b.docs[j] < a.docs[i]:
			m.add(b.docs[j], b.worth[j]*weight, b.fields[j])
			j++
		default:
			m.add(a.docs[i], max(a.worth[i], b.worth[j]*weight), a.fields[i]|b.fields[j])
			i, j = i+1, j+1
		}
	}
	return m
}

func (l *list) add(doc uint32, worth float32, fields uint8) {
	l.docs, l.worth, l.fields = append(l.docs, doc), append(l.worth, worth), append(l.fields, fields)
}

// readList reads the postings of a term from Bleve and weighs them.
func (x *Index) readList(term string) (*list, error) {
	l := &list{}
	var readers [scoredFields]*fieldPostings
	for f := range readers {
		p, err := x.store.postings(term, f)
		if err != nil {
			return nil, err
		}
		defer p.close()
		readers[f] = p
	}
	for {
		doc := min(readers[fieldTitle].doc, readers[fieldLabels].doc, readers[fieldText].doc)
		if doc == endOfPostings {
			break
		}
		frequency, fields := 0.0, uint8(0)
		for f, p := range readers {
			if p.doc != doc {
				continue
			}
			fields |= 1 << f
			relative := 1 - normalisation + normalisation*p.length/x.store.lengths[f]
			frequency += fieldWeights[f] * p.frequency / relative
			if err := p.next(); err != nil {
				return nil, err
			}
		}
		l.add(doc, float32(frequency*(saturation+1)/(saturation+frequency)), fields)
	}
	rarity := float32(rarity(len(l.docs), len(x.store.rank)))
	for i := range l.worth {
		l.worth[i] *= rarity
	}
	return l, nil
}

// rarity is the inverse document frequency of BM25, which is never negative in this form.
func rarity(with, all int) float64 {
	return math.Log(1 + (float64(all-with)+0.5)/(float64(with)+0.5))
}

// A fieldPostings walks the documents that have a term in one field.
type fieldPostings struct {
	reader            bleveindex.TermFieldReader
	at                bleveindex.TermFieldDoc
	doc               uint32 // endOfPostings after the last
	frequency, length float64
}

const endOfPostings = math.MaxUint32

func (s *store) postings(term string, field int) (*fieldPostings, error) {
	r, err := s.reader.TermFieldReader(context.Background(), []byte(term), fieldNames[field], true, true, false)
	if err != nil {
		return nil, fmt.Errorf("read postings of %q: %w", term, err)
	}
	p := &fieldPostings{reader: r}
	return p, p.next()
}

func (p *fieldPostings) next() error {
	d, err := p.reader.Next(&p.at)
	switch {
	case err != nil:
		return fmt.Errorf("read postings: %w", err)
	case d == nil:
		p.doc = endOfPostings
	default:
		p.doc = uint32(d.ID.Value())
		// Bleve keeps the length of the field in words and gives 1/√length.
		p.frequency, p.length = float64(d.Freq), math.Round(1/(d.Norm*d.Norm))
	}
	return nil
}

func (p *fieldPostings) close() { p.reader.Close() } // reports nothing of use after reading
