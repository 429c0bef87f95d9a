// Package index finds what is meant in a catalog.
//
// Bleve holds dictionaries and postings, and nothing else. An Index reads a term's postings
// once, weighs them as BM25F, and from then on only adds arrays; filters, facets, orders and the
// documents themselves come from its own arrays, which hand out the catalog's own *Entry. Text of
// users is never Bleve's query syntax. It is the only package that imports Bleve.
package index

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"golang.org/x/sync/singleflight"
)

// Options set the bounds of an Index. The zero value of a field takes the default.
type Options struct {
	Dir         string        // where an index on disk goes; "" keeps every index in memory
	DiskFrom    int           // number of documents from which Dir is used; default 100,001
	Timeout     time.Duration // longest time of one search; default 1 s
	Concurrency int           // searches at one time; default two for each core
	CacheBytes  int           // memory for postings read from Bleve; default 256 MiB
	Answers     int           // answers kept ready to be written again; default 1,000, negative none
}

func (o Options) withDefaults() Options {
	set(&o.DiskFrom, 100_001)
	set(&o.Timeout, time.Second)
	set(&o.Concurrency, 2*runtime.GOMAXPROCS(0))
	set(&o.CacheBytes, 256<<20)
	set(&o.Answers, 1000)
	return o
}

func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// An Index answers searches over one catalog. It never changes: use it from any number of
// goroutines, and Close it when no more searches begin.
type Index struct {
	options     Options
	generatedAt string
	generation  string // hash of what is indexed
	vocabulary  vocabulary

	analyzer *analyzer
	store    *store
	lists    *lists
	nothing  *list // of terms that no document has
	reading  singleflight.Group
	users    users
	slots    chan struct{} // one for each search that may run
	scratch  sync.Pool     // of *scratch
	bodies   sync.Pool     // of *[]byte, for answers being written

	records   []record // by Bleve's number
	byRank    []uint32 // Bleve's numbers, in the order of documents that score alike
	filters   filters
	names     map[string][]uint32         // id or address -> documents
	fieldSets [1 << scoredFields][]string // their names, shared by all answers
	shelf     *shelf
	answers   *answers // nil when none are kept
}

// A record is what is handed out for a document.
type record struct {
	entry  *catalog.Entry
	change *catalog.Change
	kind   string
}

// New indexes a catalog. It takes the catalog's whole text through memory once; with Options.Dir,
// a large one is kept on disk and used again at the next start.
func New(c *catalog.Catalog, o Options) (*Index, error) {
	x, err := newIndex(sources(c), o)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	x.generatedAt = c.GeneratedAt()
	x.vocabulary = newVocabulary(c)
	return x, nil
}

// NewEntries indexes library entries without the rest of a catalog: the measurements use it for
// libraries far larger than the published one.
func NewEntries(entries []*catalog.Entry, o Options) (*Index, error) {
	list := make([]*source, len(entries))
	for i, e := range entries {
		list[i] = entrySource(nil, e)
	}
	slices.SortFunc(list, compareSources)
	x, err := newIndex(list, o)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	return x, nil
}

// newIndex indexes sources, which must be in the order of compareSources.
func newIndex(sources []*source, o Options) (*Index, error) {
	o = o.withDefaults()
	a, err := newAnalyzer()
	if err != nil {
		return nil, err
	}
	dir := ""
	if len(sources) >= o.DiskFrom {
		dir = o.Dir
	}
	x := &Index{
		options: o, analyzer: a, generation: hashSources(sources), fieldSets: fieldSets(),
		lists: newLists(o.CacheBytes), nothing: &list{}, slots: make(chan struct{}, o.Concurrency),
	}
	if o.Answers > 0 {
		if x.answers, err = newAnswers(o.Answers); err != nil {
			return nil, err
		}
	}
	if x.store, err = openStore(a, sources, x.generation, dir); err != nil {
		return nil, err
	}
	if err := x.number(sources); err != nil {
		x.store.close()
		return nil, err
	}
	x.bodies.New = func() any { return new([]byte) }
	x.scratch.New = func() any { return newScratch(len(sources), len(x.filters.values)) }
	return x, nil
}

// number fills the arrays that are asked by document.
func (x *Index) number(sources []*source) error {
	x.records = make([]record, len(sources))
	x.byRank = make([]uint32, len(sources))
	docs := make([]*source, len(sources))
	for doc, rank := range x.store.rank {
		s := sources[rank]
		docs[doc], x.byRank[rank] = s, uint32(doc)
		x.records[doc] = record{s.entry, s.change, s.kind}
	}
	x.names = make(map[string][]uint32, len(sources))
	for rank, doc := range x.byRank { // in order, so that names shared by several keep it
		for _, name := range sources[rank].names {
			key := exactName(name)
			x.names[key] = append(x.names[key], doc)
		}
	}
	x.shelf = newShelf(len(sources))
	var err error
	x.filters, err = newFilters(docs)
	return err
}

// Close releases the index when the last search has ended; one may run on after whoever asked has
// gone.
func (x *Index) Close() error {
	if !x.users.close() {
		return nil
	}
	return x.store.close()
}

// Len gives the number of documents.
func (x *Index) Len() int { return len(x.records) }

// exactName gives the form in which ids and addresses are compared: without scheme, www., slash
// at the end and fragment, in lower case.
func exactName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "www."), "#")
	return strings.TrimSuffix(s, "/")
}
