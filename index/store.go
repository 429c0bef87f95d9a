package index

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A store is the Bleve index under an Index: postings and dictionaries, and nothing else. Its
// documents are numbered by Bleve; numbers lead back to the sources.
type store struct {
	index   bleveindex.Index
	reader  bleveindex.IndexReader
	queue   *bleveindex.AnalysisQueue
	lengths [scoredFields]float64 // mean length in words over the documents that have the field
	known   *known                // terms of the scored fields
	words   *known                // words as they are written
	rank    []uint32              // Bleve's number of a document -> its place among the sources
}

// A layout tells what lies in a directory beside Bleve's files.
type layout struct {
	Version int                   `json:"version"`
	Sources string                `json:"sources"` // hash of what was indexed
	Lengths [scoredFields]float64 `json:"lengths"`
}

// layoutVersion goes up with every change of analysis or fields.
const layoutVersion = 2

// openStore indexes the sources in memory, or, with a directory, on disk. What lies on disk is
// used again when it was made of the same sources and can be read.
func openStore(a *analyzer, sources []*source, hash, dir string) (*store, error) {
	if dir == "" {
		s := &store{}
		return s.opened(s.buildInMemory(a, sources), len(sources))
	}
	at := filepath.Join(dir, "index-"+hash[:16])
	s, err := openOnDisk(at, hash, len(sources))
	if err != nil { // it is not there yet, of another layout, or damaged
		if err := buildOnDisk(a, sources, hash, at); err != nil {
			return nil, err
		}
		s, err = openOnDisk(at, hash, len(sources))
	}
	if err == nil {
		remove(dir, "index-*", filepath.Base(at)) // those of other sources
	}
	return s, err
}

