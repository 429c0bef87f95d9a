package text

import (
	"strings"
	"sync"
)

// maxMemo bounds the words that an analyzer remembers: more than an English vocabulary.
const maxMemo = 60_000

// A meaning is the knowledge about a folded word.
type meaning struct {
	text, stem string
	stop       bool
	isSeries   bool     // it is the name of a series
	isName     bool     // it is a name of the lexicon by itself
	numbered   string   // the canonical spelling of a series word such as bip0021, or ""
	concepts   []member // names of the lexicon that begin with its stem
}

// A memo remembers the meanings of the first maxMemo words.
type memo struct {
	mu       sync.RWMutex
	meanings map[string]*meaning
	closed   bool
}

// meaning returns the meaning of a folded word.
func (a *Analyzer) meaning(w string) *meaning {
	a.memo.mu.RLock()
	n, closed := a.memo.meanings[w], a.memo.closed
	a.memo.mu.RUnlock()
	if n != nil {
		return n
	}
	n = &meaning{text: strings.Clone(w), stop: a.stop[w]}
	n.stem = a.stem(n.text)
	if a.lexicon == nil { // which is being read
		return n
	}
	_, n.isSeries = a.lexicon.series[w]
	n.isName = a.lexicon.isName(n.stem)
	n.numbered, _ = a.lexicon.seriesWord(w)
	n.concepts = a.lexicon.concepts[n.stem]
	const longNumber = 5 // few texts share long numbers
	if closed || len(n.text) >= longNumber && isNumber(n.text) {
		return n
	}
	a.memo.mu.Lock()
	defer a.memo.mu.Unlock()
	if len(a.memo.meanings) < maxMemo {
		a.memo.meanings[n.text] = n
	}
	return n
}

// Learn sets whether words that are met are remembered, as those of texts are, and those of queries are not.
func (a *Analyzer) Learn(learning bool) {
	a.memo.mu.Lock()
	defer a.memo.mu.Unlock()
	a.memo.closed = !learning
}
