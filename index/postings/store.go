package postings

import (
	"fmt"
	"path/filepath"

	"almanac/index/text"

	"golang.org/x/sync/singleflight"
)

// A Store holds the postings of documents, which keep the numbers they were indexed with. It never
// changes and may be used by any number of goroutines until Close.
type Store struct {
	docs     int
	analyzer *text.Analyzer
	built    *built
	norms    *norms
	terms    [groups]*bloom // by group of fields
	placed   *placed
	lists    *cache
	reading  singleflight.Group
	users    counter
}

// Room is the memory for what a store keeps besides the index.
type Room struct {
	Lists  int // bytes of lists
	Placed int // documents, with the places of their terms; most take about a kilobyte
}

// Open indexes documents in memory, or, if a directory is given, on disk, where an index of the same
// documents is used again.
func Open(a *text.Analyzer, docs Documents, dir string, room Room) (*Store, error) {
	s := &Store{docs: docs.Len(), analyzer: a, lists: newCache(room.Lists), placed: newPlaced(a, docs, room.Placed), users: newCounter()}
	if dir == "" {
		var err error
		if s.built, err = build(a, docs, ""); err != nil {
			return nil, err
		}
		return s, s.prepare()
	}
	at := filepath.Join(dir, "index-"+docs.Hash()[:16])
	err := s.openOnDisk(at, docs.Hash())
	if err != nil { // missing, of another version, or damaged
		if err := buildOnDisk(a, docs, at); err != nil {
			return nil, err
		}
		err = s.openOnDisk(at, docs.Hash())
	}
	if err != nil {
		return nil, err
	}
	removeAll(dir, "index-*", filepath.Base(at)) // those of other documents
	return s, nil
}

func (s *Store) openOnDisk(dir, hash string) (err error) {
	defer func() {
		if p := recover(); p != nil { // Bleve trusts the files it reads
			err = fmt.Errorf("open index: %v", p)
		}
	}()
	if s.built, err = openOnDisk(dir, hash); err != nil {
		return err
	}
	return s.prepare()
}

// prepare reads the dictionaries, and the lists that are the longest to read. It closes the index if
// it fails.
func (s *Store) prepare() error {
	s.norms = s.built.lengths.norms()
	frequent, err := s.readDictionaries()
	if err == nil {
		err = s.prefetch(frequent)
	}
	if err != nil {
		closeSegments(s.built.segments)
	}
	return err
}

// MayHave reports whether a document may have a term; false is certain.
func (s *Store) MayHave(term string) bool {
	return s.terms[groupText].has(term) || s.terms[groupOther].has(term)
}

// HasInText reports whether a document has a term in its title, labels or text.
func (s *Store) HasInText(term string) bool {
	if !s.terms[groupText].has(term) {
		return false
	}
	for _, seg := range s.built.segments {
		dict, err := seg.Dictionary(groupNames[groupText])
		if err != nil {
			return false // reading the term itself will say why
		}
		if has, err := dict.Contains([]byte(term)); has && err == nil {
			return true
		}
	}
	return false
}

// Close releases the index once nobody uses it any more.
func (s *Store) Close() error {
	if !s.users.close() {
		return nil
	}
	return closeSegments(s.built.segments)
}
