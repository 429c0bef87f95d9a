package postings

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"almanac/index/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// minFrequent is the number of postings from which the list of a term is read before the first search
// asks for it. Shorter ones are read in microseconds.
const minFrequent = 32

// A frequentTerm is a term with the number of its postings.
type frequentTerm struct {
	term  string
	count uint64
}

// readDictionaries fills the Bloom filters and returns the frequent terms, the most frequent first.
func (s *Store) readDictionaries() ([]frequentTerm, error) {
	counts := make(map[string]uint64)
	least := uint64(max(minFrequent/segments, s.docs/segments/1024)) // in a segment, of a term that is counted
	for g := range groups {
		n := 0
		for _, seg := range s.built.segments {
			dict, err := seg.Dictionary(groupNames[g])
			if err != nil {
				return nil, err
			}
			n += dict.Cardinality()
		}
		s.terms[g] = newBloom(n)
		for _, seg := range s.built.segments {
			err := seg.eachTerm(g, func(e *bleveindex.DictEntry) {
				s.terms[g].add(e.Term)
				if e.Count >= least {
					counts[e.Term] += e.Count
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	var frequent []frequentTerm
	for term, count := range counts {
		if count >= minFrequent {
			frequent = append(frequent, frequentTerm{term, count})
		}
	}
	slices.SortFunc(frequent, func(a, b frequentTerm) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.term, b.term))
	})
	return frequent, nil
}

// prefetch reads the lists of the most frequent words into the cache, as far as a sixteenth of it lasts.
func (s *Store) prefetch(frequent []frequentTerm) error {
	bytes := 0
	for i, f := range frequent {
		if bytes += 9 * int(f.count); bytes > s.lists.budget/16 {
			frequent = frequent[:i]
			break
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(frequent) || errs[w] != nil {
					return
				}
				errs[w] = s.fetch(frequent[i].term)
			}
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

// fetch reads the list of a word as a query for it would.
func (s *Store) fetch(term string) error {
	variants := text.Term{Text: term}.AppendVariants(nil)
	var room [128]byte
	key := s.listKey(room[:0], variants)
	if _, ok := s.lists.get(key); ok {
		return nil
	}
	l, err := s.readVariants(variants)
	if err == nil {
		s.lists.put(key, l)
	}
	return err
}
