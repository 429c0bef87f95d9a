package postings

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	bleveindex "github.com/blevesearch/bleve_index_api"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"almanac/index/text"
)

// The parameters of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 3.6).
// They are the same for every collection; the relevance test of package index holds them to figures.
const (
	Saturation    = 1   // k1
	Normalisation = 0.6 // b
)

// Weights are the weights of the scored fields.
var Weights = [Fields]float64{Title: 6, Labels: 2, Class: 2, Heads: 0.8, Text: 0.8, Questions: 1.3, Addresses: 1,
	People: 2, Lead: 0.6}

// OwnWeights are the weights of the fields that belong to a passage, when passages are compared with each other.
var OwnWeights = [Fields]float32{Heads: 1.5, Text: 1, Questions: 1.6, Addresses: 1}

// A List holds the records that have a term, in ascending order, with its BM25F score in each, and the passages that
// have it in their text or questions.
type List struct {
	Docs     []uint32
	Scores   []float32
	Fields   []uint16 // bit f is set when field f has the term
	Passages []uint32
	Own      []float32 // by passage: the score in its own text
	Rarity   float32   // inverse document frequency among records
}

// Find returns the index of a record in the list, or -1.
func (l *List) Find(doc uint32) int {
	low, high := 0, len(l.Docs)
	for low < high {
		if mid := (low + high) / 2; l.Docs[mid] < doc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(l.Docs) && l.Docs[low] == doc {
		return low
	}
	return -1
}

// sums is the memory of reading a list. All of it is zero between readings.
type sums struct {
	whole     []float32 // by record, of the variant and the field being read
	inField   []uint32  // the records of that field
	frequency []float32 // by record, of the variant being read
	best      []float32 // by record: the highest score of a variant so far
	fields    []uint16  // by record
	touched   []uint64  // the records, as a set
	own       []float32 // by passage, as frequency
	ownBest   []float32 // by passage
	passages  []uint64  // the passages touched, as a set
	found     []uint32  // the records touched by a variant, possibly twice
	ownFound  []uint32  // the passages
}

func newSums(records, passages int) *sums {
	return &sums{
		whole: make([]float32, records), frequency: make([]float32, records), best: make([]float32,
			records), fields: make([]uint16, records), touched: make([]uint64, (records+63)/64),
		own: make([]float32, passages), ownBest: make([]float32, passages), passages: make([]uint64, (passages+63)/64),
	}
}

// List returns the records that have any of several variants of a term, each with the score of the variant that scores
// highest in it. The inverse document frequency is that of all variants together: a rare spelling of a common term is
// not a rare term. The caller must have acquired the store.
func (s *Store) List(d *Deadline, variants ...text.Variant) (*List, error) {
	if !s.hasAny(variants) {
		return &List{}, nil
	}
	key := binary.LittleEndian.AppendUint16(nil, s.fields)
	for _, v := range variants {
		key = binary.LittleEndian.AppendUint32(append(key, v.Term...), math.Float32bits(v.Weight))
	}
	l, known := s.lists.get(string(key))
	if known {
		return l, nil
	}
	l, err := s.read(d, variants)
	if err == nil {
		s.lists.add(string(key), l)
	}
	return l, err
}

// read is List for a list that is not in memory.
func (s *Store) read(d *Deadline, variants []text.Variant) (*List, error) {
	l := &List{}
	m := s.scratch.Get().(*sums)
	defer s.scratch.Put(m)
	var err error
	for _, v := range variants {
		if fields := s.fieldsOf(v.Term); fields != 0 && err == nil {
			err = s.addTerm(d, m, v, fields)
		}
	}
	for at, set := range m.touched {
		for ; set != 0; set &= set - 1 {
			doc := uint32(at*64 + bits.TrailingZeros64(set))
			l.Docs, l.Scores, l.Fields = append(l.Docs, doc), append(l.Scores, m.best[doc]), append(l.Fields,
				m.fields[doc])
			m.best[doc], m.fields[doc] = 0, 0
		}
		m.touched[at] = 0
	}
	for at, set := range m.passages {
		for ; set != 0; set &= set - 1 {
			i := uint32(at*64 + bits.TrailingZeros64(set))
			l.Passages, l.Own = append(l.Passages, i), append(l.Own, m.ownBest[i])
			m.ownBest[i] = 0
		}
		m.passages[at] = 0
	}
	l.Rarity = float32(idf(len(l.Docs), s.count))
	for i := range l.Scores {
		l.Scores[i] *= l.Rarity
	}
	for i := range l.Own {
		l.Own[i] *= l.Rarity
	}
	return l, err
}

// maxListed bounds the records and passages of the lists in memory, which take nine bytes each.
const maxListed = 1 << 18

// A listCache has the lists that were asked for last.
type listCache struct {
	mu    sync.Mutex
	lists *simplelru.LRU[string, *List]
	size  int // records and passages
}

func newListCache() *listCache {
	c := new(listCache)
	c.lists, _ = simplelru.NewLRU(maxListed, func(_ string, l *List) { c.size -= l.size() }) // which fails at 0 only
	return c
}

func (c *listCache) get(key string) (*List, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists.Get(key)
}

func (c *listCache) add(key string, l *List) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists.Contains(key) {
		return
	}
	c.lists.Add(key, l)
	for c.size += l.size(); c.size > maxListed; {
		c.lists.RemoveOldest()
	}
}

