// Package bench measures the search beside others: SQLite's full text search through the pure-Go
// and the C driver, and an index of plain arrays as the floor. It is a module of its own, so that
// the service needs neither cgo nor a driver it does not ship.
//
//	go test -mod=mod -tags sqlite_fts5 -bench . -benchtime 2000x -sizes 1000,10000,100000,1000000 -timeout 2h
package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"

	"go.almanac.example/catalog"
)

// A corpus is a library of entries with words as frequent as in English: half of the words asked
// for are in more than 1.7 documents of a hundred, and 5 of a hundred have one on average. That is
// between two collections of English abstracts, Vaswani (1.4, 2.6) and Cranfield (5.1, 8.8).
type corpus struct {
	entries []*catalog.Entry
	queries map[string][]query // by class
}

// A query is one search in the terms of every engine.
type query struct {
	text     string
	words    []string
	category string
	tag      string
}

var categories = []string{
	"bitcoin-lightning", "payments", "agent-protocols", "robotics-autonomy", "iot", "datasets-benchmarks",
	"safety-security", "regulation",
}

// The classes of queries, in the order of the table.
var classes = []string{"one", "two", "three", "filtered", "phrase"}

const (
	vocabularySize = 60_000
	queriesOfClass = 500
	titleWords     = 7
	summaryWords   = 50
)

func newCorpus(size int) *corpus {
	r := rand.New(rand.NewPCG(2026, uint64(size)))
	words := newVocabulary(r)
	c := &corpus{entries: make([]*catalog.Entry, size), queries: make(map[string][]query)}
	types := catalog.EntryTypes
	for i := range c.entries {
		var date *catalog.Date
		if r.IntN(2) == 0 {
			d := catalog.Date(fmt.Sprintf("20%02d-%02d-%02d", 10+r.IntN(17), 1+r.IntN(12), 1+r.IntN(28)))
			date = &d
		}
		c.entries[i] = &catalog.Entry{
			ID: fmt.Sprintf("entry-%07d", i), Title: words.text(r,
				titleWords), Publisher: "Publisher " + fmt.Sprint(r.IntN(200)),
			Authors: []string{}, DatePublished: date, URL: fmt.Sprintf("https://example.org/%07d", i),
			Type: types[r.IntN(len(types))], Category: categories[r.IntN(len(categories))],
			Summary: words.text(r, summaryWords), Tags: tags(r), VerifiedAt: "2026-11-21", LastChecked: "2026-11-21",
		}
	}
	for _, class := range classes {
		for range queriesOfClass {
			c.queries[class] = append(c.queries[class], c.query(r, class))
		}
	}
	return c
}

func tags(r *rand.Rand) []string {
	set := make(map[string]bool)
	for len(set) < 3 {
		set[fmt.Sprintf("tag%02d", int(40*math.Pow(r.Float64(), 2)))] = true
	}
	var list []string
	for t := range set {
		list = append(list, t)
	}
	sort.Strings(list)
	return list
}

// query draws words from summaries, so that frequent words are asked for more often, leaving out
// the most frequent, which stand for the stop words.
func (c *corpus) query(r *rand.Rand, class string) query {
	q := query{}
	if class == "phrase" {
		for len(q.words) < 2 {
			ws := strings.Fields(c.entries[r.IntN(len(c.entries))].Summary)
			if at := r.IntN(summaryWords - 1); min(len(ws[at]), len(ws[at+1])) > stopLength {
				q.words = ws[at : at+2]
			}
		}
		q.text = `"` + strings.Join(q.words, " ") + `"`
		return q
	}
	n := map[string]int{"one": 1, "two": 2, "three": 3, "filtered": 2}[class]
	for len(q.words) < n {
		e := c.entries[r.IntN(len(c.entries))]
		w := strings.Fields(e.Summary)[r.IntN(summaryWords)]
		if len(w) > stopLength {
			q.words = append(q.words, w)
		}
	}
	q.text = strings.Join(q.words, " ")
	if class == "filtered" {
		e := c.entries[r.IntN(len(c.entries))]
		q.category, q.tag = e.Category, e.Tags[0]
	}
	return q
}

// stopLength is the length up to which words of the vocabulary stand for stop words.
const stopLength = 3

type vocabulary struct {
	words      []string
	cumulative []float64
}

// newVocabulary makes words of syllables, so that no stemmer takes two for one. The first thirty
// have three letters.
func newVocabulary(r *rand.Rand) *vocabulary {
	const consonants, vowels = "bdfgklmnprtvz", "aou"
	seen := make(map[string]bool)
	v := &vocabulary{}
	sum := 0.0
	for len(v.words) < vocabularySize {
		var b strings.Builder
		syllables := 3 + r.IntN(2)
		if len(v.words) < 30 {
			syllables = 1
		}
		for range syllables {
			b.WriteByte(consonants[r.IntN(len(consonants))])
			b.WriteByte(vowels[r.IntN(len(vowels))])
		}
		b.WriteByte('k')
		if w := b.String(); !seen[w] {
			seen[w] = true
			sum += 1 / math.Pow(float64(len(v.words)+10), 1.2)
			v.words, v.cumulative = append(v.words, w), append(v.cumulative, sum)
		}
	}
	return v
}

func (v *vocabulary) text(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		at := sort.SearchFloat64s(v.cumulative, r.Float64()*v.cumulative[len(v.cumulative)-1])
		words[i] = v.words[min(at, len(v.words)-1)]
	}
	return strings.Join(words, " ")
}
