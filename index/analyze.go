package index

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// A word is one run of letters and digits in a text.
type word struct {
	text       string // folded: lower case, without accents
	stem       string // what is searched for
	start, end int    // bytes in the text
	stop       bool
}

// A term is something a text can be found by: a word, or something made of several.
type term struct {
	text        string
	first, last int  // the words it is made of
	extra       bool // not one of the text's own words, so it does not add to its length
	numbered    bool // a series name with its number
}

// An analyzer cuts texts into words and terms, the same way for documents and queries.
type analyzer struct {
	stop    analysis.TokenMap
	lexicon *lexicon

	mu    sync.RWMutex
	stems map[string]string // of the first maxStems words seen
}

// maxStems bounds the memory of stems; it is more than an English vocabulary.
const maxStems = 200_000

// joinMark begins the term of words that a hyphen, a dot or an underscore joins, so that
// "key-send" is found by keysend while a search for the two words does not count it twice.
const joinMark = "-"

// maxWord bounds a word in bytes; what is longer is cut.
const maxWord = 64

func newAnalyzer() (*analyzer, error) {
	a := &analyzer{stop: analysis.NewTokenMap(), stems: make(map[string]string)}
	if err := a.stop.LoadBytes(en.EnglishStopWords); err != nil {
		return nil, err
	}
	lexicon, err := newLexicon(lexiconText, func(s string) []string {
		var stems []string
		for _, w := range a.words(nil, s) {
			stems = append(stems, w.stem)
		}
		return stems
	})
	if err != nil {
		return nil, err
	}
	a.lexicon = lexicon
	return a, nil
}

// words cuts text into its words, appending to ws.
func (a *analyzer) words(ws []word, text string) []word {
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
		if w := a.word(text[start:i], ascii); w.text != "" {
			w.start, w.end = start, i
			w.stop = w.stop && !(a.lexicon.has(w.stem) && isCapitals(text[start:i])) // DID is a name, did is none
			ws = append(ws, w)
		}
	}
	return ws
}

func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

func isCapitals(s string) bool { return strings.ToUpper(s) == s }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func startsWord(s string) bool { r, _ := decode(s); return inWord(r) }

// word folds one word and finds its stem.
func (a *analyzer) word(s string, ascii bool) word {
	s = fold(s, ascii)
	if i := strings.IndexByte(s, '\''); i >= 0 {
		// The stop words of the list keep their apostrophe: don't, it's.
		if a.stop[s] {
			return word{text: strings.ReplaceAll(s, "'", ""), stem: s, stop: true}
		}
		s = strings.ReplaceAll(strings.TrimSuffix(s, "'s"), "'", "")
	}
	if len(s) > maxWord {
		s = strings.ToValidUTF8(s[:maxWord], "")
	}
	return word{text: s, stem: a.stem(s), stop: a.stop[s]}
}

// fold gives the lower case of s without accents and compatibility forms (NFKD), so that
// "Ｌ４０２" is l402 and "café" is cafe.
func fold(s string, ascii bool) string {
	if ascii {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// stem gives the English stem (Porter 2) of a word of plain letters. Names with digits and short
// words, most of them acronyms, stay as they are.
func (a *analyzer) stem(w string) string {
	if len(w) <= 3 || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return w
	}
	a.mu.RLock()
	s, ok := a.stems[w]
	a.mu.RUnlock()
	if ok {
		return s
	}
	env := snowballstem.NewEnv(american(w))
	english.Stem(env)
	s = env.Current()
	a.mu.Lock()
	if len(a.stems) < maxStems {
		a.stems[strings.Clone(w)] = s
	}
	a.mu.Unlock()
	return s
}

// american gives a word that ends in -ise or a form of it with -ize, which American texts and half
// of the British ones write. Words that are never written so, like promise, change too; they do in
// documents and queries alike.
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

// terms gives the terms of words that stand in text, in the order of their first words.
func (a *analyzer) terms(ts []term, ws []word, text string) []term {
	for i, w := range ws {
		if !w.stop {
			ts = append(ts, term{text: w.stem, first: i, last: i})
		}
		if s, ok := a.lexicon.seriesWord(w.text); ok && s != w.stem {
			ts = append(ts, term{text: s, first: i, last: i, extra: true})
		}
		if i+1 < len(ws) && isSeriesGap(text[w.end:ws[i+1].start]) {
			if s, ok := a.lexicon.joinSeries(w.text, ws[i+1].text); ok {
				ts = append(ts, term{text: s, first: i, last: i + 1, extra: true, numbered: true})
			}
		}
		if last := joinedWith(ws, i, text); last > i {
			ts = append(ts, term{text: joinMark + a.stem(join(ws[i:last+1])), first: i, last: last, extra: true})
		}
		for _, m := range a.lexicon.concepts[w.stem] {
			if last := i + len(m.rest); last < len(ws) && follows(ws[i+1:last+1], m.rest) && !(w.stop && last == i) {
				ts = append(ts, term{text: m.concept, first: i, last: last, extra: true})
			}
		}
	}
	return ts
}

// isSeriesGap tells whether a series name and its number may be this far apart: "BOLT #12".
func isSeriesGap(gap string) bool {
	switch gap {
	case " ", "-", "_", ".", "#", " #", "-#", "/", "\u00a0", "\u2011", " no. ", ": ":
		return true
	}
	return false
}

// joinedWith gives the last word of the compound that begins at word i, or i. A word in the
// middle of a compound begins none.
func joinedWith(ws []word, i int, text string) int {
	if i > 0 && isJoin(text[ws[i-1].end:ws[i].start]) {
		return i
	}
	last := i
	for last+1 < len(ws) && last-i < maxJoined && isJoin(text[ws[last].end:ws[last+1].start]) {
		last++
	}
	return last
}

const maxJoined = 4

func isJoin(gap string) bool { return gap == "-" || gap == "_" || gap == "." || gap == "\u2011" }

func join(ws []word) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(w.text)
	}
	return b.String()
}

func follows(ws []word, stems []string) bool {
	for i, s := range stems {
		if ws[i].stem != s {
			return false
		}
	}
	return true
}