// opened reads what a store of n documents needs in memory, if there was no error before.
func (s *store) opened(err error, n int) (*store, error) {
	if err == nil {
		err = s.read()
	}
	if err == nil {
		err = s.number(n)
	}
	if err == nil {
		err = s.learn()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// buildInMemory puts everything into one batch, which makes one segment.
func (s *store) buildInMemory(a *analyzer, sources []*source) error {
	if err := s.open(map[string]any{"path": ""}); err != nil {
		return err
	}
	batch := bleveindex.NewBatch()
	var sum lengthSum
	for doc := range analysed(a, sources, &sum) {
		batch.Update(doc)
	}
	s.lengths = sum.means()
	if err := s.index.Batch(batch); err != nil {
		return fmt.Errorf("index documents: %w", err)
	}
	return nil
}

// openOnDisk opens a directory that buildOnDisk made of these sources.
func openOnDisk(dir, hash string, n int) (s *store, err error) {
	defer func() {
		if p := recover(); p != nil { // Bleve trusts what it reads
			s, err = nil, fmt.Errorf("open index: %v", p)
		}
	}()
	l, err := readLayout(dir)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	if l.Version != layoutVersion || l.Sources != hash {
		return nil, errors.New("open index: it was made of other sources")
	}
	s = &store{lengths: l.Lengths}
	return s.opened(s.open(map[string]any{"path": filepath.Join(dir, "store"), "read_only": true, "bolt_timeout": "5s"}), n)
}

// buildOnDisk builds the directory beside and moves it into place.
func buildOnDisk(a *analyzer, sources []*source, hash, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	remove(filepath.Dir(dir), "building-*", "") // what a killed program left
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	defer os.RemoveAll(tmp)
	b, err := scorch.NewBuilder(map[string]any{
		"path": filepath.Join(tmp, "store"), "buildPathPrefix": tmp, "batchSize": 20_000, "mergeMax": 64,
	})
	if err != nil {
		return fmt.Errorf("start index: %w", err)
	}
	var sum lengthSum
	for doc := range analysed(a, sources, &sum) {
		if err == nil {
			err = b.Index(doc)
		}
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := writeLayout(tmp, layout{layoutVersion, hash, sum.means()}); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove unusable index: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("move index into place: %w", err)
	}
	return nil
}

const layoutFile = "layout.json"

func readLayout(dir string) (l layout, err error) {
	data, err := os.ReadFile(filepath.Join(dir, layoutFile))
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(data, &l)
}

func writeLayout(dir string, l layout) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("describe index: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, layoutFile), data, 0o600)
}

// remove deletes what matches a pattern, but for one. Files that are still mapped by a running
// index stay readable until it closes.
func remove(dir, pattern, keep string) {
	old, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return
	}
	for _, name := range old {
		if name != keep {
			os.RemoveAll(filepath.Join(dir, name)) // what stays only takes room
		}
	}
}

func (s *store) open(config map[string]any) error {
	s.queue = bleveindex.NewAnalysisQueue(1)
	ix, err := scorch.NewScorch(scorch.Name, config, s.queue)
	if err != nil {
		return fmt.Errorf("start index: %w", err)
	}
	if err := ix.Open(); err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	s.index = ix
	return nil
}

func (s *store) read() (err error) {
	if s.reader, err = s.index.Reader(); err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	return nil
}

// number finds the source of each document Bleve has numbered.
func (s *store) number(n int) error {
	count, err := s.reader.DocCount()
	if err != nil {
		return fmt.Errorf("count documents: %w", err)
	}
	if count != uint64(n) {
		return fmt.Errorf("the index holds %d documents of %d", count, n)
	}
	s.rank = make([]uint32, n)
	for i := range s.rank {
		id, err := s.reader.ExternalID(bleveindex.NewIndexInternalID(nil, uint64(i)))
		if err != nil {
			return fmt.Errorf("number document %d: %w", i, err)
		}
		rank, err := strconv.Atoi(id)
		if err != nil || rank >= n {
			return fmt.Errorf("document %d is called %q", i, id)
		}
		s.rank[i] = uint32(rank)
	}
	return nil
}

func (s *store) close() error {
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	if s.index != nil {
		err = errors.Join(err, s.index.Close())
	}
	if s.queue != nil {
		s.queue.Close()
	}
	return err
}

// A lengthSum adds up the lengths of fields.
type lengthSum struct {
	mu    sync.Mutex
	words [scoredFields]int
	docs  [scoredFields]int
}

func (l *lengthSum) add(lengths [scoredFields]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for f, n := range lengths {
		if n > 0 {
			l.words[f] += n
			l.docs[f]++
		}
	}
}

func (l *lengthSum) means() (m [scoredFields]float64) {
	for f := range m {
		m[f] = float64(l.words[f]) / float64(max(l.docs[f], 1))
	}
	return m
}

// analysed analyses the sources on every core and hands the documents over as they are ready.
func analysed(a *analyzer, sources []*source, sum *lengthSum) func(yield func(*document.Document) bool) {
	return func(yield func(*document.Document) bool) {
		const chunk = 256
		jobs, done := make(chan int), make(chan []*document.Document, runtime.GOMAXPROCS(0))
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for at := range jobs {
					var docs []*document.Document
					for i := at; i < min(at+chunk, len(sources)); i++ {
						doc, lengths := a.analyse(strconv.Itoa(i), sources[i])
						sum.add(lengths)
						docs = append(docs, doc)
					}
					done <- docs
				}
			})
		}
		go func() {
			for at := 0; at < len(sources); at += chunk {
				jobs <- at
			}
			close(jobs)
			workers.Wait()
			close(done)
		}()
		for docs := range done {
			for _, doc := range docs {
				yield(doc) // every document is wanted
			}
		}
	}
}

// hashSources tells sources, and the lexicon they are analysed with, from any others.
func hashSources(sources []*source) string {
	h := sha256.New()
	h.Write([]byte(lexiconText))
	for _, s := range sources {
		for _, part := range []string{s.id, s.title, s.labels, s.text, string(s.date)} {
			fmt.Fprintf(h, "%d:%s", len(part), part)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
