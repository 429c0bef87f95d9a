package text

import (
	"maps"
	"slices"
	"strings"
)

// Rules are the language of the analyzer without its stemmer, for programs that analyse queries themselves.
type Rules struct {
	Stop     []string          `json:"stop"`     // words that are left out
	Filler   []string          `json:"filler"`   // words that only phrase a question
	Never    []string          `json:"never"`    // a=b: not misspellings of each other; c: of nothing
	Series   map[string]string `json:"series"`   // names that are written with a number, as which name
	Spelling map[string]string `json:"spelling"` // stems, as which stem
	English  map[string]string `json:"english"`  // words of other languages, as which English ones
	Asks     map[string]string `json:"asks"`     // phrases of questions, as which subject
	Concepts [][]string        `json:"concepts"` // the term, then the stems of a name for it, unless it is a target
}

// Rules returns the rules of the analyzer with the concepts that include accepts.
func (a *Analyzer) Rules(include func(term string) bool) Rules {
	r := Rules{
		Filler:  slices.Sorted(maps.Keys(a.lexicon.filler)),
		English: make(map[string]string), Asks: make(map[string]string), Series: a.lexicon.series,
		Never: []string{}, Concepts: [][]string{},
		Spelling: a.lexicon.spelling, Stop: slices.Sorted(maps.Keys(a.stop)),
	}
	for _, pair := range slices.Sorted(maps.Keys(a.lexicon.never)) {
		if x, y, ok := strings.Cut(pair, "="); !ok || x < y {
			r.Never = append(r.Never, pair)
		}
	}
	for word, english := range a.lexicon.english {
		if include(a.Stem(english)) {
			r.English[word] = english
		}
	}
	for first, asks := range a.lexicon.asks {
		for _, k := range asks {
			phrase := strings.Join(slices.Concat([]string{first}, k.rest), " ")
			r.Asks[phrase] = strings.TrimSpace(r.Asks[phrase] + " " + k.topic)
		}
	}
	for _, first := range slices.Sorted(maps.Keys(a.lexicon.concepts)) {
		for _, m := range a.lexicon.concepts[first] {
			if !m.target && (include(m.concept) || len(m.rest) == 0 && a.stop[first]) {
				r.Concepts = append(r.Concepts, slices.Concat([]string{m.concept, first}, m.rest))
			}
		}
	}
	return r
}

// English returns the common English words of five letters and more, one on each line, sorted. They are not typing
// errors, even if no document has them.
func English() string { return englishWords }
