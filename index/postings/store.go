// Package postings keeps the words of passages in a Bleve index and reads from it which records have them, scored as
// BM25F.
//
// Bleve's index (Scorch) holds one document for each passage, in memory, with positions.
package postings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"go.almanac.example/index/text"
)

// The fields of a passage that are scored. BM25F adds their frequencies up before it saturates. Title, Labels, Class
// and People belong to the record, and only its first passage has them.
const (
	Title = iota
	Labels
	Class // the category and the type of the record
	Text  // of the passage, after its title
	Questions
	Addresses
	People // names, which are not stemmed
	Lead   // the first sentence of a summary, the title of another passage: for the free search, instead of texts
	Fields // the number of scored fields
)

// fieldNames are the fields in Bleve.
var fieldNames = [Fields]string{"title", "labels", "class", "text", "questions", "addresses", "people", "lead"}

// Documents are the passages of a store, in the order of their records.
type Documents interface {
	Len() int     // passages
	Records() int // records
	// Passage returns a passage and the number of its record.
	Passage(i int) (record int, texts [Fields]string)
}

// A Store is a Bleve index of the data, or a part of it. It is safe for concurrent use.
type Store struct {
	*snapshot
	fields    uint16   // that are read
	count     int      // of the records that are read: the first
	onlyNames bool     // it is the part in which records are found by their names
	begun     []string // the words, sorted, for which a beginning stands; of names, their terms
}

// A snapshot is shared by a store and its parts.
type snapshot struct {
	analyzer *text.Analyzer
	reader   bleveindex.IndexReader

	passages []uint32          // by number in Bleve: the passage
	records  []uint32          // by passage
	total    int               // of the records
	norms    [Fields][]float32 // by record: factors of frequencies
	own      []float32         // by passage: the same for its text alone
	terms    map[string]term
	words    []string  // as they are written, sorted
	scratch  sync.Pool // of *sums
	lists    *lru.Cache[string, *List]
}

// Open returns a store of documents.
func Open(a *text.Analyzer, docs Documents) (*Store, error) {
	s := &Store{snapshot: &snapshot{analyzer: a, total: docs.Records(), records: make([]uint32, docs.Len()),
		terms: make(map[string]term), lists: newLists(docs.Len())}, fields: textFields}
	s.count = s.total
	s.scratch.New = func() any {
		return &sums{newTally(s.total), newTally(len(s.records)), make([]uint16, s.total)}
	}
	x, err := bleve.NewUsing("", bleve.NewIndexMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultMemKVStore, nil)
	if err != nil {
		return nil, fmt.Errorf("make an index in memory: %w", err)
	}
	defer x.Close() // ends the goroutines that write; a reader's memory is as any other
	if err := s.write(x, docs); err != nil {
		return nil, fmt.Errorf("write the index: %w", err)
	}
	if err := s.open(x); err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return s, nil
}

// maxListed bounds the lists in memory: so many passages have them all, at most. Most are short: those of some thousand
// different words of this library take 3 MB.
const maxListed = 1 << 24

func newLists(passages int) *lru.Cache[string, *List] {
	lists, _ := lru.New[string, *List](min(max(16, maxListed/(passages+1)), 4096)) // which fails at 0 only
	return lists
}

// The bounds of batches. Bleve takes some fifty times the texts of a batch while it writes it, and merges nothing in
// memory.
const (
	batchBytes = 512 << 10
	maxBatches = 4
)

