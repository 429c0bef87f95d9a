package postings

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/index/text"
)

// The bounds of a search of the dictionary.
const (
	minPrefix      = 2    // letters of a word that is taken for the beginning of others
	maxCompletions = 24   // words that a beginning stands for
	maxScanned     = 5000 // words of the dictionary that are looked at
	minTypo        = 5    // letters of a word that may hide a typing error
	minTwoTypos    = 8    // letters of a word that may hide two
)

// HasWord reports whether a document has a word exactly as it is written.
func (s *Store) HasWord(word string) bool { return s.words.count(word) > 0 }

// MayBegin reports whether two words written together may begin, or be, a word of a document.
func (s *Store) MayBegin(a, b string) bool {
	first, end := s.words.from(a + b)
	return first < end
}

// Completions returns the most frequent words that begin with a prefix, each in the form in which
// texts have it.
func (s *Store) Completions(prefix string) []string {
	if utf8.RuneCountInString(prefix) < minPrefix || s.analyzer.IsCorrect(prefix) {
		return nil
	}
	v := &s.words
	first, end := v.from(prefix)
	found := make([]int, 0, 64)
	for i := first; i < min(end, first+maxScanned); i++ {
		if s.analyzer.MayMean(prefix, v.words[i]) {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(i, j int) int {
		return cmp.Or(cmp.Compare(v.docs[j], v.docs[i]), cmp.Compare(i, j))
	})
	var words []string
	for _, i := range found[:min(len(found), maxCompletions)] {
		words = append(words, v.words[i])
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
	best := s.oneEditAway(word)
	if best == "" && letters >= minTwoTypos {
		best = s.twoEditsAway(word)
	}
	return best
}

// oneEditAway returns the most frequent word that one edit makes of a word: a letter left out, put
// in, replaced, or two swapped. It tries every edit.
func (s *Store) oneEditAway(word string) string {
	var best frequent
	for edited := range edits(word) {
		if s.words.count(string(edited)) > 0 {
			s.consider(&best, word, string(edited))
		}
	}
	return best.word
}

// edits yields every word that one edit makes of s. They share their memory.
func edits(s string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		room := make([]byte, 0, len(s)+1)
		for i := 0; i <= len(s); i++ {
			if i < len(s) && !yield(append(append(room, s[:i]...), s[i+1:]...)) {
				return
			}
			if i+1 < len(s) && !yield(append(append(append(room, s[:i]...), s[i+1], s[i]), s[i+2:]...)) {
				return
			}
			for c := byte('a'); c <= 'z'; c++ {
				if i < len(s) && !yield(append(append(append(room, s[:i]...), c), s[i+1:]...)) {
					return
				}
				if !yield(append(append(append(room, s[:i]...), c), s[i:]...)) {
					return
				}
			}
		}
	}
}

// twoEditsAway returns the most frequent word within two edits of a word. The first letter must be
// right, as most people get it, so that only a part of the vocabulary is compared.
func (s *Store) twoEditsAway(word string) string {
	_, n := utf8.DecodeRuneInString(word)
	v := &s.words
	first, end := v.from(word[:n])
	var best frequent
	for _, other := range v.words[first:end] {
		if d := len(other) - len(word); d >= -2 && d <= 2 && withinEdits(word, other, 2) {
			s.consider(&best, word, other)
		}
	}
	return best.word
}

// withinEdits reports whether so many edits, or fewer, turn a into b. It compares the words up to their
// first difference, and then tries each edit there.
func withinEdits(a, b string, edits int) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if a == "" || b == "" {
		return len(a)+len(b) <= edits
	}
	if edits == 0 {
		return false
	}
	return withinEdits(a[1:], b[1:], edits-1) || withinEdits(a[1:], b, edits-1) || withinEdits(a, b[1:], edits-1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && withinEdits(a[2:], b[2:], edits-1)
}

// A vocabulary is the words of all passages as they are written, sorted, with the number of passages that have each.
type vocabulary struct {
	words  []string
	docs   []uint32
	counts map[string]uint32
}

func (v *vocabulary) add(word string, docs uint32) {
	word = strings.Clone(word)
	v.words, v.docs = append(v.words, word), append(v.docs, docs)
	v.counts[word] = docs
}

// count returns the number of passages that have a word.
func (v *vocabulary) count(word string) uint32 {
	return v.counts[word]
}

// from returns the range of words that begin with a prefix.
func (v *vocabulary) from(prefix string) (first, end int) {
	first, _ = slices.BinarySearch(v.words, prefix)
	for end = first; end < len(v.words) && strings.HasPrefix(v.words[end], prefix); end++ {
	}
	return first, end
}

// A frequent is the most frequent of the words considered so far.
type frequent struct {
	word string
	docs uint32
}

// consider replaces best if more documents have the other word, or as many and it comes first in the
// alphabet, unless the lexicon says that it is not meant.
func (s *Store) consider(best *frequent, word, other string) {
	n := s.words.count(other)
	if (n > best.docs || n > 0 && n == best.docs && other < best.word) && s.analyzer.MayMean(word, other) {
		*best = frequent{other, n}
	}
}
