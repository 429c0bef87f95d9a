package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Nearest gives the words of a vocabulary that someone who wrote s may have meant, best first,
// n at most: those within a third of its length in edits, or that contain it.
func Nearest(s string, vocabulary []string, n int) []string {
	type candidate struct {
		word     string
		distance int
	}
	var found []candidate
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > 2*maxSlug {
		return nil
	}
	for _, w := range vocabulary {
		d := editDistance(s, w)
		if d <= max(1, len(s)/3) {
			found = append(found, candidate{w, d})
		} else if len(s) >= 3 && (strings.Contains(w, s) || strings.Contains(s, w)) {
			found = append(found, candidate{w, len(s) + d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.word, b.word))
	})
	words := make([]string, 0, n)
	for _, f := range found[:min(n, len(found))] {
		words = append(words, f.word)
	}
	return words
}

// didYouMean gives the nearest word as the end of a sentence, or nothing.
func didYouMean(s string, vocabulary []string) string {
	if near := Nearest(s, vocabulary, 1); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}

// editDistance counts the insertions, deletions, replacements and swaps of neighbours that make
// b of a.
func editDistance(a, b string) int {
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
