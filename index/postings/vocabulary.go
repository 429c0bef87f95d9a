package postings

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A wordCounter counts the documents that have each word as it is written.
type wordCounter struct {
	known  []knownCount         // by the number of the word
	others map[string]wordCount // words without a number
}

type wordCount struct{ docs, last uint32 } // last: the last document counted

type knownCount struct {
	wordCount
	word string
}

func newWordCounter() *wordCounter { return &wordCounter{others: make(map[string]wordCount)} }

// add counts a word of a document, which has a number or 0.
func (c *wordCounter) add(word string, number, doc uint32) {
	if number == 0 {
		if n := c.others[word]; n.last != doc {
			c.others[word] = wordCount{n.docs + 1, doc}
		}
		return
	}
	if n := int(number) + 1; n > len(c.known) {
		c.known = slices.Grow(c.known, n-len(c.known))[:n]
	}
	if k := &c.known[number]; k.last != doc {
		*k = knownCount{wordCount{k.docs + 1, doc}, word}
	}
}

// A vocabulary is the words of all documents as they are written, sorted, with the number of documents
// that have each.
type vocabulary struct {
	words []string
	docs  []uint32
	seed  maphash.Seed
	table []uint64 // a hash table with open addressing: half of the hash, and the index of the word plus one
}

// newVocabulary adds the counts of disjoint sets of documents up.
func newVocabulary(counters []*wordCounter) *vocabulary {
	total := make(map[string]uint32)
	for _, c := range counters {
		for w, n := range c.others {
			total[w] += n.docs
		}
		for _, k := range c.known {
			if k.docs > 0 {
				total[k.word] += k.docs
			}
		}
	}
	v := &vocabulary{words: make([]string, 0, len(total))}
	for w := range total {
		v.words = append(v.words, w)
	}
	slices.Sort(v.words)
	v.docs = make([]uint32, len(v.words))
	for i, w := range v.words {
		v.docs[i] = total[w]
	}
	v.addTable()
	return v
}

// addTable makes the hash table, which is at most half full, and puts the words into memory of their own: all of them into one piece.
func (v *vocabulary) addTable() {
	all := strings.Join(v.words, "")
	for i, w := range v.words {
		v.words[i], all = all[:len(w)], all[len(w):]
	}
	v.seed = maphash.MakeSeed()
	v.table = make([]uint64, 1<<bits.Len(uint(2*len(v.words))))
	for i, w := range v.words {
		hash := maphash.String(v.seed, w)
		at := v.slot(hash)
		for ; v.table[at] != 0; at = v.slot(at + 1) {
		}
		v.table[at] = hash&^math.MaxUint32 | uint64(i+1)
	}
}

func (v *vocabulary) slot(hash uint64) uint64 { return hash & uint64(len(v.table)-1) }

// count returns the number of documents that have a word.
func (v *vocabulary) count(word string) uint32 {
	hash := maphash.String(v.seed, word)
	for at := v.slot(hash); v.table[at] != 0; at = v.slot(at + 1) {
		if entry := v.table[at]; (entry^hash)>>32 == 0 {
			if i := uint32(entry) - 1; v.words[i] == word {
				return v.docs[i]
			}
		}
	}
	return 0
}

// begins reports whether any word begins with two texts, one after the other.
func (v *vocabulary) begins(a, b string) bool {
	var room [2 * 64]byte
	prefix := append(append(room[:0], a...), b...)
	i := sort.Search(len(v.words), func(i int) bool { return v.words[i] >= string(prefix) })
	return i < len(v.words) && strings.HasPrefix(v.words[i], string(prefix))
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
	v.addTable()
	return v, nil
}
