package html

import (
	"regexp"
	"strings"
)

// diffLegend says how pages show a diff.
const diffLegend = "Removed words are struck through, added words are underlined."

// A diffPart is some words of two texts: of both, of the old one alone ('-'), or of the new one alone ('+').
type diffPart struct {
	Sign byte
	Text string
}

// diffWords divides a text, or compact JSON, into words.
var diffWords = regexp.MustCompile(`[^\s,]+,*\s*|,+\s*|\s+`)

// wordDiff returns the parts of two texts: the words before their first difference and after their last, and what is
// between.
func wordDiff(before, after string) (parts []diffPart) {
	a, b := diffWords.FindAllString(before, -1), diffWords.FindAllString(after, -1)
	same := func(i, j int) bool { return strings.TrimSpace(a[i]) == strings.TrimSpace(b[j]) }
	first := 0
	for first < min(len(a), len(b)) && same(first, first) {
		first++
	}
	m, n := len(a), len(b)
	for m > first && n > first && same(m-1, n-1) {
		m, n = m-1, n-1
	}
	add := func(sign byte, words []string) {
		if len(words) > 0 {
			parts = append(parts, diffPart{sign, strings.Join(words, "")})
		}
	}
	add(' ', b[:first])
	add('-', a[first:m])
	add('+', b[first:n])
	add(' ', b[n:])
	return parts
}
