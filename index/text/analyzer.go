// Package text turns texts into the words and terms that they are searched by, in the same way
// for documents and for queries.
package text

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"strings"
	"sync/atomic"

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

// maxWord bounds a word in bytes; the rest of a longer one is ignored.
const maxWord = 64

// An Analyzer splits texts into words and terms. It is safe for concurrent use.
type Analyzer struct {
	Version string // identifies how texts are analysed

	stop     analysis.TokenMap
	lexicon  *lexicon
	meanings memo
}

// NewAnalyzer returns an analyzer for English, with the lines that a library adds to the lexicon.
func NewAnalyzer(lines string) (*Analyzer, error) {
	version := sha256.Sum256([]byte("3" + lexiconText + lines))
	a := &Analyzer{Version: hex.EncodeToString(version[:]), stop: analysis.NewTokenMap()}
	if err := a.stop.LoadBytes(en.EnglishStopWords); err != nil {
		return nil, err
	}
	lexicon, err := newLexicon(func(s string) []string {
		var stems []string
		for _, w := range a.Words(nil, s) {
			stems = append(stems, w.Stem)
		}
		return stems
	}, lexiconText, lines)
	if err != nil {
		return nil, err
	}
	a.lexicon = lexicon
	return a, nil
}

// Stem returns the stem of a folded word.
func (a *Analyzer) Stem(w string) string { return a.meaning(w).stem }

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
		start := i
		for i < len(text) {
			r, n = decode(text[i:])
			if !inWord(r) && !(isApostrophe(r) && i+n < len(text) && startsWord(text[i+n:])) {
				break
			}
			i += n
		}
		i += languageMark(text[start:i], text[i:])
		if w := a.word(text[start:i]); w.Text != "" {
			w.Start, w.End = start, i
			w.Stop = w.Stop && !(w.isName && isUpper(text[start:i])) // DID is a name, "did" is not
			ws = append(ws, w)
		}
	}
	return ws
}

// Translate puts English words in the place of words of other languages, unless isKnown reports that texts have them.
func (a *Analyzer) Translate(ws []Word, isKnown func(string) bool) {
	for i, w := range ws {
		if to, ok := a.lexicon.english[w.Text]; ok && !isKnown(w.Text) {
			ws[i] = a.word(to)
			ws[i].Start, ws[i].End = w.Start, w.End
		}
	}
}

// languageMark returns the length of the sign that belongs to the name before it: C++, C#, F#.
func languageMark(name, rest string) int {
	switch {
	case len(name) != 1:
	case strings.HasPrefix(rest, "++") && (name == "C" || name == "c"):
		return 2
	case strings.HasPrefix(rest, "#") && (len(rest) == 1 || !inWord(rune(rest[1]))):
		return 1
	}
	return 0
}

// personMark begins the term of a word of a person's name. It is not part of any word.
const personMark = "@"

// Person returns the term of a word of a person's name, which has no stem.
func Person(word string) string { return personMark + word }

// word folds and stems one word.
func (a *Analyzer) word(s string) Word {
	s = fold(s)
	if i := strings.IndexByte(s, '\''); i >= 0 {
		// Stop words with an apostrophe are in the list with it: don't, it's.
		if a.stop[s] {
			return Word{Text: strings.ReplaceAll(s, "'", ""), Stem: s, Stop: true, meaning: &meaning{}}
		}
		if i == 1 && (s[0] == 'l' || s[0] == 'd') { // an article of French or Italian
			s = s[2:]
		}
		s = strings.ReplaceAll(strings.TrimSuffix(s, "'s"), "'", "")
	}
	if len(s) > maxWord {
		s = strings.ToValidUTF8(s[:maxWord], "")
	}
	m := a.meaning(s)
	return Word{Text: m.text, Stem: m.stem, Stop: m.stop, meaning: m}
}

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