func (l *List) size() int { return len(l.Docs) + len(l.Passages) + 8 }

func (s *Store) hasAny(variants []text.Variant) bool {
	for _, v := range variants {
		if s.MayHave(v.Term) {
			return true
		}
	}
	return false
}

// addTerm adds the saturated frequencies of a variant.
func (s *Store) addTerm(d *Deadline, m *sums, v text.Variant, fields uint16) error {
	m.found, m.ownFound = m.found[:0], m.ownFound[:0]
	var err error
	for f := range Fields {
		if fields>>f&1 == 0 || err != nil {
			continue
		}
		err = s.each(d, v.Term, f, func(passage uint32, frequency float32) {
			doc := s.records[passage]
			if int(doc) >= s.count {
				return
			}
			if m.whole[doc] == 0 {
				m.inField = append(m.inField, doc)
			}
			m.whole[doc] += frequency // whole numbers, whose order does not matter
			m.fields[doc] |= 1 << f
			if OwnWeights[f] > 0 {
				if m.own[passage] == 0 {
					m.ownFound = append(m.ownFound, passage)
				}
				m.own[passage] += OwnWeights[f] * frequency * s.own[passage]
			}
		})
		for _, doc := range m.inField {
			if m.frequency[doc] == 0 {
				m.found = append(m.found, doc)
			}
			m.frequency[doc] += m.whole[doc] * s.norms[f][doc]
			m.whole[doc] = 0
		}
		m.inField = m.inField[:0]
	}
	for _, doc := range m.found {
		m.best[doc] = max(m.best[doc], v.Weight*s.rounded(saturate(m.frequency[doc])))
		m.frequency[doc] = 0
		m.touched[doc/64] |= 1 << (doc % 64)
	}
	for _, i := range m.ownFound {
		m.ownBest[i] = max(m.ownBest[i], v.Weight*saturate(m.own[i]))
		m.own[i] = 0
		m.passages[i/64] |= 1 << (i % 64)
	}
	return err
}

func saturate(frequency float32) float32 {
	return frequency * (Saturation + 1) / (Saturation + frequency)
}

// idf is the inverse document frequency of BM25 in the form that is never negative.
func idf(with, all int) float64 {
	return math.Log(1 + (float64(all-with)+0.5)/(float64(with)+0.5))
}

// deadlineAfter is the number of postings, some tenths of a millisecond, after which the time is read again.
const deadlineAfter = 4096

