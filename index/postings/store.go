// Package postings keeps the words of passages in a Bleve index and reads from it which records have them, scored as
// BM25F.
//
// Bleve's index (Scorch) holds one document for each passage, in memory or on disk, with positions. A passage is named
// by a hash of its texts: a changed one has another name, so that a reload and a restart are one batch.
package postings

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	bleveindex "github.com/blevesearch/bleve_index_api"
	lru "github.com/hashicorp/golang-lru/v2"

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

// None is the number of a passage that there is not.
const None = math.MaxUint32

// A Store is a Bleve index as one load of the data has it, or a part of it. It is safe for concurrent use until Close.
type Store struct {
	*snapshot
	fields    uint16   // that are read
	count     int      // of the records that are read: the first
	onlyNames bool     // it is the part in which records are found by their names
	words     []string // as they are written, sorted; of names, their terms
}

// A snapshot is shared by a store and its parts.
type snapshot struct {
	analyzer *text.Analyzer
	shared   *sharedIndex
	reader   bleveindex.IndexReader
	users    sync.RWMutex // read-locked by each user
	closed   bool

	passages []uint32          // by number in Bleve: the passage, or None
	records  []uint32          // by passage
	total    int               // of the records
	norms    [Fields][]float32 // by record: factors of frequencies
	own      []float32         // by passage: the same for its text alone
	sum      uint64            // of the texts
	terms    map[string]term
	scratch  sync.Pool // of *sums
	lists    *lru.Cache[string, *List]
}

// Open returns a store of documents, in a directory or in memory if dir is "". It reuses the index of before, a store
// that is still open, or the one on disk, as far as passages are unchanged.
func Open(a *text.Analyzer, docs Documents, dir string, before *Store) (*Store, error) {
	var shared *sharedIndex
	var err error
	if before != nil && before.shared.dir == dir && before.shared.retain() {
		shared = before.shared
	} else if shared, err = openShared(dir); err != nil {
		return nil, err
	}
	s, err := load(a, docs, shared)
	if err != nil {
		shared.release()
	}
	return s, err
}

// load brings an index to the state of documents and takes a snapshot of it.
func load(a *text.Analyzer, docs Documents, shared *sharedIndex) (*Store, error) {
	s := &Store{snapshot: &snapshot{analyzer: a, shared: shared, total: docs.Records(),
		terms: make(map[string]term), lists: newLists(docs.Len())}, fields: textFields}
	s.count = s.total
	s.scratch.New = func() any {
		return &sums{newTally(s.total), newTally(len(s.records)), make([]uint16, s.total)}
	}
	names, err := s.update(docs)
	if err != nil {
		return nil, fmt.Errorf("write the index: %w", err)
	}
	if s.reader, err = shared.newReader(); err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	if err = s.number(names); err == nil {
		err = s.readTerms()
	}
	if err != nil {
		s.reader.Close()
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return s, nil
}

// maxListed bounds the lists in memory: so many passages have them all, at most.
const maxListed = 1 << 20

func newLists(passages int) *lru.Cache[string, *List] {
	lists, _ := lru.New[string, *List](min(max(16, maxListed/(passages+1)), 4096)) // which fails at 0 only
	return lists
}

// update counts the words, sets the factors of frequencies, and brings the index to the state of the passages, which it
// returns by name.
func (s *Store) update(docs Documents) (map[string]uint32, error) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	w, err := s.shared.newWriter(docs.Len())
	if err != nil {
		return nil, err
	}
	names := make(map[string]uint32, docs.Len())
	s.records = make([]uint32, docs.Len())
	var lengths [Fields][]int32
	for f := range lengths {
		lengths[f] = make([]int32, s.count)
	}
	own := make([]int32, docs.Len())
	sum := sha256.New()
	maker := documentMaker{analyzer: s.analyzer}
	var buf []byte
	var all []text.Word
	for i := range docs.Len() {
		record, texts := docs.Passage(i)
		s.records[i] = uint32(record)
		buf, all = append(buf[:0], s.analyzer.Version...), all[:0]
		var words [Fields][]text.Word
		for f, t := range texts {
			buf = append(append(buf, t...), 0)
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
		hash := sha256.Sum256(buf)
		sum.Write(hash[:])
		name := base64.RawURLEncoding.EncodeToString(hash[:16])
		for unique, n := name, 2; ; n++ { // equal passages of several records
			if _, taken := names[name]; !taken {
				break
			}
			name = fmt.Sprintf("%s.%d", unique, n)
		}
		names[name] = uint32(i)
		if w.present[name] {
			delete(w.present, name)
		} else if err := w.add(maker.newDocument(name, texts, words), len(buf)); err != nil {
			return nil, err
		}
	}
	s.sum = binary.LittleEndian.Uint64(sum.Sum(nil))
	for f := range s.norms {
		s.norms[f] = normsOf(lengths[f], Weights[f])
	}
	s.own = normsOf(own, 1)
	return names, w.finish()
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

// number sets the passages of Bleve's numbers.
func (s *Store) number(names map[string]uint32) error {
	found := 0
	err := eachName(s.reader, func(number uint64, name string) error {
		for uint64(len(s.passages)) <= number {
			s.passages = append(s.passages, None)
		}
		if i, ok := names[name]; ok {
			s.passages[number] = i
			found++
		}
		return nil
	})
	if err == nil && found != len(names) {
		err = fmt.Errorf("the index has %d of %d passages", found, len(names))
	}
	return err
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
	return nil
}

// Close releases the store when its last user has gone.
func (s *Store) Close() error {
	s.users.Lock()
	defer s.users.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.reader.Close(), s.shared.release())
}

// Acquire keeps the store open until Release. It fails with ErrClosed from the beginning of Close on.
func (s *Store) Acquire() error {
	if !s.users.TryRLock() {
		return ErrClosed
	}
	if s.closed {
		s.users.RUnlock()
		return ErrClosed
	}
	return nil
}

// Release ends the use that Acquire began.
func (s *Store) Release() { s.users.RUnlock() }

// OnDisk reports whether the index is on disk.
func (s *Store) OnDisk() bool { return s.shared.dir != "" }

// Sum returns a checksum of the texts of all passages.
func (s *Store) Sum() uint64 { return s.sum }

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
