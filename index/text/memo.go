package text

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// A memo has the meanings of words met lately, each in the place of its hash: most of those of a library.
type memo [1 << 14]atomic.Pointer[meaning]

var memoSeed = maphash.MakeSeed()

// A meaning is the knowledge about a folded word.
type meaning struct {
	text, stem string
	stop       bool
	isSeries   bool     // it is the name of a series
	isName     bool     // it is a name of the lexicon by itself
	numbered   string   // the canonical spelling of a series word such as bip0021, or ""
	concepts   []member // names of the lexicon that begin with its stem
}

// meaning returns the meaning of a folded word.
func (a *Analyzer) meaning(w string) *meaning {
	place := &a.meanings[maphash.String(memoSeed, w)%uint64(len(a.meanings))]
	if n := place.Load(); n != nil && n.text == w {
		return n
	}
	n := &meaning{text: strings.Clone(w), stop: a.stop[w]}
	n.stem = a.stem(n.text)
	if a.lexicon == nil { // which is being read
		return n
	}
	_, n.isSeries = a.lexicon.series[w]
	n.isName = a.lexicon.isName(n.stem)
	n.numbered = a.lexicon.seriesWord(w)
	n.concepts = a.lexicon.concepts[n.stem]
	place.Store(n)
	return n
}
