package postings

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"
	"golang.org/x/sync/errgroup"

	"go.almanac.example/index/text"
)

// A sharedIndex is a Bleve index that the stores of several loads read, each its own snapshot.
type sharedIndex struct {
	bleve.Index
	dir      string
	mu       sync.Mutex
	users    int
	segments int          // written since it was opened
	closed   func() error // called after Close; nil: nothing
}

// The bounds of batches. Bleve takes some fifty times the texts of a batch while it writes it, and merges nothing in
// memory.
const (
	batchBytes  = 512 << 10
	maxBatches  = 4  // of one load in memory
	maxSegments = 12 // in memory
)

// openShared opens the index in a directory, or makes one.
func openShared(dir string) (*sharedIndex, error) {
	if dir != "" {
		return openDisk(dir)
	}
	x, err := bleve.NewUsing("", bleve.NewIndexMapping(), bleve.Config.DefaultIndexType,
		bleve.Config.DefaultMemKVStore, nil)
	if err != nil {
		return nil, fmt.Errorf("make an index in memory: %w", err)
	}
	return &sharedIndex{Index: x, users: 1}, nil
}

// retain adds a user, unless the index is closed or has too many segments for another batch.
func (x *sharedIndex) retain() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users == 0 || x.dir == "" && x.segments >= maxSegments {
		return false
	}
	x.users++
	return true
}

// release closes the index after its last user.
func (x *sharedIndex) release() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users--; x.users > 0 {
		return nil
	}
	err := x.Close()
	if x.closed != nil {
		err = errors.Join(err, x.closed())
	}
	return err
}

// A writer adds passages to an index in batches, and deletes others.
type writer struct {
	*sharedIndex
	present     map[string]bool // the passages that are in the index and were not asked for
	batch       *bleve.Batch
	size, limit int            // bytes and fewest passages of a batch
	writing     errgroup.Group // of one batch, while the next is filled
}

// newWriter returns a writer of so many passages. The caller holds x.mu until it is finished.
func (x *sharedIndex) newWriter(passages int) (*writer, error) {
	w := &writer{sharedIndex: x, present: make(map[string]bool), batch: x.NewBatch()}
	if x.dir == "" {
		w.limit = passages / maxBatches
	}
	reader, err := x.newReader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return w, eachName(reader, func(_ uint64, name string) error {
		w.present[name] = true
		return nil
	})
}

// add adds a passage of so many bytes.
func (w *writer) add(doc *document.Document, bytes int) error {
	if err := w.batch.IndexAdvanced(doc); err != nil {
		return err
	}
	if w.size += bytes; w.size < batchBytes || w.batch.Size() < w.limit {
		return nil
	}
	return w.flush()
}

// finish deletes the passages that were not asked for, and writes the last batch.
func (w *writer) finish() error {
	for name := range w.present {
		w.batch.Delete(name)
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.writing.Wait()
}

// flush has the batch written, if the one before it could be: Bleve may panic after a batch that failed.
func (w *writer) flush() error {
	if err := w.writing.Wait(); err != nil || w.batch.Size() == 0 {
		return err
	}
	w.segments++
	batch := w.batch
	w.writing.Go(func() error { return w.Batch(batch) })
	w.batch, w.size = w.NewBatch(), 0
	return nil
}

// newReader returns a reader of the index as it is now.
func (x *sharedIndex) newReader() (bleveindex.IndexReader, error) {
	internal, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	return internal.Reader()
}

// eachName calls do with the number and the name of each document of the index.
func eachName(reader bleveindex.IndexReader, do func(number uint64, name string) error) error {
	ids, err := reader.DocIDReaderAll()
	if err != nil {
		return err
	}
	defer ids.Close()
	for {
		id, err := ids.Next()
		if id == nil || err != nil {
			return err
		}
		name, err := reader.ExternalID(id)
		if err != nil {
			return err
		}
		number := id.Value()
		if err := do(number, name); err != nil {
			return err
		}
	}
}

// ErrClosed is the error of a store that is used after Close.
var ErrClosed = errors.New("the index is closed")

// A field is a field of a passage for Bleve, whose own fields would read its words again, and make a token of each.
type field struct {
	*document.TextField
	frequencies bleveindex.TokenFrequencies
}

// Analyze implements bleveindex.Field.
func (f *field) Analyze() {}

// AnalyzedTokenFrequencies implements bleveindex.Field.
func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.frequencies }

// A documentMaker makes documents for Bleve, which only reads frequencies: terms that a field has once share theirs.
type documentMaker struct {
	analyzer *text.Analyzer
	once     []*bleveindex.TokenFreq // by position
	terms    []text.Term
}

// newDocument returns a passage as Bleve takes it. It does not keep words.
func (m *documentMaker) newDocument(name string, texts [Fields]string, words [Fields][]text.Word) *document.Document {
	const options = bleveindex.IndexField | bleveindex.IncludeTermVectors
	doc := document.NewDocument(name)
	for f, s := range texts {
		m.terms = m.terms[:0]
		if f == People {
			for i, w := range words[f] {
				m.terms = append(m.terms, text.Term{Text: text.Person(w.Text), First: i})
			}
		} else {
			m.terms = m.analyzer.Terms(m.terms, words[f], s)
		}
		if len(m.terms) > 0 {
			doc.AddField(&field{document.NewTextFieldCustom(fieldNames[f], nil, nil, options, nil), m.frequencies(f)})
		}
	}
	return doc
}

// frequencies returns how often a field has its terms, with the positions of those that a phrase may have.
func (m *documentMaker) frequencies(f int) bleveindex.TokenFrequencies {
	all := make(bleveindex.TokenFrequencies, len(m.terms))
	for _, term := range m.terms {
		next := unplaced
		if textFields>>f&1 != 0 && text.IsWritten(term.Text) {
			for len(m.once) <= term.First {
				m.once = append(m.once, newFrequency(1, &bleveindex.TokenLocation{Position: len(m.once) + 1}))
			}
			next = m.once[term.First]
		}
		if before := all[term.Text]; before != nil {
			next = newFrequency(before.Frequency()+1, slices.Concat(before.Locations, next.Locations)...)
		}
		all[term.Text] = next
	}
	return all
}

var unplaced = newFrequency(1)

func newFrequency(n int, places ...*bleveindex.TokenLocation) *bleveindex.TokenFreq {
	t := &bleveindex.TokenFreq{Locations: places}
	t.SetFrequency(n)
	return t
}
