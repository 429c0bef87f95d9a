package postings

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"go.almanac.example/index/text"
)

// The bounds of a search of the dictionary, in letters and words.
const (
	minPrefix      = 2    // letters of a word that is taken for the beginning of others
	maxCompletions = 24   // words that a beginning stands for
	maxScanned     = 5000 // words of the dictionary that are looked at
	minTypo        = 5    // letters of a word that may hide a typing error
	minTwoTypos    = 8    // letters of a word that may hide two
)

// HasWord reports whether a document has a word exactly as it is written.
func (s *Store) HasWord(word string) bool { return s.terms[word].docs > 0 }

// MayBegin reports whether two words written together may begin, or be, a word of a document.
func (s *Store) MayBegin(a, b string) bool {
	return len(begunBy(s.begun, a+b)) > 0
}

// IsFamily reports whether a document has a word of these letters and a number.
func (s *Store) IsFamily(letters string) bool {
	return slices.ContainsFunc(begunBy(s.begun, letters), func(w string) bool {
		return len(w) > len(letters) && strings.Trim(w[len(letters):], "0123456789") == "" && s.HasInText(w)
	})
}

// Completions returns the stems of the most frequent words that begin with a prefix, or the first names that do.
func (s *Store) Completions(prefix string) []string {
	if utf8.RuneCountInString(prefix) < minPrefix || !s.onlyNames && s.analyzer.IsCorrect(prefix) {
		return nil
	}
	words := begunBy(s.begun, prefix)
	words = slices.DeleteFunc(slices.Clone(words[:min(len(words), maxScanned)]), func(w string) bool {
		return !s.analyzer.MayMean(prefix, w)
	})
	if !s.onlyNames {
		slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(s.terms[b].docs, s.terms[a].docs) })
	}
	words = words[:min(len(words), maxCompletions)]
	if !s.onlyNames { // which are stems
		for i, w := range words {
			words[i] = s.analyzer.Stem(w)
		}
	}
	return words
}

// Correction returns the word that a word is most probably a misspelling of, or "". English words
// are not corrected, and neither are names with digits: l403 is not L402.
func (s *Store) Correction(word string) string {
	letters := utf8.RuneCountInString(word)
	if letters < minTypo || text.HasDigit(word) || s.analyzer.IsCorrect(word) {
		return ""
	}
	best := s.nearest(word, 1, "")
	if best == "" && letters >= minTwoTypos {
		_, n := utf8.DecodeRuneInString(word)
		best = s.nearest(word, 2, word[:n]) // most people get the first letter right
	}
	return best
}

// nearest returns the most frequent word that begins with a prefix and that so many edits make of a word: a letter left
// out, put in, replaced, or two swapped. It is "" if there is none.
func (s *Store) nearest(word string, edits int, prefix string) string {
	best, docs := "", uint32(0)
	_, width := utf8.DecodeRuneInString(word)
	for _, w := range begunBy(s.words, prefix) {
		if max(len(w)-len(word), len(word)-len(w)) > width*edits ||
			edits == 1 && w[0] != word[0] && w[len(w)-1] != word[len(word)-1] || !isWithin(w, word, edits) {
			continue
		}
		if n := s.terms[w].docs; n > docs && s.analyzer.MayMean(word, w) {
			best, docs = w, n
		}
	}
	return best
}

// isWithin reports whether so many edits make a of b.
func isWithin(a, b string, edits int) bool {
	if a == b || edits == 0 {
		return a == b
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	a, b = a[n:], b[n:]
	first, i := utf8.DecodeRuneInString(a)
	other, j := utf8.DecodeRuneInString(b)
	second, k := utf8.DecodeRuneInString(a[i:])
	last, l := utf8.DecodeRuneInString(b[j:])
	return isWithin(a[i:], b[j:], edits-1) || isWithin(a[i:], b, edits-1) || isWithin(a, b[j:], edits-1) ||
		first == last && second == other && k > 0 && l > 0 && isWithin(a[i+k:], b[j+l:], edits-1)
}

// A term is the place and the frequency of a term.
type term struct {
	fields uint16 // bit f is set when field f may have it
	docs   uint32 // how often it is written as it stands
}

// begunBy returns those of sorted words that begin with a prefix.
func begunBy(words []string, prefix string) []string {
	first, _ := slices.BinarySearch(words, prefix)
	words = words[first:]
	return words[:sort.Search(len(words), func(i int) bool { return !strings.HasPrefix(words[i], prefix) })]
}
