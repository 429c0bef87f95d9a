package text

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
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
