package index

import (
	"math/bits"
	"slices"
)

// hit returns a document as answers show it.
func (x *Index) hit(s *scratch, r *found, p *parsed, pl *plan) Hit {
	rec := &x.records[r.doc]
	h := Hit{Entry: rec.entry, Change: rec.change, Kind: rec.searchKind()}
	if p.sort == SortRelevance {
		h.Score = round(r.score())
	}
	for i, w := range pl.words {
		if r.words>>i&1 == 0 {
			h.Missing = append(h.Missing, w)
		}
	}
	var best [maxPassages]passageScore
	n := x.bestPassages(s, pl, r.doc, true, &best)
	h.Passages = make([]*Passage, n)
	for i, b := range best[:n] {
		h.Passages[i] = &rec.passages[b.passage-x.documents.first[r.doc]]
	}
	if p.explain {
		h.Explain = x.explain(s, r, pl, best[0].passage)
	}
	return h
}

// An Explanation is the parts of the score of a hit.
type Explanation struct {
	Score    float64         `json:"score"`
	Record   float64         `json:"record"`  // of the terms in the whole record
	Passage  float64         `json:"passage"` // of the best passage, as far as it counts
	Missing  int             `json:"missing"` // 1 if the hit lacks a word of the query
	Coverage float64         `json:"coverage"`
	Defined  string          `json:"defined,omitempty"` // the word asked for
	Terms    []ExplainedTerm `json:"terms"`
	Rules    []ExplainedRule `json:"rules"` // in the score of the record
	First    []ExplainedRule `json:"first"` // in that of its first passage, among those of the record
}

// An ExplainedTerm is the part of one term.
type ExplainedTerm struct {
	Term   string  `json:"term"`
	As     string  `json:"as,omitempty"`
	Rarity float64 `json:"rarity"` // inverse document frequency
	Weight float64 `json:"weight"`
	Score  float64 `json:"score"`
}

// An ExplainedRule is the part of one rule.
type ExplainedRule struct {
	Rule  string  `json:"rule"`
	Says  string  `json:"says"`
	Score float64 `json:"score"`
}

// explain returns the parts of the score of a document, and of its first passage.
func (x *Index) explain(s *scratch, r *found, pl *plan, first uint32) *Explanation {
	e := &Explanation{
		Score: round(r.score()), Record: round(r.record), Passage: round(r.score() - r.record),
		Missing:  min(1, bits.OnesCount32(uint32(pl.allWords&^r.words))),
		Coverage: round(x.coverage(s, *r, pl)), Defined: pl.defined, Terms: []ExplainedTerm{},
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if at := c.list.Find(r.doc); at >= 0 {
			e.Terms = append(e.Terms, ExplainedTerm{c.term, c.as, round(c.list.Rarity), round(c.weight),
				round(c.list.Scores[at] * c.weight)})
		}
	}
	var record, passage parts
	if e.Missing == 0 {
		record.add(allWords, 1)
	}
	if slices.Contains(pl.owners, r.doc) {
		record.add(namedRecord, 1)
	}
	x.passagePart(s, pl, *r, &record)
	x.passageScore(s, pl, r.doc, first-x.documents.first[r.doc], true, &passage)
	e.Rules, e.First = record.explained(), passage.explained()
	return e
}

// explained returns the parts that are not 0.
func (p *parts) explained() []ExplainedRule {
	list := []ExplainedRule{}
	for r, score := range p {
		if score != 0 {
			list = append(list, ExplainedRule{rules[r].name, rules[r].says, round(score)})
		}
	}
	return list
}
