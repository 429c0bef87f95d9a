package index

import (
	"math"
	"unicode/utf8"
)

// highlights returns the places of the terms of a query in a text, in code points, with those that touch or overlap joined.
func (x *Index) highlights(pl *plan, s string) (places [][2]int32) {
	if len(pl.clauses) == 0 {
		return nil
	}
	ws := x.analyzer.Words(nil, s)
	points, at := int32(0), 0
	ends := make([][2]int32, len(ws))
	for i, w := range ws {
		start := points + int32(utf8.RuneCountInString(s[at:w.Start]))
		points = start + int32(utf8.RuneCountInString(s[w.Start:w.End]))
		ends[i], at = [2]int32{start, points}, w.End
	}
	for _, t := range x.analyzer.Terms(nil, ws, s) {
		if !pl.hasTerm(t.Text) {
			continue
		}
		place := [2]int32{ends[t.First][0], ends[t.Last][1]}
		if n := len(places); n > 0 && place[0] <= places[n-1][1] {
			places[n-1][1] = max(places[n-1][1], place[1])
			continue
		}
		places = append(places, place)
	}
	return places
}

// hasTerm reports whether a plan looks for a term.
func (pl *plan) hasTerm(term string) bool {
	for i := range pl.clauses {
		for _, v := range pl.clauses[i].variants {
			if v.Term == term {
				return true
			}
		}
	}
	return false
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
