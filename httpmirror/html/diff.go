package html

import (
	"bytes"
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

// maxDiffPairs bounds the work for a diff: where more pairs of words differ, all of them do.
const maxDiffPairs = 1 << 20

// wordDiff returns the parts of two texts. Unchanged parts are cut around the changes, and changed ones to limit
// characters; 0 cuts nothing.
func wordDiff(before, after string, limit int) []diffPart {
	a, b := diffWords.FindAllString(before, -1), diffWords.FindAllString(after, -1)
	same := func(i, j int) bool { return strings.TrimSpace(a[i]) == strings.TrimSpace(b[j]) }
	var signs []byte // of the words in words
	var words []string
	add := func(sign byte, list ...string) {
		signs, words = append(signs, bytes.Repeat([]byte{sign}, len(list))...), append(words, list...)
	}
	first := 0
	for first < min(len(a), len(b)) && same(first, first) {
		first++
	}
	m, n := len(a), len(b)
	for m > first && n > first && same(m-1, n-1) {
		m, n = m-1, n-1
	}
	add(' ', b[:first]...)
	i, j := first, first
	if (m-first)*(n-first) <= maxDiffPairs {
		width := n - first + 1
		common := make([]int32, (m-first+1)*width) // words that the texts have in common from i and j on
		at := func(i, j int) *int32 { return &common[(i-first)*width+j-first] }
		for i := m - 1; i >= first; i-- {
			for j := n - 1; j >= first; j-- {
				if *at(i, j) = max(*at(i+1, j), *at(i, j+1)); same(i, j) {
					*at(i, j) = *at(i+1, j+1) + 1
				}
			}
		}
		for i < m && j < n {
			switch {
			case same(i, j):
				add(' ', b[j])
				i, j = i+1, j+1
			case *at(i+1, j) >= *at(i, j+1):
				add('-', a[i])
				i++
			default:
				add('+', b[j])
				j++
			}
		}
	}
	add('-', a[i:m]...)
	add('+', b[j:n]...)
	add(' ', b[n:]...)
	return diffParts(signs, words, limit)
}

// diffContext is the number of unchanged words that a shortened diff has on each side of a change.
const diffContext = 8

// diffParts joins words of one sign, and shortens them as wordDiff says.
func diffParts(signs []byte, words []string, limit int) (parts []diffPart) {
	for i := 0; i < len(words); {
		end := i
		for end < len(words) && signs[end] == signs[i] {
			end++
		}
		text := strings.Join(words[i:end], "")
		switch runes := []rune(text); {
		case limit == 0:
		case signs[i] != ' ' && len(runes) > limit:
			text = string(runes[:limit]) + "…"
		case signs[i] == ' ' && end-i > 2*diffContext:
			head, tail := words[i:i+diffContext], words[end-diffContext:end]
			if i == 0 {
				head = nil
			}
			if end == len(words) {
				tail = nil
			}
			text = strings.Join(head, "") + "… " + strings.Join(tail, "")
		}
		parts, i = append(parts, diffPart{signs[i], text}), end
	}
	return parts
}
