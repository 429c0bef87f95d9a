package postings

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A wordCounter counts the documents that have each word as it is written.
type wordCounter map[string]wordCount

type wordCount struct{ docs, last uint32 } // last: the last document counted

func (c wordCounter) add(word string, doc uint32) {
	if n := c[word]; n.last != doc {
		c[word] = wordCount{n.docs + 1, doc}
	}
}

// A vocabulary is the words of all documents as they are written, sorted, with the number of documents
// that have each.
type vocabulary struct {
	words []string
	docs  []uint32
	bloom *bloom
}

// newVocabulary adds the counts of disjoint sets of documents up.
func newVocabulary(counters []wordCounter) *vocabulary {
	total := make(map[string]uint32)
	for _, c := range counters {
		for w, n := range c {
			total[w] += n.docs
		}
	}
	v := &vocabulary{words: make([]string, 0, len(total))}
	for w := range total {
		v.words = append(v.words, strings.Clone(w)) // which may be part of a longer text
	}
	slices.Sort(v.words)
	v.docs = make([]uint32, len(v.words))
	for i, w := range v.words {
		v.docs[i] = total[w]
	}
	v.addBloom()
	return v
}

func (v *vocabulary) addBloom() {
	v.bloom = newBloom(len(v.words))
	for _, w := range v.words {
		v.bloom.add(w)
	}
}

// count returns the number of documents that have a word.
func (v *vocabulary) count(word string) uint32 {
	if !v.bloom.has(word) {
		return 0
	}
	i, ok := slices.BinarySearch(v.words, word)
	if !ok {
		return 0
	}
	return v.docs[i]
}

// from returns the range of words that begin with a prefix.
func (v *vocabulary) from(prefix string) (first, end int) {
	first, _ = slices.BinarySearch(v.words, prefix)
	end = first
	for end < len(v.words) && strings.HasPrefix(v.words[end], prefix) {
		end++
	}
	return first, end
}

// write writes one line for each word.
func (v *vocabulary) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, word := range v.words {
		fmt.Fprintf(b, "%d %s\n", v.docs[i], word)
	}
	return b.Flush()
}

// readVocabulary reads what write wrote.
func readVocabulary(r io.Reader) (*vocabulary, error) {
	v := &vocabulary{}
	s := bufio.NewScanner(r)
	for s.Scan() {
		count, word, ok := strings.Cut(s.Text(), " ")
		n, err := strconv.ParseUint(count, 10, 32)
		if !ok || err != nil {
			return nil, fmt.Errorf("read vocabulary: line %d is %q", len(v.words)+1, s.Text())
		}
		v.words, v.docs = append(v.words, word), append(v.docs, uint32(n))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	v.addBloom()
	return v, nil
}
