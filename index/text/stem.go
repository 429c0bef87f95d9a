package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// stem returns the English stem (Porter 2) of a folded word. Names with digits and short words, most
// of them acronyms, are returned unchanged.
func stem(w string) string {
	if len(w) <= 3 || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return w
	}
	env := stemming.Get().(*snowballstem.Env)
	defer stemming.Put(env)
	env.SetCurrent(american(w))
	english.Stem(env)
	return env.Current()
}

var stemming = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

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

// englishWords holds the common English words of five letters and more, one on each line, sorted. It is
// made of the American and British lists of size "small" of SCOWL (Spell Checker Oriented Word
// Lists), Copyright 2000-2011 by Kevin Atkinson: "Permission to use, copy, modify, distribute and
// sell these word lists, the associated scripts, the output created from the scripts, and its
// documentation for any purpose is hereby granted without fee, provided that the above copyright
// notice appears in all copies and that both that copyright notice and this permission notice
// appear in supporting documentation. Kevin Atkinson makes no representations about the suitability
// of this array for any purpose. It is provided "as is" without express or implied warranty."
//
//go:embed english.txt
var englishWords string

// sortedWords has a string for each of englishWords.
var sortedWords = sync.OnceValue(func() []string { return strings.Fields(englishWords) })

// IsEnglish reports whether a folded word of at least five letters is common English. Such a word
// is not a typing error, even if no document has it.
func IsEnglish(word string) bool {
	_, ok := slices.BinarySearch(sortedWords(), word)
	return ok
}

// fold returns s in lower case, without accents and compatibility forms (NFKD), so that
// "Ｌ４０２" becomes l402 and "café" becomes cafe.
func fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) || isInvisible(r):
			return -1
		case r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// decode returns the first rune of a non-empty string and its width.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// inWord reports whether a rune is part of a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || isInvisible(r)
}

// isInvisible reports whether a rune takes no space: soft hyphens, zero-width spaces and joiners. They split no word.
func isInvisible(r rune) bool {
	return r == '\u00ad' || '\u200b' <= r && r <= '\u200d' || r == '\u2060' || r == '\ufeff'
}

func startsWord(s string) bool { r, _ := decode(s); return inWord(r) }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func isUpper(s string) bool { return strings.ToUpper(s) == s }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }) < 0
}

// HasDigit reports whether a word holds a decimal digit. Such words are names, which are neither
// stemmed nor corrected.
func HasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
