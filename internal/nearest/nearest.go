// Package nearest finds the words of a vocabulary that somebody who misspelt one may have meant.
package nearest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxLength is the longest word, in bytes, that is compared: twice the longest id of the catalogue. It bounds the work
// that a caller can cause.
const maxLength = 160

// Words returns the words of a vocabulary that are nearest to s, best first and at most n: those within a third of its
// length in edits, and those that contain s or that s contains.
func Words(s string, vocabulary []string, n int) []string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > maxLength {
		return nil
	}
	distances := make(map[string]int)
	for _, word := range vocabulary {
		if d, ok := distance(s, word); ok {
			distances[word] = d
		}
	}
	words := slices.AppendSeq([]string{}, maps.Keys(distances))
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b))
	})
	return words[:min(n, len(words))]
}

// DidYouMean returns a question such as ` (did you mean "payments"?)` that names up to n nearest words of vocabulary,
// to be put at the end of a clause, or "" when none is near.
func DidYouMean(s string, vocabulary []string, n int) string {
	words := Words(s, vocabulary, n)
	if len(words) == 0 {
		return ""
	}
	for i, word := range words {
		words[i] = strconv.Quote(word)
	}
	last := len(words) - 1
	list := words[last]
	if last > 0 {
		list = strings.Join(words[:last], ", ") + " or " + list
	}
	return " (did you mean " + list + "?)"
}

// distance returns how far word is from s, and whether that is near enough. A word that contains s, or that s contains,
// comes after all that are a few edits away.
func distance(s, word string) (int, bool) {
	limit, gap := max(1, len(s)/3), max(len(s)-len(word), len(word)-len(s))
	if gap <= limit { // each edit changes the length by one at the most
		if d := edits(s, word); d <= limit {
			return d, true
		}
	}
	if len(s) >= 3 && word != "" && (strings.Contains(word, s) || strings.Contains(s, word)) {
		return len(s) + gap, true // gap is also the number of edits
	}
	return 0, false
}

// edits counts the insertions, deletions, replacements and swaps of neighbours that turn a into b: the optimal string
// alignment distance, in bytes. It computes the table of distances, three rows of it at a time.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
