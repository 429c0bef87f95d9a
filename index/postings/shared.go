package postings

import (
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"almanac/index/text"
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

// The bounds of batches. Bleve takes some fifty times the texts of a batch while it analyses it, and merges nothing in
// memory.
const (
	batchBytes  = 256 << 10
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

// update deletes the passages that are not among names, and adds those that the index does not have. All have so many
// bytes.
func (x *sharedIndex) update(a *text.Analyzer, docs Documents, names map[string]uint32, bytes int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	batch, size, limit := x.NewBatch(), 0, batchBytes
	if x.dir == "" {
		limit = max(limit, bytes/maxBatches)
	}
	flush := func() error {
		if batch.Size() == 0 {
			return nil
		}
		x.segments++
		err := x.Batch(batch)
		batch, size = x.NewBatch(), 0
		return err
	}
	present := make(map[string]bool)
	err := x.eachName(func(_ uint64, name string) error {
		if _, wanted := names[name]; wanted {
			present[name] = true
			return nil
		}
		batch.Delete(name)
		return nil
	})
	if err != nil {
		return err
	}
	for i, name := range inOrder(names) {
		if present[name] {
			continue
		}
		_, texts := docs.Passage(i)
		if err := batch.IndexAdvanced(newDocument(a, name, texts)); err != nil {
			return err
		}
		for _, t := range texts {
			size += len(t)
		}
		if size >= limit {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// inOrder returns the names by passage.
func inOrder(names map[string]uint32) []string {
	list := make([]string, len(names))
	for name, i := range names {
		list[i] = name
	}
	return list
}

// eachName calls do with the number and the name of each document of the index.
func (x *sharedIndex) eachName(do func(number uint64, name string) error) error {
	internal, err := x.Advanced()
	if err != nil {
		return err
	}
	reader, err := internal.Reader()
	if err != nil {
		return err
	}
	defer reader.Close()
	return eachName(reader, do)
}

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
