package text

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// maxStems bounds the memory of a stemmer; it is more than an English vocabulary.
const maxStems = 200_000

// A stemmer reduces words to their English stems (Porter 2) and remembers the first maxStems of
// them. It is safe for concurrent use.
type stemmer struct {
	mu    sync.RWMutex
	stems map[string]string
}

func newStemmer() *stemmer { return &stemmer{stems: make(map[string]string)} }

// stem returns the stem of a folded word. Names with digits and short words, most of them
// acronyms, are returned unchanged.
func (s *stemmer) stem(w string) string {
	if len(w) <= 3 || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return w
	}
	s.mu.RLock()
	stem, ok := s.stems[w]
	s.mu.RUnlock()
	if ok {
		return stem
	}
	env := snowballstem.NewEnv(american(w))
	english.Stem(env)
	stem = env.Current()
	s.mu.Lock()
	if len(s.stems) < maxStems {
		s.stems[strings.Clone(w)] = stem
	}
	s.mu.Unlock()
	return stem
}

// american spells words that end in -ise, or in a form of it, with -ize, as American texts and half
// of the British ones do. Words that are never spelt so, like promise, change too; documents and
// queries change alike.
func american(w string) string {
	const least = 4 // letters before the ending
	at := strings.LastIndex(w, "is")
	if at < least || strings.IndexByte("dglmnrt", w[at-1]) < 0 { // precise and revise have their own families
		return w
	}
	switch w[at+2:] {
	case "e", "ed", "er", "ers", "es", "ing", "able", "ation", "ations":
		return w[:at] + "iz" + w[at+2:]
	}
	return w
}
