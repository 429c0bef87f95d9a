package postings

import (
	"errors"
	"fmt"
	"path/filepath"

	"almanac/index/text"

	"golang.org/x/sync/singleflight"
)

// A Store holds the postings of documents, which keep the numbers they were indexed with. It never
// changes and may be used by any number of goroutines until Close.
type Store struct {
	docs     int
	indexed  int // documents that were indexed for this store
	analyzer *text.Analyzer
	built    *built
	base     *base // of the first segments; the others are of this store only
	norms    *norms
	terms    [groups]blooms // by group of fields
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
func Open(a *text.Analyzer, docs Documents, disk Disk, room Room) (*Store, error) {
	s := &Store{docs: docs.Len(), indexed: docs.Len(), analyzer: a, lists: newCache(room.Lists), placed: newPlaced(a, docs, room.Placed), users: newCounter()}
	if disk.Dir == "" {
		var err error
		if s.built, err = build(a, held{docs}, ""); err != nil {
			return nil, err
		}
		return s, s.prepare()
	}
	at := filepath.Join(disk.Dir, "index-"+docs.Hash()[:16])
	err := s.openOnDisk(at, docs.Hash())
	if err != nil { // missing, of another version, or damaged
		if err := disk.build(a, docs, at); err != nil {
			return nil, err
		}
		err = s.openOnDisk(at, docs.Hash())
	}
	if err != nil {
		return nil, err
	}
	removeAll(disk.Dir, "index-*", filepath.Base(at)) // those of other documents
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
func (s *Store) prepare() (err error) {
	s.norms = s.built.lengths.norms()
	if s.base, err = newBase(s.built.segments, s.docs, s.lists.budget/prefetched); err != nil {
		closeSegments(s.built.segments)
		return err
	}
	for g := range s.terms {
		s.terms[g] = blooms{s.base.terms[g]}
	}
	if err = s.prefetch(s.base.frequent); err != nil {
		s.base.release()
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
		if seg.gone == nil {
			if has, err := dict.Contains([]byte(term)); has && err == nil {
				return true
			}
			continue
		}
		if list, err := dict.PostingsList([]byte(term), seg.gone, nil); err == nil && list.Count() > 0 {
			return true
		}
	}
	return false
}

// Indexed returns how many documents were indexed for this store. The others were in the store that was reloaded.
func (s *Store) Indexed() int { return s.indexed }

// Close releases the index once nobody uses it any more.
func (s *Store) Close() error {
	if !s.users.close() {
		return nil
	}
	return errors.Join(closeSegments(s.built.segments[len(s.base.segments):]), s.base.release())
}
