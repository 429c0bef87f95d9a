package postings

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"go.almanac.example/index/text"
)

// The parameters of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 3.6).
// They are the same for every collection; the relevance test of package index holds them to figures.
const (
	Saturation    = 1   // k1
	Normalisation = 0.6 // b
)

// Weights are the weights of the scored fields.
var Weights = [Fields]float64{Title: 6, Labels: 2, Class: 2, Text: 0.8, Questions: 1.3, Addresses: 1,
	People: 2, Lead: 0.6}

// OwnWeights are the weights of the fields that belong to a passage, when passages are compared with each other.
var OwnWeights = [Fields]float32{Text: 1, Questions: 1.6, Addresses: 1}

// A List holds the records that have a term, in ascending order, with its BM25F score in each, and the passages that
// have it in their text or questions.
type List struct {
	Docs     []uint32
	Scores   []float32
	Fields   []uint16 // bit f is set when field f has the term
	First    []uint32 // by record: its first place in Passages; one more at the end
	Passages []uint32
	Own      []float32 // by passage: the score in its own text
	Rarity   float32   // inverse document frequency among records
}

// Find returns the index of a record in the list, or -1.
func (l *List) Find(doc uint32) int {
	if at, ok := slices.BinarySearch(l.Docs, doc); ok {
		return at
	}
	return -1
}

// A tally is the memory of adding up the scores of records, or of passages, by number. It is zero between lists.
type tally struct {
	sums  []int64   // frequencies of the variant being read, in millionths: their sum is the same in every order
	best  []float32 // the highest score of a variant so far
	found []uint32  // the numbers with a sum
	all   []uint64  // the numbers with a score, as a set
}

const millionth = 1e-6

func newTally(n int) tally {
	return tally{sums: make([]int64, n), best: make([]float32, n), all: make([]uint64, (n+63)/64)}
}

func (t *tally) add(i uint32, frequency float32) {
	if t.sums[i] == 0 {
		t.found = append(t.found, i)
	}
	t.sums[i] += max(1, int64(frequency/millionth))
}

// score turns the sums into the scores of a variant.
func (t *tally) score(score func(frequency float32) float32) {
	for _, i := range t.found {
		t.best[i] = max(t.best[i], score(float32(t.sums[i])*millionth))
		t.sums[i] = 0
		t.all[i/64] |= 1 << (i % 64)
	}
	t.found = t.found[:0]
}

// take calls do with the numbers, in ascending order, and their scores, and clears the tally.
func (t *tally) take(do func(i uint32, score float32)) {
	for at, set := range t.all {
		for ; set != 0; set &= set - 1 {
			i := uint32(at*64 + bits.TrailingZeros64(set))
			do(i, t.best[i])
			t.best[i] = 0
		}
		t.all[at] = 0
	}
}

// sums is the memory of reading a list.
type sums struct {
	records, passages tally
	fields            []uint16 // by record
}

// List returns the records that have any of several variants of a term, each with the score of the variant that scores
// highest in it. The inverse document frequency is that of all variants together: a rare spelling of a common term is
// not a rare term. The caller must have acquired the store.
func (s *Store) List(ctx context.Context, variants ...text.Variant) (*List, error) {
	if !slices.ContainsFunc(variants, func(v text.Variant) bool { return s.MayHave(v.Term) }) {
		return &List{}, nil
	}
	key := binary.LittleEndian.AppendUint16(nil, s.fields)
	for _, v := range variants {
		key = binary.LittleEndian.AppendUint32(append(key, v.Term...), math.Float32bits(v.Weight))
	}
	if l, ok := s.lists.Get(string(key)); ok {
		return l, nil
	}
	l, err := s.read(ctx, variants)
	if err == nil {
		s.lists.Add(string(key), l)
	}
	return l, err
}

