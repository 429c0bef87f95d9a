package postings

import (
	"cmp"
	"slices"
	"sync/atomic"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A base is the segments that were built of all documents of a library, with what is read of their dictionaries. The stores that
// reloads make of a store share its base, which is closed with the last of them.
type base struct {
	segments []*segment // with the numbers of the documents they were built of
	docs     int
	terms    [groups]*bloom
	frequent []frequentTerm // whose lists are read before a search asks for them
	stores   atomic.Int32
}

// newBase returns the base of one store, with as many frequent terms as have lists of so many bytes.
func newBase(list []*segment, docs, bytes int) (*base, error) {
	b := &base{segments: list, docs: docs}
	b.stores.Store(1)
	var err error
	b.terms, b.frequent, err = readDictionaries(list, docs, bytes)
	return b, err
}

// share returns the base for one more store, while another has it.
func (b *base) share() *base {
	b.stores.Add(1)
	return b
}

// release closes the segments when no store has the base any more.
func (b *base) release() error {
	if b.stores.Add(-1) > 0 {
		return nil
	}
	return closeSegments(b.segments)
}

// minFrequent is the number of postings from which the list of a term is read before the first search
// asks for it. Shorter ones are read in microseconds.
const minFrequent = 32

// A frequentTerm is a term with the number of its postings.
type frequentTerm struct {
	term  string
	count uint64
}

// readDictionaries returns the Bloom filters of segments, and their frequent terms, the most frequent first, as many as have lists
// of so many bytes.
func readDictionaries(list []*segment, docs, bytes int) (terms [groups]*bloom, frequent []frequentTerm, err error) {
	counts := make(map[string]uint64)
	least := uint64(max(minFrequent/segments, docs/segments/1024)) // in a segment, of a term that is counted
	for g := range groups {
		n := 0
		for _, seg := range list {
			dict, err := seg.Dictionary(groupNames[g])
			if err != nil {
				return terms, nil, err
			}
			n += dict.Cardinality()
		}
		terms[g] = newBloom(n)
		for _, seg := range list {
			err := seg.eachTerm(g, func(e *bleveindex.DictEntry) {
				terms[g].add(e.Term)
				if e.Count >= least {
					counts[e.Term] += e.Count
				}
			})
			if err != nil {
				return terms, nil, err
			}
		}
	}
	return terms, mostFrequent(counts, bytes), nil
}

// mostFrequent returns the frequent terms, the most frequent first, as many as have lists of so many bytes.
func mostFrequent(counts map[string]uint64, bytes int) []frequentTerm {
	var frequent []frequentTerm
	for term, count := range counts {
		if count >= minFrequent {
			frequent = append(frequent, frequentTerm{term, count})
		}
	}
	slices.SortFunc(frequent, func(a, b frequentTerm) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.term, b.term))
	})
	for i, f := range frequent {
		if bytes -= 9 * int(f.count); bytes < 0 {
			return slices.Clone(frequent[:i])
		}
	}
	return frequent
}
