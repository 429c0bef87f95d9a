// Package find finds records by what they are called: ids, titles, tags, publishers, hosts, the names of their sections, the
// first sentence of their summaries, and the curated questions that they answer. It is for finding one's way, and is free;
// texts and passages are what the paid search is for.
//
// There is one ranking. The tool server calls Finder.Find; the pages have the same in their own language, static/find.js of
// package httpmirror/html, over the document that Finder.Document returns. A test holds the two to one order.
package find

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"almanac/index/text"
	"almanac/nearest"
)

// A Finder finds records. It is safe for concurrent use.
type Finder struct {
	analyzer *text.Analyzer
	records  *List
	postings *postings
	spelling *nearest.Vocabulary // of the terms that texts have as they stand
	slugs    *nearest.Vocabulary // of the records, see Near
	bySlug   []uint32            // the records, sorted by slug
}

// New returns a finder of records.
func New(records *List) (*Finder, error) {
	analyzer, err := text.NewAnalyzer()
	if err != nil {
		return nil, fmt.Errorf("analyze names: %w", err)
	}
	f := &Finder{analyzer: analyzer, records: records, postings: newPostings(analyzer, records)}
	var written []uint32
	for i := range f.postings.len() {
		if (text.Term{Text: f.postings.term(i)}).IsWritten() {
			written = append(written, uint32(i))
		}
	}
	written = slices.Clip(written)
	f.spelling = nearest.NewVocabularyOf(len(written), func(i int) string { return f.postings.term(int(written[i])) })
	f.addSlugs()
	return f, nil
}

// addSlugs prepares Near.
func (f *Finder) addSlugs() {
	f.bySlug = make([]uint32, f.records.len())
	slugs := make([]string, f.records.len())
	for i := range f.bySlug {
		f.bySlug[i], slugs[i] = uint32(i), f.records.slug(i)
	}
	slices.SortStableFunc(f.bySlug, func(a, b uint32) int { return strings.Compare(slugs[a], slugs[b]) })
	each := make([]uint32, 0, len(slugs)) // the first record of each slug
	for at, i := range f.bySlug {
		if at == 0 || slugs[i] != slugs[f.bySlug[at-1]] {
			each = append(each, i)
		}
	}
	f.slugs = nearest.NewVocabularyOf(len(each), func(i int) string { return f.records.slug(int(each[i])) })
}

// A Found is a record that was found, with the reasons.
type Found struct {
	*Record
	Matched []string // such as "lightning in title"
}

// A hit is a record that has words of a query.
type hit struct {
	record uint32
	words  int // of the query that it has
	score  float64
	at     [maxWords]place // where it has each word, plus one; 0 where it does not
}

const (
	// MaxFound is how many records are found at most.
	MaxFound = 8

	maxWords     = 16 // of a query
	prefixFactor = 0.6
	minPrefix    = 3  // letters of a word that begins others
	maxPrefix    = 50 // terms that a word begins
	minCorrected = 4  // letters of a word that may be misspelt
	minStem      = 5  // letters of a stem of which an unfinished form is typed
	maxEnding    = 6  // letters of an ending
)

// pronouns are words of questions that stand for what is asked about.
var pronouns = map[string]bool{"anything": true, "everything": true, "nothing": true, "anyone": true, "everyone": true, "stuff": true}

// Find returns the best records for a query, and the words that were read as others.
func (f *Finder) Find(query string) (best []Found, readAs []string) {
	words := f.analyzer.Words(nil, query)
	words = words[:min(len(words), maxWords)]
	var hits []hit
	byRecord := make(map[uint32]int)
	for n, w := range words {
		if w.Stop || f.analyzer.IsFiller(w) || pronouns[w.Text] {
			continue
		}
		scores := f.match(query, words, w)
		if len(scores) == 0 {
			other := f.read(w)
			if other == "" {
				continue
			}
			readAs = append(readAs, w.Text+" as "+other)
			f.addTerm(scores, other, prefixFactor)
		}
		for record, s := range scores {
			i, ok := byRecord[record]
			if !ok {
				i = len(hits)
				byRecord[record], hits = i, append(hits, hit{record: record})
			}
			hits[i].words++
			hits[i].score += s.score
			hits[i].at[n] = s.place + 1
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score), strings.Compare(f.records.id(int(a.record)), f.records.id(int(b.record))))
	})
	for _, h := range hits[:min(MaxFound, len(hits))] {
		found := Found{Record: f.records.at(int(h.record))}
		for n, w := range words {
			if h.at[n] > 0 {
				found.Matched = append(found.Matched, w.Text+" in "+places[h.at[n]-1].name)
			}
		}
		best = append(best, found)
	}
	return best, readAs
}

// A match is how well a record has a word, and where best.
type match struct {
	score float64
	place place
}

// match returns the records that have a word of a query: as it is, in a name that it is part of, by another spelling of the
// lexicon, or as the beginning of a longer word.
func (f *Finder) match(query string, words []text.Word, w text.Word) map[uint32]match {
	scores := make(map[uint32]match)
	for _, t := range f.analyzer.Terms(nil, words, query) {
		if t.Target || words[t.First].Start > w.Start || words[t.Last].Start < w.Start {
			continue
		}
		for _, v := range t.AppendVariants(nil) {
			f.addTerm(scores, v.Term, float64(v.Weight))
		}
	}
	if len(w.Stem) < minPrefix {
		return scores
	}
	from, _ := f.postings.find(w.Stem)
	for i := from; i < min(from+maxPrefix, f.postings.len()); i++ {
		if !strings.HasPrefix(f.postings.term(i), w.Stem) {
			break
		}
		f.addPostings(scores, i, prefixFactor)
	}
	return scores
}

// addTerm adds the records that have a term.
func (f *Finder) addTerm(scores map[uint32]match, term string, weight float64) {
	if i, ok := f.postings.find(term); ok {
		f.addPostings(scores, i, weight)
	}
}

func (f *Finder) addPostings(scores map[uint32]match, term int, weight float64) {
	rarity := math.Log1p(float64(f.records.len()) / float64(f.postings.count(term)+1))
	for p := range f.postings.of(term) {
		if s := weight * rarity * float64(p.weight) / weightSteps; s > scores[p.record].score {
			scores[p.record] = match{s, p.place}
		}
	}
}

// read returns the term that a word which is found nowhere may be a misspelling of, or the stem of which it is the unfinished
// form, or "".
func (f *Finder) read(w text.Word) string {
	if len(w.Stem) < minCorrected || !isASCII(w.Stem) || f.analyzer.IsCorrect(w.Text) {
		return ""
	}
	for n := len(w.Stem) - 1; n >= max(minStem, len(w.Stem)-maxEnding); n-- {
		if f.postings.has(w.Stem[:n]) {
			return w.Stem[:n]
		}
	}
	if near := f.spelling.Words(w.Stem, 1); len(near) > 0 && len(near[0])+1 >= len(w.Stem) && f.analyzer.MayMean(w.Text, near[0]) {
		return near[0]
	}
	return ""
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0
}
