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
	"path"
	"slices"
	"strings"

	"almanac/index/text"
	"almanac/nearest"
)

// A Finder finds records. It is safe for concurrent use.
type Finder struct {
	analyzer *text.Analyzer
	records  []Record
	postings map[string][]posting // by term
	terms    []string             // of postings, sorted
	spelling *nearest.Vocabulary  // of the terms that texts have as they stand
	slugs    *nearest.Vocabulary  // of the records, see Near
	bySlug   map[string][]int
}

// New returns a finder of records.
func New(records []Record) (*Finder, error) {
	analyzer, err := text.NewAnalyzer()
	if err != nil {
		return nil, fmt.Errorf("analyze names: %w", err)
	}
	learner := analyzer.Learner()
	f := &Finder{analyzer: learner, records: records, postings: make(map[string][]posting)}
	for i := range records {
		f.add(int32(i), &records[i])
	}
	analyzer.Learn(learner)
	f.analyzer = analyzer
	var written []string
	for term := range f.postings {
		f.terms = append(f.terms, term)
	}
	slices.Sort(f.terms)
	for _, term := range f.terms {
		if (text.Term{Text: term}).IsWritten() {
			written = append(written, term)
		}
	}
	f.spelling = nearest.NewVocabulary(written)
	f.addSlugs()
	return f, nil
}

// addSlugs prepares Near.
func (f *Finder) addSlugs() {
	f.bySlug = make(map[string][]int)
	var slugs []string
	for i := range f.records {
		slug := path.Base(f.records[i].Path)
		if f.bySlug[slug] == nil {
			slugs = append(slugs, slug)
		}
		f.bySlug[slug] = append(f.bySlug[slug], i)
	}
	f.slugs = nearest.NewVocabulary(slugs)
}

// A posting is a record that has a term.
type posting struct {
	record int32
	weight uint8 // of the term in all places of the record, in steps of 1/weightSteps
	place  place // where it weighs most
}

// digits are the characters that JSON and HTML leave as they are, without the space.
const digits = "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	weightSteps = 4
	maxWeight   = len(digits) - 1 // one digit of a Document
	moreFactor  = 0.4             // of the weight of further places
)

// add adds a record under each term of its texts.
func (f *Finder) add(n int32, rec *Record) {
	weights := make(map[string]*[len(places)]float64)
	for p, list := range rec.texts {
		for _, s := range list {
			words := f.analyzer.Words(nil, s)
			for _, t := range f.analyzer.Terms(nil, words, s) {
				if place(p) == inID && !t.IsWritten() { // the title has the same names
					continue
				}
				if weights[t.Text] == nil {
					weights[t.Text] = new([len(places)]float64)
				}
				w := &weights[t.Text][p] // a short name says more with a word than a long one
				*w = max(*w, places[p].weight*(1+places[p].short/float64(len(words))))
			}
		}
	}
	for term, w := range weights {
		best, sum := place(0), 0.0
		for p := range places {
			sum += w[p]
			if w[p] > w[best] {
				best = place(p)
			}
		}
		weight := weightSteps * (w[best] + moreFactor*(sum-w[best]))
		f.postings[term] = append(f.postings[term], posting{n, uint8(min(weight, float64(maxWeight))), best})
	}
}

// A Found is a record that was found, with the reasons.
type Found struct {
	*Record
	Matched []string // such as "lightning in title"

	words int // of the query that it has
	score float64
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
	hits := make(map[int32]*Found)
	for _, w := range words {
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
		for n, s := range scores {
			h := hits[n]
			if h == nil {
				h = &Found{Record: &f.records[n]}
				hits[n] = h
			}
			h.words++
			h.score += s.score
			h.Matched = append(h.Matched, w.Text+" in "+places[s.place].name)
		}
	}
	for _, h := range hits {
		best = append(best, *h)
	}
	slices.SortFunc(best, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score), strings.Compare(a.ID, b.ID))
	})
	return best[:min(MaxFound, len(best))], readAs
}

// A match is how well a record has a word, and where best.
type match struct {
	score float64
	place place
}

// match returns the records that have a word of a query: as it is, in a name that it is part of, by another spelling of the
// lexicon, or as the beginning of a longer word.
func (f *Finder) match(query string, words []text.Word, w text.Word) map[int32]match {
	scores := make(map[int32]match)
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
	from, _ := slices.BinarySearch(f.terms, w.Stem)
	for _, term := range f.terms[from:min(from+maxPrefix, len(f.terms))] {
		if !strings.HasPrefix(term, w.Stem) {
			break
		}
		f.addTerm(scores, term, prefixFactor)
	}
	return scores
}

// addTerm adds the records that have a term.
func (f *Finder) addTerm(scores map[int32]match, term string, weight float64) {
	list := f.postings[term]
	rarity := math.Log1p(float64(len(f.records)) / float64(len(list)+1))
	for _, p := range list {
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
		if f.postings[w.Stem[:n]] != nil {
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
