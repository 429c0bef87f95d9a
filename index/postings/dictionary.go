package postings

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"almanac/index/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
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
func (s *Store) HasWord(d *Deadline, word string) (bool, error) {
	if !s.words.has(word) {
		return false, nil
	}
	var best frequent
	err := s.consider(d, &best, word)
	return best.docs > 0, err
}

// Completions returns the most frequent words that begin with a prefix, each in the form in which
// texts have it.
func (s *Store) Completions(prefix string) ([]string, error) {
	if utf8.RuneCountInString(prefix) < minPrefix || s.analyzer.IsCorrect(prefix) {
		return nil, nil
	}
	dict, err := s.segment.reader.FieldDictPrefix(fieldNames[fieldWords], []byte(prefix))
	if err != nil {
		return nil, fmt.Errorf("read dictionary from %q: %w", prefix, err)
	}
	defer dict.Close()
	var found []bleveindex.DictEntry
	for range maxScanned {
		e, err := dict.Next()
		if err != nil {
			return nil, fmt.Errorf("read dictionary from %q: %w", prefix, err)
		}
		if e == nil {
			break
		}
		found = append(found, *e)
	}
	slices.SortFunc(found, func(a, b bleveindex.DictEntry) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Term, b.Term))
	})
	var words []string
	for _, e := range found[:min(len(found), maxCompletions)] {
		if s.analyzer.MayBe(prefix, e.Term) {
			words = append(words, e.Term)
		}
	}
	return words, nil
}

// Correction returns the word that a word is most probably a misspelling of, or "". English words
// are not corrected, and neither are names with digits: l403 is not L402.
func (s *Store) Correction(d *Deadline, word string) (string, error) {
	letters := utf8.RuneCountInString(word)
	if letters < minTypo || text.HasDigit(word) || s.analyzer.IsCorrect(word) {
		return "", nil
	}
	best, err := s.oneEditAway(d, word)
	if best != "" || err != nil || letters < minTwoTypos {
		return best, err
	}
	return s.twoEditsAway(d, word)
}

// oneEditAway returns the most frequent word that one edit makes of a word: a letter left out, put
// in, replaced, or two swapped. It tries every edit on the Bloom filter of words, which costs a
// tenth of building Bleve's automaton.
func (s *Store) oneEditAway(d *Deadline, word string) (string, error) {
	var best frequent
	for edited := range edits(word) {
		if !s.words.hasBytes(edited) {
			continue
		}
		if !s.analyzer.MayBe(word, string(edited)) {
			continue
		}
		if err := s.consider(d, &best, string(edited)); err != nil {
			return "", err
		}
	}
	return best.word, nil
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
// right, as most people get it, so that Bleve need not search the whole dictionary.
func (s *Store) twoEditsAway(d *Deadline, word string) (string, error) {
	fuzzy, ok := s.segment.reader.(bleveindex.IndexReaderFuzzy)
	if !ok {
		return "", fmt.Errorf("index reader %T cannot search its dictionary for misspellings", s.segment.reader)
	}
	_, first := utf8.DecodeRuneInString(word)
	dict, err := fuzzy.FieldDictFuzzy(fieldNames[fieldWords], word, 2, word[:first])
	if err != nil {
		return "", fmt.Errorf("search dictionary near %q: %w", word, err)
	}
	defer dict.Close()
	var best frequent
	for range maxScanned {
		e, err := dict.Next()
		if err != nil {
			return "", fmt.Errorf("search dictionary near %q: %w", word, err)
		}
		if e == nil {
			break
		}
		if !s.analyzer.MayBe(word, e.Term) {
			continue
		}
		if err := s.consider(d, &best, e.Term); err != nil {
			return "", err
		}
	}
	return best.word, nil
}

// A frequent is the most frequent of the words considered so far.
type frequent struct {
	word string
	docs uint64
}

// consider replaces best if more documents have a word, or as many and the word comes first in the
// alphabet.
func (s *Store) consider(d *Deadline, best *frequent, word string) error {
	if err := d.Err(); err != nil {
		return err
	}
	r, err := s.segment.reader.TermFieldReader(d.Ctx, []byte(word), fieldNames[fieldWords], false, false, false)
	if err != nil {
		return fmt.Errorf("count postings of %q: %w", word, err)
	}
	if n := r.Count(); n > best.docs || n > 0 && n == best.docs && word < best.word {
		*best = frequent{word, n}
	}
	return r.Close()
}
