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

// diffContext is the number of unchanged words that a shortened diff has on each side of the change.
const diffContext = 8

// wordDiff returns the parts of two texts: the words before their first difference and after their last, and what is
// between. Unchanged parts are cut around the change, and changed ones to limit characters; 0 cuts nothing.
func wordDiff(before, after string, limit int) (parts []diffPart) {
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
	head, tail := strings.Join(b[:first], ""), strings.Join(b[n:], "")
	if limit > 0 && first > diffContext {
		head = "… " + strings.Join(b[first-diffContext:first], "")
	}
	if limit > 0 && len(b)-n > diffContext {
		tail = strings.Join(b[n:n+diffContext], "") + "…"
	}
	changed := func(words []string) string {
		text := strings.Join(words, "")
		if runes := []rune(text); limit > 0 && len(runes) > limit {
			return string(runes[:limit]) + "…"
		}
		return text
	}
	for _, p := range []diffPart{{' ', head}, {'-', changed(a[first:m])}, {'+', changed(b[first:n])}, {' ', tail}} {
		if p.Text != "" {
			parts = append(parts, p)
		}
	}
	return parts
}
