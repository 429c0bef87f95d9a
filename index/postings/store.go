package postings

import (
	"fmt"
	"path/filepath"

	"almanac/index/text"

	"golang.org/x/sync/singleflight"
)

// A Store holds the postings of documents. It never changes and may be used by any number of
// goroutines until Close.
type Store struct {
	// IDs are the indexes of documents among those that were indexed, by the numbers that lists
	// have for them.
	IDs []uint32

	// Means are the mean lengths of the scored fields in words, over the documents that have them.
	Means [Fields]float64

	segment  *segment
	terms    *bloom // of the scored fields
	written  *bloom // of the title, the labels and the text
	words    *bloom // as they are written
	analyzer *text.Analyzer
	lists    *cache
	reading  singleflight.Group
	users    counter
}

// Open indexes documents in memory, or, if a directory is given, on disk, where an index of the same
// documents is used again. cacheBytes is the memory for lists.
func Open(a *text.Analyzer, docs Documents, dir string, cacheBytes int) (*Store, error) {
	s := &Store{analyzer: a, lists: newCache(cacheBytes), users: newCounter()}
	if dir == "" {
		var err error
		if s.segment, s.Means, err = buildInMemory(a, docs); err != nil {
			return nil, err
		}
		return s, s.prepare(docs.Len())
	}
	at := filepath.Join(dir, "index-"+docs.Hash()[:16])
	err := s.openOnDisk(at, docs)
	if err != nil { // missing, of another version, or damaged
		if err := buildOnDisk(a, docs, at); err != nil {
			return nil, err
		}
		err = s.openOnDisk(at, docs)
	}
	if err != nil {
		return nil, err
	}
	removeAll(dir, "index-*", filepath.Base(at)) // those of other documents
	return s, nil
}

func (s *Store) openOnDisk(dir string, docs Documents) (err error) {
	defer func() {
		if p := recover(); p != nil { // Bleve trusts the files it reads
			err = fmt.Errorf("open index: %v", p)
		}
	}()
	if s.segment, s.Means, err = openOnDisk(dir, docs.Hash()); err != nil {
		return err
	}
	return s.prepare(docs.Len())
}

// prepare reads what is kept in memory of an index of n documents. It closes the index if it fails.
func (s *Store) prepare(n int) (err error) {
	defer func() {
		if err != nil {
			s.segment.close()
		}
	}()
	if err = s.segment.read(); err != nil {
		return err
	}
	if s.IDs, err = s.segment.ids(n); err != nil {
		return err
	}
	if s.terms, err = s.segment.bloom(Title, Labels, Text, Questions, Addresses); err != nil {
		return err
	}
	if s.written, err = s.segment.bloom(Title, Labels, Text); err != nil {
		return err
	}
	s.words, err = s.segment.bloom(fieldWords)
	return err
}

// MayHave reports whether a document may have a term; false is certain.
func (s *Store) MayHave(term string) bool { return s.terms.has(term) }

// MayHaveInText reports whether a document may have a term in its title, labels or text.
func (s *Store) MayHaveInText(term string) bool { return s.written.has(term) }

// Close releases the index once nobody uses it any more.
func (s *Store) Close() error {
	if !s.users.close() {
		return nil
	}
	return s.segment.close()
}
