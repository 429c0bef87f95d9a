package text

import (
	"slices"
	"strings"
	"unicode"
)

// An ask is the rest of a phrase of a question, with the subject of the passages that answer it.
type ask struct {
	rest  []string
	topic string
}

// Topics are a set of subjects that a lexicon asks for.
type Topics uint64

// Topic returns the set of one subject, which is empty if nothing asks for it.
func (a *Analyzer) Topic(name string) Topics { return a.lexicon.topics[name] }

// Asked returns the subjects that the words of a query ask for, and the numbers of the words that say so, which passages of
// these subjects need not have. Of phrases that overlap, the first and longest asks: status code, and not status.
func (a *Analyzer) Asked(ws []Word) (topics Topics, words []int) {
	for i := 0; i < len(ws); {
		next, asked := i+1, Topics(0)
		for _, k := range a.lexicon.asks[ws[i].Text] {
			end := i + 1 + len(k.rest)
			if end < next || end > len(ws) || !slices.EqualFunc(ws[i+1:end], k.rest, func(w Word, s string) bool { return w.Text == s }) ||
				end == i+1 && end < len(ws) && isNumber(ws[end].Text) { // status 402 is a name
				continue
			}
			if end > next {
				next, asked = end, 0
			}
			asked |= a.lexicon.topics[k.topic]
		}
		for n := i; n < next && asked != 0; n++ {
			words = append(words, n)
		}
		topics, i = topics|asked, next
	}
	return topics, words
}

// IsSeries reports whether names are written with a number after these letters.
func (a *Analyzer) IsSeries(letters string) bool { return a.lexicon.series[letters] != "" }

// maxParts bounds the parts of a compound. A word with more is not a name but a hash or a key.
const maxParts = 4

// SplitCompounds returns the text of a query with spaces inside the words that are unknown and
// evidently written together: "PaymentRequest", "ROS2". known reports whether a document may have
// a term.
func (a *Analyzer) SplitCompounds(
	text string, ws []Word, ts []Term, known func(term string) bool, isFamily func(letters string) bool,
) string {
	var b strings.Builder
	at := 0
	for i, w := range ws {
		parts := a.parts(text[w.Start:w.End], isFamily)
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
func (a *Analyzer) parts(w string, isFamily func(string) bool) []string {
	if strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 {
		return nil
	}
	var parts []string
	start, last := 0, rune(0)
	for i, r := range w {
		cut := unicode.IsLower(last) && unicode.IsUpper(r) || isDigit(last) && unicode.IsLetter(r)
		if isDigit(r) && unicode.IsLetter(last) {
			letters := strings.ToLower(w[start:i])
			cut = !a.IsSeries(letters) && !isFamily(letters)
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
