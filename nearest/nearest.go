// Package nearest finds the words of a vocabulary that somebody who misspelt one may have meant.
package nearest

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// maxLength is the longest word, in bytes, that is compared: twice the longest id of the catalogue. It bounds the work
// that a caller can cause.
const maxLength = 160

// A Vocabulary is a list of words prepared for many comparisons.
type Vocabulary struct {
	word    func(int) string
	letters []letters // of each word
}

// NewVocabulary prepares words, which must not change afterwards.
func NewVocabulary(words []string) *Vocabulary {
	return NewVocabularyOf(len(words), func(i int) string { return words[i] })
}

// NewVocabularyOf prepares n words of another collection, which do not change afterwards.
func NewVocabularyOf(n int, word func(int) string) *Vocabulary {
	v := &Vocabulary{word, make([]letters, n)}
	for i := range n {
		v.letters[i] = lettersOf(word(i))
	}
	return v
}

// Words returns the words of v that are nearest to s, best first and at most n: those within a third of its length in
// edits, and those that contain s or that s contains.
func (v *Vocabulary) Words(s string, n int) []string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > maxLength {
		return nil
	}
	type candidate struct {
		word     string
		distance int
	}
	var found []candidate
	p := newPattern(s)
	for i, set := range v.letters {
		word := v.word(i)
		if d, ok := p.distance(word, set); ok {
			found = append(found, candidate{word, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.word, b.word))
	})
	words := make([]string, 0, n)
	for _, c := range found[:min(n, len(found))] {
		words = append(words, c.word)
	}
	return words
}

// Words is Vocabulary.Words for a vocabulary that is used once.
func Words(s string, vocabulary []string, n int) []string {
	return NewVocabulary(vocabulary).Words(s, n)
}

// DidYouMean returns a question such as ` (did you mean "payments"?)` that names up to n nearest words of vocabulary,
// to be put at the end of a clause, or "" when none is near.
func DidYouMean(s string, vocabulary []string, n int) string {
	return question(Words(s, vocabulary, n))
}

// DidYouMean is the function DidYouMean for v.
func (v *Vocabulary) DidYouMean(s string, n int) string { return question(v.Words(s, n)) }

func question(words []string) string {
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

// letters are the bytes that occur in a word, as a set in which two bytes may share a place.
type letters uint64

func lettersOf(word string) (set letters) {
	for i := range len(word) {
		set |= 1 << (word[i] & 63)
	}
	return set
}

// missing returns how many of the letters of set are not in other.
func (set letters) missing(other letters) int { return bits.OnesCount64(uint64(set &^ other)) }

// A pattern is a word prepared to be compared with many others.
type pattern struct {
	s       string
	letters letters
	limit   int // of the edits
	rows    [3][maxLength + maxLength/3 + 1]int
}

func newPattern(s string) *pattern {
	return &pattern{s: s, letters: lettersOf(s), limit: max(1, len(s)/3)}
}

// distance returns how far word is from p, and whether that is near enough. A word that contains p, or that p contains,
// comes after all that are a few edits away. Most words are told apart by their lengths and letters alone: each edit
// changes the length by one at the most, and takes away or adds one letter at the most.
func (p *pattern) distance(word string, set letters) (int, bool) {
	lost, added := p.letters.missing(set), set.missing(p.letters)
	gap := max(len(p.s)-len(word), len(word)-len(p.s))
	if gap <= p.limit && lost <= p.limit && added <= p.limit {
		if d := p.edits(word); d <= p.limit {
			return d, true
		}
	}
	contains := lost == 0 && strings.Contains(word, p.s) || added == 0 && strings.Contains(p.s, word)
	if len(p.s) >= 3 && word != "" && contains {
		return len(p.s) + gap, true // gap is also the number of edits
	}
	return 0, false
}

// edits counts the insertions, deletions, replacements and swaps of neighbours that turn p into word: the optimal
// string alignment distance, in bytes. It computes the table of distances, three rows of it at a time. word is at most
// p.limit longer than p.
func (p *pattern) edits(word string) int {
	a, b := p.s, word
	before, last, row := p.rows[0][:len(b)+1], p.rows[1][:len(b)+1], p.rows[2][:len(b)+1]
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
