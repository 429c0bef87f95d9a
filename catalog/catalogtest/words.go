package catalogtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// words are the vocabulary of a library.
type words struct {
	list             []string // the most frequent first
	cumulative       []float64
	names            []string
	categories, tags []string
}

const (
	inventedWords = 40_000
	inventedNames = 30_000
)

func newWords(t testing.TB, real string) *words {
	t.Helper()
	w := &words{}
	counts := make(map[string]int)
	carried := make(map[string]bool)
	err := fs.WalkDir(os.DirFS(real), "library", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "library" {
				w.categories = append(w.categories, d.Name())
			}
			return nil
		}
		return w.count(filepath.Join(real, p), counts, carried)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.list = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	w.tags = slices.Sorted(maps.Keys(carried))
	r := rand.New(rand.NewPCG(1, 1))
	for range inventedWords {
		w.list = append(w.list, invented(r))
	}
	for range inventedNames {
		w.names = append(w.names, invented(r))
	}
	sum := 0.0
	for i := range w.list {
		sum += 1 / math.Pow(float64(i+10), 1.1)
		w.cumulative = append(w.cumulative, sum)
	}
	return w
}

// count counts the words of an entry's summary, and remembers its tags.
func (w *words) count(file string, counts map[string]int, carried map[string]bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var e catalog.Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	for word := range strings.FieldsSeq(strings.ToLower(e.Summary)) {
		if word = strings.Trim(word, ".,;:()\"'"); word != "" {
			counts[word]++
		}
	}
	for _, tag := range e.Tags {
		carried[tag] = true
	}
	return nil
}

// invented returns a word of syllables.
func invented(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 2 + r.IntN(2) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
	}
	b.WriteByte(consonants[r.IntN(len(consonants))])
	return b.String()
}

func (w *words) word(r *rand.Rand) string {
	at := sort.SearchFloat64s(w.cumulative, r.Float64()*w.cumulative[len(w.cumulative)-1])
	return w.list[min(at, len(w.list)-1)]
}

func (w *words) name(r *rand.Rand) string { return w.names[r.IntN(len(w.names))] }

func (w *words) publisher(r *rand.Rand) string {
	return capitalized(w.names[int(2000*math.Pow(r.Float64(), 3))]) + [...]string{"", " Foundation", " Labs"}[r.IntN(3)]
}

func (w *words) text(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.word(r)
	}
	return strings.Join(list, " ")
}

func (w *words) title(r *rand.Rand) string {
	return capitalized(w.name(r)) + ": " + w.text(r, 2+r.IntN(5))
}

// summary returns two or three sentences, as the published summaries have.
func (w *words) summary(r *rand.Rand) string {
	var sentences []string
	for range 2 + r.IntN(2) {
		sentences = append(sentences, capitalized(w.text(r, 8+r.IntN(8)))+".")
	}
	s := strings.Join(sentences, " ")
	const longest = 380
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:strings.LastIndexByte(s[:longest], ' ')], "") + "."
	}
	return s
}

func capitalized(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