// each calls do with the passages that have a term in a field.
func (s *Store) each(d *Deadline, term string, field int, do func(passage uint32, frequency float32)) error {
	r, err := s.reader.TermFieldReader(d.Ctx, []byte(term), fieldNames[field], field != words, false, false)
	if err != nil {
		return fmt.Errorf("read postings: %w", err)
	}
	defer r.Close()
	var posting bleveindex.TermFieldDoc
	for n := 1; ; n++ {
		next, err := r.Next(posting.Reset())
		if err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
		if next == nil {
			return nil
		}
		number := next.ID.Value()
		if i := s.passages[number]; i != None {
			do(i, float32(next.Freq))
		}
		if n%deadlineAfter == 0 && d.Err() != nil {
			return d.Err()
		}
	}
}

// Word returns the records that have a word as it is written, such as a stop word.
func (s *Store) Word(d *Deadline, word string) (*List, error) {
	l := &List{}
	set := make([]uint64, (s.count+63)/64)
	err := s.each(d, word, words, func(passage uint32, _ float32) {
		doc := s.records[passage]
		if int(doc) >= s.count {
			return
		}
		set[doc/64] |= 1 << (doc % 64)
		l.Passages = append(l.Passages, passage)
	})
	for at, bitset := range set {
		for ; bitset != 0; bitset &= bitset - 1 {
			l.Docs = append(l.Docs, uint32(at*64+bits.TrailingZeros64(bitset)))
			l.Fields = append(l.Fields, 1<<Text)
		}
	}
	l.Rarity = float32(idf(len(l.Docs), s.count))
	for range l.Docs {
		l.Scores = append(l.Scores, l.Rarity)
	}
	for range l.Passages {
		l.Own = append(l.Own, l.Rarity)
	}
	return l, err
}

// Phrase calls add with the records that have stems next to each other in one field of a passage; "" stands for any
// word.
func (s *Store) Phrase(d *Deadline, stems []string, add func(doc uint32)) error {
	fields, err := s.shareField(d, stems)
	for f := range Fields {
		if fields>>f&1 == 0 || err != nil {
			continue
		}
		if err = s.phraseIn(d, fieldNames[f], stems, add); err != nil {
			err = fmt.Errorf("read positions: %w", err)
		}
	}
	return err
}

// shareField returns the fields in which a record has all of several stems; "" stands for any word. Their lists are
// those of words, which are in memory already.
func (s *Store) shareField(d *Deadline, stems []string) (fields uint16, err error) {
	var docs []uint32
	var shared []uint16
	for _, stem := range stems {
		if stem == "" {
			continue
		}
		l, err := s.List(d, text.Term{Text: stem}.AppendVariants(nil)...)
		if err != nil {
			return 0, err
		}
		if docs == nil {
			docs, shared = l.Docs, slices.Clone(l.Fields)
			continue
		}
		at := 0
		for i, doc := range docs {
			for at < len(l.Docs) && l.Docs[at] < doc {
				at++
			}
			if at == len(l.Docs) || l.Docs[at] != doc {
				shared[i] = 0
				continue
			}
			shared[i] &= l.Fields[at]
		}
	}
	for _, f := range shared {
		fields |= f
	}
	return fields, nil
}

func (s *Store) phraseIn(d *Deadline, field string, stems []string, add func(doc uint32)) error {
	found, err := searcher.NewPhraseSearcher(d.Ctx, s.reader, stems, 0, false, field, 1,
		search.SearcherOptions{Score: "none"})
	if err != nil {
		return err
	}
	defer found.Close()
	c := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(found.DocumentMatchPoolSize(), 0),
		IndexReader: s.reader}
	for {
		match, err := found.Next(c)
		if match == nil || err != nil {
			return err
		}
		number := match.IndexInternalID.Value()
		if i := s.passages[number]; i != None && int(s.records[i]) < s.count {
			add(s.records[i])
		}
		c.DocumentMatchPool.Put(match)
		if err := d.Err(); err != nil {
			return err
		}
	}
}

// Unknown returns the inverse document frequency of a word that no record has.
func (s *Store) Unknown() float32 { return float32(idf(0, s.count)) }