// read is List for a list that is not in memory.
func (s *Store) read(ctx context.Context, variants []text.Variant) (*List, error) {
	m := s.scratch.Get().(*sums)
	defer s.scratch.Put(m)
	var err error
	for _, v := range variants {
		for f := range Fields {
			if s.fieldsOf(v.Term)>>f&1 != 0 && err == nil {
				err = s.addTerm(ctx, m, v.Term, f)
			}
		}
		m.records.score(func(frequency float32) float32 { return v.Weight * s.rounded(saturate(frequency)) })
		m.passages.score(func(frequency float32) float32 { return v.Weight * saturate(frequency) })
	}
	l := &List{}
	m.records.take(func(doc uint32, score float32) {
		l.Docs, l.Scores, l.Fields = append(l.Docs, doc), append(l.Scores, score), append(l.Fields, m.fields[doc])
		m.fields[doc] = 0
	})
	l.Rarity = float32(IDF(len(l.Docs), s.count))
	for i := range l.Scores {
		l.Scores[i] *= l.Rarity
	}
	m.passages.take(func(passage uint32, score float32) {
		l.Passages, l.Own = append(l.Passages, passage), append(l.Own, score*l.Rarity)
	})
	for _, doc := range append(l.Docs, math.MaxUint32) {
		first, _ := slices.BinarySearchFunc(l.Passages, doc, func(p, doc uint32) int { return cmp.Compare(s.records[p], doc) })
		l.First = append(l.First, uint32(first))
	}
	return l, err
}

// addTerm adds the frequencies of a term in a field.
func (s *Store) addTerm(ctx context.Context, m *sums, term string, field int) error {
	r, err := s.reader.TermFieldReader(ctx, []byte(term), fieldNames[field], true, false, false)
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
		if n%deadlineAfter == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		passage := s.passages[next.ID.Value()]
		doc := s.records[passage]
		if int(doc) >= s.count {
			continue
		}
		m.records.add(doc, float32(next.Freq)*s.norms[field][doc])
		m.fields[doc] |= 1 << field
		if weight := OwnWeights[field]; weight > 0 {
			m.passages.add(passage, weight*float32(next.Freq)*s.own[passage])
		}
	}
}

func saturate(frequency float32) float32 {
	return frequency * (Saturation + 1) / (Saturation + frequency)
}

// IDF is the inverse document frequency of BM25 in the form that is never negative.
func IDF(with, all int) float64 {
	return math.Log(1 + (float64(all-with)+0.5)/(float64(with)+0.5))
}

// deadlineAfter is the number of postings, some tenths of a millisecond, after which the time is read again.
const deadlineAfter = 4096

// Phrase calls add with the records that have stems next to each other in one field of a passage, until it returns false;
// "" stands for any word.
func (s *Store) Phrase(ctx context.Context, stems []string, add func(doc uint32) bool) error {
	fields := s.fields
	for _, stem := range stems {
		if stem != "" {
			fields &= s.fieldsOf(stem)
		}
	}
	for f := range Fields {
		if fields>>f&1 == 0 {
			continue
		}
		switch more, err := s.phraseIn(ctx, fieldNames[f], stems, add); {
		case err != nil:
			return fmt.Errorf("read positions: %w", err)
		case !more:
			return nil
		}
	}
	return nil
}

func (s *Store) phraseIn(ctx context.Context, field string, stems []string, add func(doc uint32) bool) (more bool, err error) {
	found, err := searcher.NewPhraseSearcher(ctx, s.reader, stems, 0, false, field, 1, search.SearcherOptions{Score: "none"})
	if err != nil {
		return false, err
	}
	defer found.Close()
	c := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(found.DocumentMatchPoolSize(), 0),
		IndexReader: s.reader}
	for {
		match, err := found.Next(c)
		if match == nil || err != nil {
			return true, err
		}
		if doc := s.records[s.passages[match.IndexInternalID.Value()]]; int(doc) < s.count && !add(doc) {
			return false, nil
		}
		c.DocumentMatchPool.Put(match)
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
}

// Unknown returns the inverse document frequency of a word that no record has.
func (s *Store) Unknown() float32 { return float32(IDF(0, s.count)) }
