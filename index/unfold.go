package index

import (
	"strings"
	"unicode"
)

// maxParts bounds the parts of a word that is taken apart. What has more is no name: a hash, a key.
const maxParts = 4

// unfold puts spaces into the words of a query that no document has and that were plainly put
// together of several: "PaymentRequest", "ROS2".
func (x *Index) unfold(text string, ws []word, ts []term) string {
	var b strings.Builder
	at := 0
	for i, w := range ws {
		parts := x.parts(text[w.start:w.end])
		if parts == nil || x.knows(ts, i) {
			continue
		}
		b.WriteString(text[at:w.start] + strings.Join(parts, " "))
		at = w.end
	}
	if at == 0 {
		return text
	}
	return b.String() + text[at:]
}

// knows tells whether a document may have one of the terms of a word.
func (x *Index) knows(ts []term, word int) bool {
	for _, t := range ts {
		if t.first != word || t.last != word {
			continue
		}
		for _, v := range appendVariants(nil, t) {
			if x.store.known.has(v.term) {
				return true
			}
		}
	}
	return false
}

// parts takes a word apart where a small letter meets a capital, or a letter a digit. The number of
// a series stays with its name, since another number is another thing: bolt13 is not BOLT 12. A word
// of one part has none.
func (x *Index) parts(w string) []string {
	var parts []string
	start, last := 0, rune(0)
	for i, r := range w {
		cut := unicode.IsLower(last) && unicode.IsUpper(r) || isDigit(last) && unicode.IsLetter(r)
		if isDigit(r) && unicode.IsLetter(last) {
			_, series := x.analyzer.lexicon.series[strings.ToLower(w[start:i])]
			cut = !series
		}
		if cut {
			parts = append(parts, w[start:i])
			start = i
		}
		last = r
	}
	if parts == nil || len(parts) >= maxParts {
		return nil
	}
	return append(parts, w[start:])
}
