package postings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"almanac/index/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
	segmentapi "github.com/blevesearch/scorch_segment_api/v2"
)

// Documents are what an index is built of, in the order of their numbers.
type Documents interface {
	Len() int
	Texts(i int) [Fields]string
	Hash() string // identifies the documents, their order, and what they are analysed with
}

// batches are documents that are handed out in parts, in the order of their numbers.
type batches interface {
	Len() int
	Hash() string
	batch(from, to int) (texts func(i int) [Fields]string, err error) // of the documents from one to another
	streamed() bool                                                   // whether this process does nothing but build an index of them
}

// held are documents that are all at hand.
type held struct{ Documents }

func (h held) batch(int, int) (func(i int) [Fields]string, error) { return h.Texts, nil }
func (h held) streamed() bool                                     { return false }

// The bounds of the number of documents in a segment. More and larger segments take more memory while
// they are built, and more segments take longer to read.
const (
	minSegment = 2_048
	maxSegment = 65_536
	segments   = 32 // that many documents are divided among, within those bounds
)

// collectFrom is the number of documents from which the memory of building segments is collected after every
// second. Left to itself, the collector lets it grow until it is as large as all that is kept. A process that does nothing but build
// keeps nothing else.
const collectFrom = 50_000

// A builder builds segments of documents, one after the other. It is used by one goroutine.
type builder struct {
	analyzer   *text.Analyzer
	docs       uint32
	lengths    *lengths
	vocabulary *wordCounter
	shown      *shownFields
	room       tokenRoom
	documents  []bleveindex.Document // of the segment
	words      []text.Word
	terms      []text.Term
	stops      []string
}

// A built index is its segments with what is kept beside them.
type built struct {
	segments   []*segment
	lengths    *lengths
	vocabulary *vocabulary
}

// build indexes documents on every core: in memory, or into files of a directory.
func build(a *text.Analyzer, docs batches, dir string) (*built, error) {
	size := min(max(docs.Len()/segments, minSegment), maxSegment)
	n := (docs.Len() + size - 1) / size
	out := &built{segments: make([]*segment, n), lengths: newLengths(docs.Len())}
	errs := make([]error, n)
	collect := docs.Len() >= collectFrom && !docs.streamed()
	next := make(chan batch)
	builders := make([]*builder, min(n, runtime.GOMAXPROCS(0)))
	var workers sync.WaitGroup
	for i := range builders {
		b := &builder{analyzer: a.Learner(), lengths: out.lengths, vocabulary: newWordCounter(), shown: newShownFields()}
		builders[i] = b
		workers.Go(func() {
			for at := range next {
				out.segments[at.segment], errs[at.segment] = b.segment(at, segmentFile(dir, at.segment))
				if collect && at.segment%2 == 1 {
					runtime.GC()
				}
			}
		})
	}
	for k := range n {
		at := batch{segment: k, from: k * size, to: min((k+1)*size, docs.Len())}
		if at.texts, errs[k] = docs.batch(at.from, at.to); errs[k] != nil {
			break
		}
		next <- at
	}
	close(next)
	workers.Wait()
	if err := cmp.Or(errs...); err != nil {
		closeSegments(out.segments)
		return nil, err
	}
	var counters []*wordCounter
	for _, b := range builders {
		a.Learn(b.analyzer)
		counters = append(counters, b.vocabulary)
		*b = builder{}
	}
	out.vocabulary = newVocabulary(counters)
	if collect {
		clear(counters)
		runtime.GC() // twice, to empty Bleve's pools
		debug.FreeOSMemory()
	}
	return out, nil
}

// segmentFile returns the file of a segment, or "" without a directory.
func segmentFile(dir string, k int) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, fmt.Sprintf("%03d.zap", k))
}

// A batch is the documents of a segment.
type batch struct {
	segment, from, to int
	texts             func(i int) [Fields]string
}

// segment indexes a batch.
func (b *builder) segment(at batch, file string) (*segment, error) {
	b.documents, b.room = b.documents[:0], tokenRoom{b.room.terms[:0], b.room.freqs[:0]}
	for i := at.from; i < at.to; i++ {
		b.documents = append(b.documents, &zapDocument{b.newDocument(i, at.texts(i)), b.shown})
	}
	s, _, err := zap.New(b.documents)
	if err != nil {
		return nil, fmt.Errorf("index documents %d to %d: %w", at.from, at.to, err)
	}
	if file != "" {
		if err := s.(segmentapi.UnpersistedSegment).Persist(file); err != nil {
			return nil, fmt.Errorf("write index: %w", err)
		}
		if s, err = zap.Open(file); err != nil {
			return nil, fmt.Errorf("open index: %w", err)
		}
	}
	return &segment{Segment: s, base: uint32(at.from)}, nil
}

func closeSegments(list []*segment) (err error) {
	for _, s := range list {
		if s == nil {
			continue
		}
		if closed := s.Close(); err == nil {
			err = closed
		}
	}
	return err
}
