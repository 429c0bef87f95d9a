package text

import (
	"strings"
	"sync"
	"sync/atomic"
)

// maxMemo bounds the memory of a memo; it is more than an English vocabulary.
const maxMemo = 200_000

// A meaning is what the analyzer knows of a folded word.
type meaning struct {
	text, stem string
	stop       bool
	isSeries   bool     // it is the name of a series
	isName     bool     // it is a name of the lexicon by itself
	numbered   string   // the canonical spelling of a series word such as bip0021, or ""
	concepts   []member // names of the lexicon that begin with its stem
}

// A memo remembers the meanings of the first maxMemo words, until it is frozen.
type memo struct {
	frozen   atomic.Bool
	mu       sync.RWMutex
	meanings map[string]*meaning
}

// get returns what is remembered of a word, or nil.
func (m *memo) get(w string) *meaning {
	if m.frozen.Load() { // the map does not change any more
		return m.meanings[w]
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.meanings[w]
}

func (m *memo) put(n *meaning) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.meanings) < maxMemo && !m.frozen.Load() {
		m.meanings[n.text] = n
	}
}

// freeze ends the remembering, so that the words of queries take no memory.
func (m *memo) freeze() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frozen.Store(true)
}

// meaning returns what is known of a folded word.
func (a *Analyzer) meaning(w string) *meaning {
	if n := a.memo.get(w); n != nil {
		return n
	}
	n := &meaning{text: strings.Clone(w), stop: a.stop[w]}
	n.stem = stem(n.text)
	if a.lexicon == nil { // which is being read
		return n
	}
	if s, ok := a.lexicon.spelling[n.stem]; ok {
		n.stem = s
	}
	_, n.isSeries = a.lexicon.series[w]
	n.isName = a.lexicon.isName(n.stem)
	n.numbered, _ = a.lexicon.seriesWord(w)
	n.concepts = a.lexicon.concepts[n.stem]
	a.memo.put(n)
	return n
}