// write writes the passages to the index, each named by its number, counts the words, and sets the factors of
// frequencies.
func (s *Store) write(x bleve.Index, docs Documents) error {
	var lengths [Fields][]int32
	for f := range lengths {
		lengths[f] = make([]int32, s.count)
	}
	own := make([]int32, docs.Len())
	maker, batch, size := documentMaker{analyzer: s.analyzer}, x.NewBatch(), 0
	var writing errgroup.Group
	var all []text.Word
	for i := range docs.Len() {
		record, texts := docs.Passage(i)
		s.records[i], all = uint32(record), all[:0]
		var words [Fields][]text.Word
		for f, t := range texts {
			size += len(t)
			start := len(all)
			all = s.analyzer.Words(all, t)
			words[f] = all[start:]
			lengths[f][record] += int32(len(words[f]))
		}
		own[i] = int32(len(words[Text]))
		for _, w := range all {
			known := s.terms[w.Text]
			known.docs++
			s.terms[w.Text] = known
		}
		if err := batch.IndexAdvanced(maker.newDocument(strconv.Itoa(i), texts, words)); err != nil {
			return err
		}
		if i+1 < docs.Len() && (size < batchBytes || batch.Size() < docs.Len()/maxBatches) {
			continue
		}
		full := batch
		if err := writing.Wait(); err != nil {
			return err
		}
		writing.Go(func() error { return x.Batch(full) }) // while the next is filled
		batch, size = x.NewBatch(), 0
	}
	for f := range s.norms {
		s.norms[f] = normsOf(lengths[f], Weights[f])
	}
	s.own = normsOf(own, 1)
	return writing.Wait()
}

// normsOf returns the factors of frequencies in texts of such lengths, with the mean over the texts that are not empty.
func normsOf(lengths []int32, weight float64) []float32 {
	sum, n := 0, 0
	for _, words := range lengths {
		if words > 0 {
			sum, n = sum+int(words), n+1
		}
	}
	mean := float64(max(sum, 1)) / float64(max(n, 1))
	norms := make([]float32, len(lengths))
	for i, words := range lengths {
		norms[i] = float32(weight / (1 - Normalisation + Normalisation*float64(max(words, 1))/mean))
	}
	return norms
}

// open opens the index for searches.
func (s *Store) open(x bleve.Index) error {
	internal, err := x.Advanced()
	if err == nil {
		s.reader, err = internal.Reader()
	}
	if err != nil {
		return err
	}
	return errors.Join(s.number(), s.readTerms())
}

// number sets the passages of Bleve's numbers.
func (s *Store) number() error {
	s.passages = make([]uint32, len(s.records))
	ids, err := s.reader.DocIDReaderAll()
	if err != nil {
		return err
	}
	defer ids.Close()
	for {
		id, err := ids.Next()
		if id == nil || err != nil {
			return err
		}
		name, err := s.reader.ExternalID(id)
		if err != nil {
			return err
		}
		passage, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		s.passages[id.Value()] = uint32(passage)
	}
}

// readTerms reads the dictionaries.
func (s *Store) readTerms() error {
	for f, field := range fieldNames {
		dict, err := s.reader.FieldDict(field)
		if err != nil {
			return err
		}
		for {
			entry, err := dict.Next()
			if err != nil || entry == nil {
				if err = errors.Join(err, dict.Close()); err != nil {
					return err
				}
				break
			}
			known := s.terms[entry.Term]
			known.fields |= 1 << f
			if text.HasDigit(entry.Term) && text.IsWritten(entry.Term) { // another spelling: bip21
				known.docs = max(known.docs, uint32(entry.Count))
			}
			s.terms[strings.Clone(entry.Term)] = known
		}
	}
	for word, t := range s.terms {
		if t.docs > 0 {
			s.words = append(s.words, word)
		}
	}
	slices.Sort(s.words)
	s.begun = s.words
	return nil
}

// fieldsOf returns the fields that may have a term.
func (s *Store) fieldsOf(term string) uint16 {
	if s.onlyNames && isLongName(term) {
		return 0
	}
	return s.terms[term].fields & s.fields
}

// MayHave reports whether a passage may have a term.
func (s *Store) MayHave(term string) bool { return s.fieldsOf(term) != 0 }

// HasInText reports whether a passage may have a term in its title, labels or text.
func (s *Store) HasInText(term string) bool {
	if s.onlyNames {
		return s.MayHave(term)
	}
	return s.fieldsOf(term)&(1<<Title|1<<Labels|1<<Text) != 0
}
