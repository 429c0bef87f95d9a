package text

import "strings"

// The bounds of the memory of memos.
const (
	maxMemo   = 60_000 // words of a learner: more than an English vocabulary
	maxLearnt = 15_000 // of these, the ones that are worth keeping when everything is indexed
)

// A meaning is what the analyzer knows of a folded word.
type meaning struct {
	text, stem string
	stop       bool
	isSeries   bool     // it is the name of a series
	isName     bool     // it is a name of the lexicon by itself
	numbered   string   // the canonical spelling of a series word such as bip0021, or ""
	concepts   []member // names of the lexicon that begin with its stem
	number     uint32   // of the word among those that are remembered, from 1; 0 if it is not
}

// A memo remembers the meanings of the first maxMemo words. One that is written to belongs to one goroutine;
// the others are read by all.
type memo struct {
	writable bool
	meanings map[string]*meaning
}

// put remembers a meaning, and numbers it. Long numbers are not worth it: few texts share them.
func (m *memo) put(n *meaning) {
	const longNumber = 5
	if m.writable && len(m.meanings) < maxMemo && (len(n.text) < longNumber || !isNumber(n.text)) {
		n.number = uint32(len(m.meanings)) + 1
		m.meanings[n.text] = n
	}
}

// meaning returns what is known of a folded word.
func (a *Analyzer) meaning(w string) *meaning {
	if n := a.memo.meanings[w]; n != nil {
		return n
	}
	n := &meaning{text: strings.Clone(w), stop: a.stop[w]}
	n.stem = a.stem(n.text)
	if a.lexicon == nil { // which is being read
		return n
	}
	_, n.isSeries = a.lexicon.series[w]
	n.isName = a.lexicon.isName(n.stem)
	n.numbered, _ = a.lexicon.seriesWord(w)
	n.concepts = a.lexicon.concepts[n.stem]
	a.memo.put(n)
	return n
}
