package index

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"almanac/wirejson"
)

// A shown is a record's title or a passage's text as answers show it. It is made when it is first shown.
type shown struct {
	of      any
	encoded atomic.Pointer[[]byte] // of in JSON, without the final brace; nil until it is written
	places  []place                // of terms
}

// append appends of in JSON, without the final brace.
func (v *shown) append(b []byte) []byte {
	encoded := v.encoded.Load()
	if encoded == nil {
		object := bytes.TrimSuffix(wirejson.Must(wirejson.Compact(v.of)), []byte("}"))
		encoded = &object
		v.encoded.Store(encoded)
	}
	return append(b, *encoded...)
}

// A place is where a text has a term, by the term's hash, in code points.
type place struct {
	term uint64
	span [2]int32
}

// hashSeed is of the hashes of terms.
var hashSeed = maphash.MakeSeed()

// show returns what answers show of the text of a record or passage, which have one number for each.
func (x *Index) show(number int, s string, of any) *shown {
	if known, ok := x.shown.Get(number); ok {
		return known
	}
	v := &shown{of: of}
	ws := x.analyzer.Words(nil, s)
	points, at := int32(0), 0
	ends := make([][2]int32, len(ws))
	for i, w := range ws {
		start := points + int32(utf8.RuneCountInString(s[at:w.Start]))
		points = start + int32(utf8.RuneCountInString(s[w.Start:w.End]))
		ends[i], at = [2]int32{start, points}, w.End
	}
	ts := x.analyzer.Terms(nil, ws, s)
	v.places = make([]place, len(ts))
	for i, t := range ts {
		v.places[i] = place{maphash.String(hashSeed, t.Text), [2]int32{ends[t.First][0], ends[t.Last][1]}}
	}
	x.shown.Add(number, v)
	return v
}

// highlights returns the places of terms, with those that touch or overlap joined.
func (v *shown) highlights(terms []uint64) (places [][2]int32) {
	filter := uint64(0)
	for _, t := range terms {
		filter |= 1 << (t & 63)
	}
	for _, p := range v.places {
		if filter>>(p.term&63)&1 == 0 || !slices.Contains(terms, p.term) {
			continue
		}
		if n := len(places); n > 0 && p.span[0] <= places[n-1][1] {
			places[n-1][1] = max(places[n-1][1], p.span[1])
			continue
		}
		places = append(places, p.span)
	}
	return places
}

// terms returns the hashes of what a plan looks for.
func (pl *plan) terms() (list []uint64) {
	for i := range pl.clauses {
		for _, v := range pl.clauses[i].variants {
			list = append(list, maphash.String(hashSeed, v.Term))
		}
	}
	return list
}

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }

// An Explanation is the parts of the score of a hit.
type Explanation struct {
	Score    float64         `json:"score"`
	Record   float64         `json:"record"`  // of the terms in the whole record
	Passage  float64         `json:"passage"` // of the best passage, as far as it counts
	Missing  int             `json:"missing"` // words that put the hit behind others
	Coverage float64         `json:"coverage"`
	Asked    []string        `json:"asked,omitempty"` // the subjects asked for
	Terms    []ExplainedTerm `json:"terms"`
}

// An ExplainedTerm is the part of one term.
type ExplainedTerm struct {
	Term   string  `json:"term"`
	As     string  `json:"as,omitempty"`
	Rarity float64 `json:"rarity"` // inverse document frequency
	Weight float64 `json:"weight"`
	Score  float64 `json:"score"`
}

// explain returns the parts of the score of a document.
func (pl *plan) explain(x *Index, r *rankedDocument) *Explanation {
	e := &Explanation{
		Score: round(r.score), Record: round(r.record), Passage: round(r.score - r.record), Missing: int(pl.tier(pl.wordsOf(r.found))),
		Coverage: round(x.coverage(r.found, pl)), Asked: pl.asked.Topics, Terms: []ExplainedTerm{},
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if at := c.list.Find(r.doc); at >= 0 {
			e.Terms = append(e.Terms, ExplainedTerm{c.term, c.as, round(c.list.Rarity), round(c.weight), round(c.list.Scores[at] * c.weight)})
		}
	}
	return e
}
