// Package index searches a catalog: Bleve finds the records and passages that have the words of a query (package
// postings), and the ranker in this package orders them, chooses the passages that answer, and says nothing if nothing
// does.
//
// Filters, orders and the documents come from arrays of the Index, and hits are the catalog's own *Entry. Text of users is
// never read as Bleve's query syntax. docs/search.md has every weight.
package index

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc64"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"go.almanac.example/catalog"
	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
	"go.almanac.example/internal/peer"
)

// Options are the bounds of an Index. A zero field means the default.
type Options struct {
	Timeout     time.Duration // longest time of one search; default 1 s
	Concurrency int           // concurrent searches; default two for each core
}

// checksums is the table of the checksums of cursors.
var checksums = crc64.MakeTable(crc64.ECMA)

// An Index answers searches over one catalog. It never changes and may be used by any number of
// goroutines.
type Index struct {
	options       Options
	generatedAt   string
	generationSum uint64 // checksum of the data, which those of cursors continue
	vocabulary    vocabulary

	analyzer *text.Analyzer
	store    *postings.Store
	turns    *peer.Queue                  // of searches
	scratch  sync.Pool                    // of *scratch
	answers  *lru.Cache[string, *Results] // to the last queries of buyers

	documents *documents
	records   recordList
	count     int                 // of the records that are searched: the first
	free      *Index              // the same in which records are found by their names; nil in itself
	named     map[string][]uint32 // the documents that an id or an address names, by normalName
	about     map[uint32][]uint32 // by protocol: the documents about it, itself among them
	called    map[string][]uint32 // those of which it is a curated question, by spellings
	exact     exactTokens
	asked     *askedQuestions     // nil in the free search, which ranks no passages
	defined   map[string][]uint32 // passages that define a name; nil in the free search, which ranks no passages
	pages     string              // the beginning of the addresses of entries, as normalName
}

// New indexes a catalog.
func New(c *catalog.Catalog, o Options) (*Index, error) {
	a, err := text.NewAnalyzer(c.Lexicon())
	if err != nil {
		return nil, fmt.Errorf("read search/lexicon.txt: %w", err)
	}
	x, err := newIndex(a, newRecords(c, a), c.Site(), o)
	if err != nil {
		return nil, fmt.Errorf("build search index: %w", err)
	}
	x.generatedAt = c.GeneratedAt()
	x.generationSum = crc64.Checksum(fmt.Append(nil, a.Version, c.Sum()), checksums)
	x.vocabulary = newVocabulary(c)
	return x, nil
}

const (
	maxAnswers = 128 // that are kept, of some 20 KB each
	maxWaiting = 4096
)

// newIndex indexes records, which must be sorted.
func newIndex(a *text.Analyzer, records recordList, site catalog.Site, o Options) (x *Index, err error) {
	o.Timeout = cmp.Or(o.Timeout, time.Second)
	n := cmp.Or(o.Concurrency, 2*runtime.GOMAXPROCS(0))
	x = &Index{options: o, analyzer: a, documents: newDocuments(a, records), records: records,
		turns: peer.NewQueue(peer.QueueLimits{Total: n, PerNetwork: max(1, n/2), Waiting: maxWaiting, Wait: o.Timeout})}
	if x.store, err = postings.Open(a, x.documents); err != nil {
		return nil, err
	}
	x.answers, _ = lru.New[string, *Results](maxAnswers) // which fails at 0 only
	x.addNames(site)
	x.defined = definitionsOf(a, x.documents)
	x.asked = newAskedQuestions(a, records)
	x.exact = newExactTokens(records)
	x.count = len(records)
	for x.count > 0 && records[x.count-1].isPage() {
		x.count--
	}
	x.free = &Index{options: x.options, analyzer: a, store: x.store.Names(), documents: x.documents, records: records,
		count: len(records), named: x.named, called: x.called, exact: x.exact, pages: x.pages}
	x.store = x.store.First(x.count)
	if err := x.addAbout(); err != nil {
		return nil, err
	}
	x.free.about = x.about
	x.scratch.New = func() any { return newScratch(x) }
	return x, nil
}

// addNames fills the table of names.
func (x *Index) addNames(site catalog.Site) {
	x.pages = strings.TrimRight(normalName(site.URL(catalog.EntryPath(""))), "/") + "/"
	x.named = make(map[string][]uint32, 2*len(x.records))
	x.called = make(map[string][]uint32)
	for doc := range x.records {
		for _, name := range x.records[doc].names {
			name = normalName(name)
			x.named[name] = append(x.named[name], uint32(doc))
		}
		for _, question := range x.records[doc].called {
			ws := x.analyzer.Words(nil, question)
			for _, name := range spellings(question, ws, x.analyzer.Terms(nil, ws, question)) {
				if docs := x.called[name]; !slices.Contains(docs, uint32(doc)) {
					x.called[name] = append(docs, uint32(doc))
				}
			}
		}
	}
}

// addAbout fills the table of documents about protocols: those whose names have that of the protocol.
func (x *Index) addAbout() error {
	x.about = make(map[uint32][]uint32)
	for doc := range x.records {
		if x.records[doc].Kind != KindProtocol {
			continue
		}
		name := x.records[doc].slug()
		ws := x.analyzer.Words(nil, name)
		var variants []text.Variant
		for _, t := range x.analyzer.Terms(nil, ws, name) {
			if t.First == 0 && t.Last == len(ws)-1 {
				variants = t.AppendVariants(variants)
			}
		}
		l, err := x.store.List(context.Background(), variants...)
		if err != nil {
			return err
		}
		for i, about := range l.Docs {
			fields := uint16(naming)
			if kind := x.records[about].Kind; kind == KindArticle || kind == KindDataset { // whose labels tell what they mention
				fields = 1 << postings.Title
			}
			if l.Fields[i]&fields != 0 {
				x.about[uint32(doc)] = append(x.about[uint32(doc)], about)
			}
		}
	}
	return nil
}

// documentsNamed returns the documents that a text names, also by the address of an entry's page.
func (x *Index) documentsNamed(s string) []uint32 {
	name := normalName(s)
	for _, name := range []string{name, strings.NewReplacer(" ", "-", ".", "-").Replace(name)} { // "OCPI 2.3.0" is ocpi-2-3-0
		if docs := x.searched(x.named[name]); len(docs) > 0 {
			return docs
		}
	}
	if id, ok := strings.CutPrefix(name, x.pages); ok {
		if docs := x.searched(x.named[id]); len(docs) > 0 && x.records[docs[0]].entry != nil {
			return docs[:1]
		}
	}
	return nil
}

// spellings returns the forms in which curated questions are compared: the whole, and the name that all its words are,
// however that is spelt.
func spellings(s string, ws []text.Word, ts []text.Term) []string {
	list := []string{normalName(strings.TrimSuffix(s, "?"))}
	for _, t := range ts {
		if t.First == 0 && t.Last == len(ws)-1 && !t.Target {
			list = append(list, t.Text)
		}
	}
	return list
}

// searched returns those of sorted documents that are searched, or nil.
func (x *Index) searched(docs []uint32) []uint32 {
	for len(docs) > 0 && int(docs[len(docs)-1]) >= x.count {
		docs = docs[:len(docs)-1]
	}
	return docs[:len(docs):len(docs)]
}

// normalName returns the form in which ids and addresses are compared: lower case, without scheme,
// www., fragment and final slash.
func normalName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "www."), "#")
	return strings.TrimSuffix(s, "/")
}
