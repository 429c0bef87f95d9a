package postings

import (
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"
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
	size, limit int // bytes and fewest passages of a batch
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
	return w.flush()
}

func (w *writer) flush() error {
	if w.batch.Size() == 0 {
		return nil
	}
	w.segments++
	err := w.Batch(w.batch)
	w.batch, w.size = w.NewBatch(), 0
	return err
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

// ErrClosed is the error of whoever uses a store after Close.
var ErrClosed = errors.New("the index is closed")
