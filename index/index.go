// Package index searches a catalog.
//
// Bleve holds the dictionaries and postings. An Index reads the postings of a term once, scores
// them as BM25F, and from then on only adds arrays; filters, facets, orders and the documents come
// from its own arrays, and hits are the catalog's own *Entry. Text of users is never read as Bleve's
// query syntax.
package index

import (
	"fmt"
	"hash/crc64"
	"io"
	"runtime"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/index/postings"
	"almanac/index/text"
)

// Options are the bounds of an Index. A zero field means the default.
type Options struct {
	Memory      uint64        // memory that the process may use, from which the other defaults follow; default 4 GiB
	Dir         string        // directory for an index on disk; "" keeps every index in memory
	DiskFrom    int           // bytes of text from which Dir is used; default: so many that an index in memory takes a fortieth of Memory
	Timeout     time.Duration // longest time of one search; default 1 s
	Concurrency int           // concurrent searches; default two for each core
	CacheBytes  int           // memory for postings read from Bleve; default a sixteenth of Memory
	Kept        int           // documents whose texts are kept analysed, at about three kilobytes each; default a sixty-fourth of Memory
	Answers     int           // encoded answers that are kept; default 1,000, or fewer if Memory is short; negative none
	Build       BuildFunc     // builds indexes on disk; nil: this process does, on every core
}

// A BuildFunc builds an index in a directory by calling BuildStreamed, in another process, with what write writes. If it cannot,
// it returns ErrBuildHere, and this process builds the index.
type BuildFunc = postings.BuildFunc

// ErrBuildHere is the error of a BuildFunc that cannot build anything now.
var ErrBuildHere = postings.ErrBuildHere

// BuildStreamed builds an index in a directory from the documents that the function given to a BuildFunc wrote.
func BuildStreamed(dir string, documents io.Reader) error {
	if err := postings.BuildStreamed(dir, documents); err != nil {
		return fmt.Errorf("build search index: %w", err)
	}
	return nil
}

// The bounds of what follows from Memory.
const (
	standardMemory = 4 << 30
	maxDiskFrom    = 24 << 20 // the text of 50,000 entries
	maxCache       = 256 << 20
	maxKept        = 20_000
	maxAnswers     = 1_000
)

// withDefaults returns the options with every field set.
func (o Options) withDefaults() Options {
	set(&o.Memory, standardMemory)
	share := func(part uint64, most int) int { return int(max(1, min(o.Memory/part, uint64(most)))) }
	set(&o.DiskFrom, share(70, maxDiskFrom)) // an index takes 1.75 times its texts, and half as much again while it is built
	set(&o.Timeout, time.Second)
	set(&o.Concurrency, 2*runtime.GOMAXPROCS(0))
	set(&o.CacheBytes, share(16, maxCache))
	set(&o.Kept, share(64*3<<10, maxKept))
	set(&o.Answers, share(1<<20, maxAnswers))
	return o
}

func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// checksums is the table of the checksums of cursors.
var checksums = crc64.MakeTable(crc64.ECMA)

// An Index answers searches over one catalog. It never changes and may be used by any number of
// goroutines until Close.
type Index struct {
	options       Options
	dir           string // on disk; "" in memory
	generatedAt   string
	generationSum uint64 // checksum of what is indexed, which those of cursors continue
	vocabulary    vocabulary

	analyzer *text.Analyzer
	store    *postings.Store
	slots    chan struct{} // one for each search that may run
	scratch  sync.Pool     // of *scratch
	bodies   sync.Pool     // of *[]byte, for answers being written

	records recordList // by document
	all     []uint32   // every document
	filters filters
	names   names
	cards   *cards
	answers *answers // nil if none are kept
}

// New indexes a catalog. With Options.Dir, a large index is kept on disk and used again at the
// next start.
func New(c *catalog.Catalog, o Options) (*Index, error) { return Reload(nil, c, o) }

// Reload is New where an index of an older catalog is in use. If few documents have changed, only these are indexed, and the two share
// the rest. The answers are those of New.
func Reload(before *Index, c *catalog.Catalog, o Options) (*Index, error) {
	x, err := newIndex(before, newRecords(c), c.Site(), o)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	x.generatedAt = c.GeneratedAt()
	x.vocabulary = newVocabulary(c)
	return x, nil
}

// NewEntries indexes library entries without the rest of a catalog. It serves measurements on
// libraries far larger than the published one.
func NewEntries(entries []*catalog.Entry, o Options) (*Index, error) {
	list := make(recordList, len(entries))
	for i, e := range entries {
		list[i].entry = e
	}
	list.sort()
	x, err := newIndex(nil, list, catalog.DefaultSite, o)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	return x, nil
}

// newIndex indexes records, which must be sorted.
func newIndex(before *Index, records recordList, site catalog.Site, o Options) (x *Index, err error) {
	o = o.withDefaults()
	hash, bytes := records.hash()
	dir := ""
	if bytes >= o.DiskFrom {
		dir = o.Dir
	}
	x = &Index{options: o, dir: dir, slots: make(chan struct{}, o.Concurrency)}
	docs := &documents{records, hash}
	x.generationSum = crc64.Checksum([]byte(docs.hash), checksums)
	if o.Answers > 0 {
		if x.answers, err = newAnswers(o.Answers); err != nil {
			return nil, err
		}
	}
	if err := x.open(before, docs); err != nil {
		return nil, err
	}
	if err := x.addDocuments(records, site); err != nil {
		x.store.Close()
		return nil, err
	}
	x.bodies.New = func() any { return new([]byte) }
	x.scratch.New = func() any { return newScratch(len(x.records), len(x.filters.values)) }
	return x, nil
}

// open opens the store: that of the index before with what has changed, or else one built anew.
func (x *Index) open(before *Index, docs *documents) (err error) {
	room := postings.Room{Lists: x.options.CacheBytes, Placed: x.options.Kept}
	if before != nil && before.dir == x.dir {
		x.analyzer = before.analyzer
		x.store, err = before.store.Reload(docs, docs.records.unchanged(before.records), room)
		if x.store != nil || err != nil {
			return err
		}
	}
	if x.analyzer, err = text.NewAnalyzer(); err != nil {
		return err
	}
	x.store, err = postings.Open(x.analyzer, docs, postings.Disk{Dir: x.dir, Build: x.options.Build}, room)
	return err
}

// addDocuments fills the arrays that are indexed by document.
func (x *Index) addDocuments(records recordList, site catalog.Site) error {
	x.records = records
	x.all = make([]uint32, len(records))
	for doc := range records {
		x.all[doc] = uint32(doc)
	}
	x.names = newNames(records, site)
	x.cards = newCards(x.analyzer, site, len(records), x.options.Kept)
	if len(records) <= x.options.Kept {
		x.cards.makeAll(records)
	}
	var err error
	x.filters, err = newFilters(records)
	return err
}

// Close releases the index when the last search has ended. Searches that have begun are answered.
func (x *Index) Close() error { return x.store.Close() }

// Lend lets the index keep less in memory than it may, for as long as something else needs the room, and returns what ends that.
func (x *Index) Lend() (restore func()) { return x.store.Lend() }

// OnDisk reports whether the postings are on disk.
func (x *Index) OnDisk() bool { return x.dir != "" }

// Len returns the number of documents.
func (x *Index) Len() int { return len(x.records) }
