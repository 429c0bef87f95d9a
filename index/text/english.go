package text

import (
	_ "embed"
	"sort"
	"strings"
)

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

// IsEnglish reports whether a folded word of at least five letters is common English. Such a word
// is not a typing error, even if no document has it.
func IsEnglish(word string) bool {
	// The search is by bytes: at is somewhere in a line, whose start is found backwards.
	at := sort.Search(len(englishWords), func(i int) bool { return lineAt(i) >= word })
	return at < len(englishWords) && lineAt(at) == word
}

// lineAt returns the line around a byte of englishWords.
func lineAt(i int) string {
	start := strings.LastIndexByte(englishWords[:i], '\n') + 1
	length := strings.IndexByte(englishWords[start:], '\n')
	return englishWords[start : start+length]
}
