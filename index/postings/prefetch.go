package postings

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"almanac/index/text"
)

// prefetched is the share of the cache that the lists read beforehand may take.
const prefetched = 16

// prefetch reads the lists of the most frequent words into the cache.
func (s *Store) prefetch(frequent []frequentTerm) error {
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
