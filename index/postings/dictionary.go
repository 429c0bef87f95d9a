package postings

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/index/text"
)

// The bounds of a search of the dictionary, in letters and words.
const (
	minPrefix      = 2    // letters of a word that is taken for the beginning of others
	maxCompletions = 24   // words that a beginning stands for
	maxScanned     = 5000 // words of the dictionary that are looked at
	minTypo        = 5    // letters of a word that may hide a typing error
	minTwoTypos    = 8    // letters of a word that may hide two
)

// HasWord reports whether a document has a word exactly as it is written, or a name any form of it.
func (s *Store) HasWord(word string) bool {
	if s.names != nil {
		return s.MayHave(s.analyzer.Stem(word))
	}
	return s.terms[word].docs > 0
}

// MayBegin reports whether two words written together may begin, or be, a word of a document.
func (s *Store) MayBegin(a, b string) bool {
	if s.names != nil {
		return len(s.namesFrom(a+b)) > 0
	}
	first, end := s.begunBy(a + b)
	return first < end
}

// IsFamily reports whether a document has a word of these letters and a number.
func (s *Store) IsFamily(letters string) bool {
	first, end := s.begunBy(letters)
	words := s.words[first:end]
	if s.names != nil {
		words = s.namesFrom(letters)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) > len(letters) && strings.Trim(w[len(letters):], "0123456789") == "" && s.HasInText(w)
	})
}

// Completions returns the most frequent words that begin with a prefix, each in the form in which
// texts have it.
func (s *Store) Completions(prefix string) []string {
	if utf8.RuneCountInString(prefix) < minPrefix || s.analyzer.IsCorrect(prefix) {
		return nil
	}
	first, end := s.begunBy(prefix)
	found := make([]int, 0, 64)
	for i := first; i < min(end, first+maxScanned); i++ {
		if s.analyzer.MayMean(prefix, s.words[i]) {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(i, j int) int {
		return cmp.Or(cmp.Compare(s.terms[s.words[j]].docs, s.terms[s.words[i]].docs), cmp.Compare(i, j))
	})
	var words []string
	for _, i := range found[:min(len(found), maxCompletions)] {
		words = append(words, s.words[i])
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
	first, end := s.begunBy(prefix)
	_, width := utf8.DecodeRuneInString(word)
	for _, w := range s.words[first:end] {
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

// begunBy returns the range of words that begin with a prefix.
func (s *Store) begunBy(prefix string) (first, end int) {
	first, _ = slices.BinarySearch(s.words, prefix)
	for end = first; end < len(s.words) && strings.HasPrefix(s.words[end], prefix); end++ {
	}
	return first, end
}
