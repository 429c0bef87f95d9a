// Package text turns texts into the words and terms that they are searched by, in the same way
// for documents and for queries.
package text

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
)

// A Word is a run of letters and digits in a text.
type Word struct {
	Text       string // folded: lower case, without accents
	Stem       string
	Start, End int // bytes in the text
	Stop       bool

	*meaning
}

// Number returns the number of the word among those that a learner remembers, from 1, or 0.
func (w *Word) Number() uint32 { return w.number }

// Number returns the number of a folded word among those that a learner remembers, from now on if it can, or 0.
func (a *Analyzer) Number(w string) uint32 { return a.meaning(w).number }

// maxWord bounds a word in bytes; the rest of a longer one is ignored.
const maxWord = 64

// An Analyzer splits texts into words and terms. It is safe for concurrent use, unless it is a learner.
type Analyzer struct {
	stop    analysis.TokenMap
	lexicon *lexicon
	memo    memo
}

// NewAnalyzer returns an analyzer for English with the lexicon of the field.
func NewAnalyzer() (*Analyzer, error) {
	a := &Analyzer{stop: analysis.NewTokenMap(), memo: memo{meanings: make(map[string]*meaning)}}
	if err := a.stop.LoadBytes(en.EnglishStopWords); err != nil {
		return nil, err
	}
	lexicon, err := newLexicon(Lexicon, func(s string) []string {
		var stems []string
		for _, w := range a.Words(nil, s) {
			stems = append(stems, w.Stem)
		}
		return stems
	})
	if err != nil {
		return nil, err
	}
	a.lexicon = lexicon
	return a, nil
}

// Learner returns an analyzer that remembers the words it meets, for one goroutine.
func (a *Analyzer) Learner() *Analyzer {
	return &Analyzer{stop: a.stop, lexicon: a.lexicon, memo: memo{writable: true, meanings: make(map[string]*meaning)}}
}

// Learn makes the analyzer remember the words that learners have met first, which are the frequent ones. It must not be in use meanwhile.
func (a *Analyzer) Learn(learners ...*Analyzer) {
	for _, l := range learners {
		for w, n := range l.memo.meanings {
			if n.number <= maxLearnt {
				a.memo.meanings[w] = n
			}
		}
	}
}

// Stem returns the stem of a folded word.
func (a *Analyzer) Stem(w string) string {
	if HasDigit(w) { // a name, which has nothing to remember
		return a.stem(w)
	}
	return a.meaning(w).stem
}

// stem is Stem for a word that is not remembered.
func (a *Analyzer) stem(w string) string {
	s := stem(w)
	if a.lexicon != nil { // which is nil while it is being read
		if other, ok := a.lexicon.spelling[s]; ok {
			return other
		}
	}
	return s
}

// IsFiller reports whether a word only phrases a question, so that documents need not have it.
func (a *Analyzer) IsFiller(w Word) bool { return a.lexicon.filler[w.Text] }

// IsCorrect reports whether a word is spelt correctly, even if no document has it.
func (a *Analyzer) IsCorrect(word string) bool { return a.lexicon.never[word] || IsEnglish(word) }

// MayMean reports whether a word may be a misspelling or the beginning of another.
func (a *Analyzer) MayMean(word, other string) bool { return !a.lexicon.never[word+"="+other] }

// Words appends the words of a text to ws.
func (a *Analyzer) Words(ws []Word, text string) []Word {
	for i := 0; i < len(text); {
		r, n := decode(text[i:])
		if !inWord(r) {
			i += n
			continue
		}
		start, ascii := i, r < utf8.RuneSelf
		for i < len(text) {
			r, n = decode(text[i:])
			if !inWord(r) && !(isApostrophe(r) && i+n < len(text) && startsWord(text[i+n:])) {
				break
			}
			ascii = ascii && r < utf8.RuneSelf
			i += n
		}
		if w := a.word(text[start:i], ascii); w.Text != "" {
			w.Start, w.End = start, i
			w.Stop = w.Stop && !(w.isName && isUpper(text[start:i])) // DID is a name, "did" is not
			ws = append(ws, w)
		}
	}
	return ws
}

// word folds and stems one word.
func (a *Analyzer) word(s string, ascii bool) Word {
	s = fold(s, ascii)
	if i := strings.IndexByte(s, '\''); i >= 0 {
		// Stop words with an apostrophe are in the list with it: don't, it's.
		if a.stop[s] {
			return Word{Text: strings.ReplaceAll(s, "'", ""), Stem: s, Stop: true, meaning: &meaning{}}
		}
		s = strings.ReplaceAll(strings.TrimSuffix(s, "'s"), "'", "")
	}
	if len(s) > maxWord {
		s = strings.ToValidUTF8(s[:maxWord], "")
	}
	m := a.meaning(s)
	return Word{Text: m.text, Stem: m.stem, Stop: m.stop, meaning: m}
}
