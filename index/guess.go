package index

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// The bounds of guessing.
const (
	minPrefix      = 2    // letters of a word that is taken for the beginning of others
	maxCompletions = 24   // words a beginning stands for
	maxScanned     = 5000 // words of the dictionary looked at
	minTypo        = 5    // letters of a word that may hide a typo
	minTwoTypos    = 8    // letters of a word that may hide two
)

// completing gives the terms of the most frequent words that begin with s.
func (x *Index) completing(s string) ([]variant, error) {
	if utf8.RuneCountInString(s) < minPrefix {
		return nil, nil
	}
	dict, err := x.store.reader.FieldDictPrefix(fieldNames[fieldWords], []byte(s))
	if err != nil {
		return nil, fmt.Errorf("read dictionary from %q: %w", s, err)
	}
	defer dict.Close()
	var found []bleveindex.DictEntry
	for range maxScanned {
		e, err := dict.Next()
		if err != nil {
			return nil, fmt.Errorf("read dictionary from %q: %w", s, err)
		}
		if e == nil {
			break
		}
		found = append(found, *e)
	}
	slices.SortFunc(found, func(a, b bleveindex.DictEntry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Term, b.Term))
	})
	var variants []variant
	for _, e := range found[:min(len(found), maxCompletions)] {
		v := variant{x.analyzer.stem(e.Term), prefixWeight}
		if !slices.Contains(variants, v) {
			variants = append(variants, v)
		}
	}
	return variants, nil
}

// correction gives the word that s is most likely a misspelling of, or "". Names with digits are
// never taken for others: l403 is not L402.
func (x *Index) correction(b *bound, s string) (string, error) {
	letters := utf8.RuneCountInString(s)
	if letters < minTypo || slices.ContainsFunc([]rune(s), isDigit) {
		return "", nil
	}
	best, err := x.oneEditAway(b, s)
	if best != "" || err != nil || letters < minTwoTypos {
		return best, err
	}
	return x.twoEditsAway(b, s)
}

// oneEditAway gives the most frequent word that one edit makes of s: a letter left out, put in,
// replaced, or two swapped. It tries every edit against the words known, which costs a tenth of
// building Bleve's automaton.
func (x *Index) oneEditAway(b *bound, s string) (string, error) {
	var best mostFrequent
	for word := range edits(s) {
		if !x.store.words.hasBytes(word) {
			continue
		}
		if err := x.consider(b, &best, string(word)); err != nil {
			return "", err
		}
	}
	return best.word, nil
}

// edits gives every word that one edit makes of s. They share their memory.
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

// twoEditsAway gives the most frequent word within two edits of s. The first letter must be
// right, as most people get it: so Bleve need not search the whole dictionary.
func (x *Index) twoEditsAway(b *bound, s string) (string, error) {
	fuzzy, ok := x.store.reader.(bleveindex.IndexReaderFuzzy)
	if !ok {
		return "", fmt.Errorf("index reader %T cannot search its dictionary for misspellings", x.store.reader)
	}
	_, first := utf8.DecodeRuneInString(s)
	dict, err := fuzzy.FieldDictFuzzy(fieldNames[fieldWords], s, 2, s[:first])
	if err != nil {
		return "", fmt.Errorf("search dictionary near %q: %w", s, err)
	}
	defer dict.Close()
	var best mostFrequent
	for range maxScanned {
		e, err := dict.Next()
		if err != nil {
			return "", fmt.Errorf("search dictionary near %q: %w", s, err)
		}
		if e == nil {
			break
		}
		if err := x.consider(b, &best, e.Term); err != nil {
			return "", err
		}
	}
	return best.word, nil
}

// A mostFrequent is the word that most documents have.
type mostFrequent struct {
	word string
	docs uint64
}

// consider takes a word when more documents have it. Ties go to the first in the alphabet.
func (x *Index) consider(b *bound, best *mostFrequent, word string) error {
	if err := b.err(); err != nil {
		return err
	}
	r, err := x.store.reader.TermFieldReader(b.ctx, []byte(word), fieldNames[fieldWords], false, false, false)
	if err != nil {
		return fmt.Errorf("count postings of %q: %w", word, err)
	}
	if n := r.Count(); n > best.docs || n > 0 && n == best.docs && word < best.word {
		*best = mostFrequent{word, n}
	}
	return r.Close()
}
