package text

import (
	"strings"
	"unicode"
)

// maxParts bounds the parts of a compound. A word with more is not a name but a hash or a key.
const maxParts = 4

// SplitCompounds returns the text of a query with spaces inside the words that are unknown and
// evidently written together: "PaymentRequest", "ROS2". known reports whether a document may have
// a term.
func (a *Analyzer) SplitCompounds(text string, ws []Word, ts []Term, known func(term string) bool) string {
	var b strings.Builder
	at := 0
	for i, w := range ws {
		parts := a.parts(text[w.Start:w.End])
		if parts == nil || anyKnown(ts, i, known) {
			continue
		}
		b.WriteString(text[at:w.Start] + strings.Join(parts, " "))
		at = w.End
	}
	if at == 0 {
		return text
	}
	return b.String() + text[at:]
}

// anyKnown reports whether one of the terms of a single word is known.
func anyKnown(ts []Term, word int, known func(string) bool) bool {
	for _, t := range ts {
		if t.First != word || t.Last != word {
			continue
		}
		for _, v := range t.AppendVariants(nil) {
			if known(v.Term) {
				return true
			}
		}
	}
	return false
}

// parts splits a word where a small letter meets a capital, or a letter a digit, or returns nil if
// it is one part. The number of a series stays with its name, since another number is another
// thing: bolt13 is not BOLT 12.
func (a *Analyzer) parts(w string) []string {
	if strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 {
		return nil
	}
	var parts []string
	start, last := 0, rune(0)
	for i, r := range w {
		cut := unicode.IsLower(last) && unicode.IsUpper(r) || isDigit(last) && unicode.IsLetter(r)
		if isDigit(r) && unicode.IsLetter(last) {
			_, series := a.lexicon.series[strings.ToLower(w[start:i])]
			cut = !series
		}
		if cut {
			parts = append(parts, w[start:i])
			start = i
		}
		last = r
	}
	if parts == nil || len(parts) >= maxParts || strings.HasPrefix(w, "0x") { // 0x begins a contract
		return nil
	}
	return append(parts, w[start:])
}
