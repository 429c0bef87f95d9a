package index

import (
	"math"
	"slices"
	"strings"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// askedQuestions are the questions to which passages and records are the answers, each by itself. They order the records
// that are found, and find none.
type askedQuestions struct {
	terms  map[string]uint32 // by text: the number of a term
	rarity []float32         // by term: inverse document frequency among questions
	of     [][2]uint32       // by passage, and then by record: its first question, and the one after its last
	start  []uint32          // by question: its first term in has; one more at the end
	has    []uint32          // terms of questions: the words first, and then the names that they make
	length []float32         // by question: the rarities of its words together
}

// newAskedQuestions reads the questions of records.
func newAskedQuestions(a *text.Analyzer, records recordList) *askedQuestions {
	q := &askedQuestions{terms: make(map[string]uint32), start: []uint32{0}}
	var words []int // by question: how many of its terms are its words
	for i := range records {
		for list := records[i].passages; len(list) > 0; {
			parts := 1 // of a fact too long for one passage: any may be the answer to the question of another
			for parts < len(list) && list[0].Kind == PassageFact && list[parts].URL == list[0].URL {
				parts++
			}
			of := [2]uint32{uint32(len(words))}
			for _, p := range list[:parts] {
				if p.asked != "" {
					words = append(words, q.add(a, p.asked))
				}
			}
			of[1] = uint32(len(words))
			q.of = append(q.of, slices.Repeat([][2]uint32{of}, parts)...)
			list = list[parts:]
		}
	}
	for i := range records {
		if len(words) == 0 { // no passage has a question: those of records find them, and compare nothing
			break
		}
		first := uint32(len(words))
		for _, curated := range records[i].called {
			words = append(words, q.add(a, curated))
		}
		q.of = append(q.of, [2]uint32{first, uint32(len(words))})
	}
	for i, n := range q.rarity {
		q.rarity[i] = float32(postings.IDF(int(n), len(words)))
	}
	for n, count := range words {
		length := float32(0)
		for _, t := range q.has[q.start[n]:][:count] {
			length += q.rarity[t]
		}
		q.length = append(q.length, length)
	}
	return q
}

// add adds a question and returns the number of its words. Words that mean nothing alone count here: who, when, how.
func (q *askedQuestions) add(a *text.Analyzer, question string) (words int) {
	start := len(q.has)
	add := func(term string) {
		n, ok := q.terms[term]
		if !ok {
			n = uint32(len(q.rarity))
			q.terms[strings.Clone(term)], q.rarity = n, append(q.rarity, 0)
		}
		if !slices.Contains(q.has[start:], n) {
			q.has = append(q.has, n)
			q.rarity[n]++
		}
	}
	ws := a.Words(nil, question)
	for _, w := range ws {
		add(w.Stem)
	}
	words = len(q.has) - start
	for _, t := range a.Terms(nil, ws, question) {
		add(t.Text)
	}
	q.start = append(q.start, uint32(len(q.has)))
	return words
}

// The bounds of the words of a query that is compared with questions.
const minAsking, maxAsking = 3, 64

// An asking is a query as it is compared with questions.
type asking struct {
	covers   []uint16  // by term: the place of its words in masks; most terms have the first, which is none
	masks    []uint64  // words of the query
	terms    []uint32  // those that cover any
	rarity   []float32 // by word
	length   float32   // the rarities together
	question bool      // rather than keywords
}

// Keywords share a word or two with many questions: their likeness counts in part, unless they are a question's words.
const (
	keywordLikeness = 0.3
	sameQuestion    = 0.9 // the likeness of a query that is the question but for a frequent word
)

// ask sets a to the words of a query. One word is like no question.
func (q *askedQuestions) ask(a *asking, pl *plan) {
	ws, ts := pl.typed, pl.spelt
	for _, t := range a.terms {
		a.covers[t] = 0
	}
	a.covers = slices.Grow(a.covers, len(q.rarity))[:len(q.rarity)]
	a.masks, a.terms, a.rarity, a.length = append(a.masks[:0], 0), a.terms[:0], a.rarity[:0], 0
	a.question = pl.question
	if len(q.length) == 0 || len(ws) < minAsking || len(ws) > maxAsking {
		return
	}
	cover := func(n uint32, words uint64) {
		if a.covers[n] == 0 {
			a.covers[n] = uint16(len(a.masks))
			a.masks, a.terms = append(a.masks, 0), append(a.terms, n)
		}
		a.masks[a.covers[n]] |= words
	}
	unknown := float32(postings.IDF(0, len(q.length)))
	for i, w := range ws {
		rarity := unknown
		if slices.ContainsFunc(ws[:i], func(v text.Word) bool { return v.Stem == w.Stem }) {
			rarity = 0
		} else if n, ok := q.terms[w.Stem]; ok {
			rarity = q.rarity[n]
			cover(n, 1<<i)
		}
		a.rarity = append(a.rarity, rarity)
		a.length += rarity
	}
	for _, t := range ts {
		for _, v := range t.AppendVariants(nil) {
			if n, ok := q.terms[v.Term]; ok && !t.Target {
				cover(n, 1<<(t.Last+1)-1<<t.First)
			}
		}
	}
}

// words returns the words of a query, by number, that the questions of a passage have.
func (q *askedQuestions) words(a *asking, passage uint32) (words uint64) {
	if len(a.terms) == 0 {
		return 0
	}
	of := q.of[passage]
	for _, t := range q.has[q.start[of[0]]:q.start[of[1]]] {
		words |= a.masks[a.covers[t]]
	}
	return words
}

// likeness returns the likeness of a query and the most similar question of a passage, or of a record: the rarities of the words that
// both have, beside the geometric mean of those that each has.
func (q *askedQuestions) likeness(a *asking, of uint32) (most float32) {
	if len(a.terms) == 0 || a.length == 0 {
		return 0
	}
	for n := q.of[of][0]; n < q.of[of][1]; n++ {
		words, both := uint64(0), float32(0)
		for _, t := range q.has[q.start[n]:q.start[n+1]] {
			if c := a.covers[t]; c != 0 { // as few are
				words |= a.masks[c]
			}
		}
		if words == 0 {
			continue
		}
		for i, r := range a.rarity {
			if words>>i&1 != 0 {
				both += r
			}
		}
		most = max(most, both*both/q.length[n])
	}
	most = float32(math.Sqrt(float64(most / a.length)))
	if !a.question && most < sameQuestion {
		most *= keywordLikeness
	}
	return most
}

// isQuestion reports whether a query is a question: it begins with a stop word, or has two. Others are keywords.
func isQuestion(ws []text.Word) bool {
	stop := 0
	for _, w := range ws {
		if w.Stop {
			stop++
		}
	}
	return stop > 1 || stop > 0 && ws[0].Stop
}
