package postings

import (
	"runtime"
	"strconv"
	"sync"

	"almanac/index/text"

	"github.com/blevesearch/bleve/v2/document"
)

// Documents are what an index is built of.
type Documents interface {
	Len() int
	Texts(i int) [Fields]string
	Hash() string // identifies the documents and everything their order depends on
}

// lengths sums the lengths of fields.
type lengths struct {
	mu    sync.Mutex
	words [Fields]int
	docs  [Fields]int
}

func (l *lengths) add(words [Fields]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for f, n := range words {
		if n > 0 {
			l.words[f] += n
			l.docs[f]++
		}
	}
}

// means returns the mean lengths over the documents that have the field.
func (l *lengths) means() (m [Fields]float64) {
	for f := range m {
		m[f] = float64(l.words[f]) / float64(max(l.docs[f], 1))
	}
	return m
}

// analysed analyses documents on every core and yields them as they are ready, whatever yield
// returns.
func analysed(a *text.Analyzer, docs Documents, sum *lengths) func(yield func(*document.Document) bool) {
	return func(yield func(*document.Document) bool) {
		const chunk = 256
		starts, done := make(chan int), make(chan []*document.Document, runtime.GOMAXPROCS(0))
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for start := range starts {
					var list []*document.Document
					for i := start; i < min(start+chunk, docs.Len()); i++ {
						doc, words := newDocument(a, strconv.Itoa(i), docs.Texts(i))
						sum.add(words)
						list = append(list, doc)
					}
					done <- list
				}
			})
		}
		go func() {
			for start := 0; start < docs.Len(); start += chunk {
				starts <- start
			}
			close(starts)
			workers.Wait()
			close(done)
		}()
		for list := range done {
			for _, doc := range list {
				yield(doc)
			}
		}
	}
}
