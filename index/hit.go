package index

import (
	"math/bits"
	"slices"

	"go.almanac.example/index/postings"
)

// hit returns a document as answers show it, with the places of terms.
func (x *Index) hit(s *scratch, r *found, p *parsed, pl *plan, terms []uint64) Hit {
	rec := &x.records[r.doc]
	h := Hit{Entry: rec.entry, Change: rec.change, Kind: rec.Kind}
	if rec.entry != nil {
		h.Kind = KindLibrary
	}
	h.Matched = make([]Match, 0, 1+len(pl.clauses))
	if p.sort == SortRelevance {
		h.Score = round(r.score())
	}
	if slices.Contains(pl.pinned, r.doc) {
		h.Matched = append(h.Matched, pl.pinnedBy)
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if at := c.list.Find(r.doc); at >= 0 {
			h.Matched = append(h.Matched, Match{c.term, c.as, fieldSets[c.list.Fields[at]]})
		}
	}
	for i, w := range pl.words {
		if r.words>>i&1 == 0 {
			h.Missing = append(h.Missing, w)
		}
	}
	h.shown = x.show(int(r.doc), rec.Title, rec)
	h.Highlights.Title = highlights(h.shown.places, terms)
	var best [maxPassages]passageScore
	n := x.bestPassages(s, pl, r.doc, true, &best)
	h.Passages = make([]PassageHit, 0, n)
	for _, b := range best[:n] {
		passage := &rec.passages[b.passage-x.documents.first[r.doc]]
		shown := x.show(len(x.records)+int(b.passage), passage.Text, passage)
		places := highlights(shown.places, terms)
		h.Passages = append(h.Passages, PassageHit{passage, places, shown})
		if rec.entry != nil && passage.Kind == PassageSummary {
			h.Highlights.Summary = places
		}
	}
	if p.explain {
		h.Explain = x.explain(s, r, pl, best[0].passage)
	}
	return h
}

// matchNames are the scored fields as answers name them.
var matchNames = [...]string{postings.Title: "title", postings.Labels: "labels", postings.Class: "labels",
	postings.Text:      "text",
	postings.Questions: "questions", postings.Addresses: "addresses", postings.People: "labels", postings.Lead: "text"}

// fieldSets are the names of each set of scored fields, which all answers share.
var fieldSets = func() (sets [1 << postings.Fields][]string) {
	for set := range sets {
		for f, name := range matchNames {
			if set&(1<<f) != 0 && !slices.Contains(sets[set], name) {
				sets[set] = append(sets[set], name)
			}
		}
	}
	return sets
}()

// An Explanation is the parts of the score of a hit.
type Explanation struct {
	Score    float64         `json:"score"`
	Record   float64         `json:"record"`  // of the terms in the whole record
	Passage  float64         `json:"passage"` // of the best passage, as far as it counts
	Missing  int             `json:"missing"` // 1 if the hit lacks a word of the query
	Coverage float64         `json:"coverage"`
	Asked    []string        `json:"asked,omitempty"`   // the subjects asked for
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
		Missing:  min(1, bits.OnesCount16(uint16(pl.allWords&^r.words))),
		Coverage: round(x.coverage(s, *r, pl)), Asked: pl.asked.Topics, Defined: pl.defined, Terms: []ExplainedTerm{},
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
	if slices.Contains(pl.named, r.doc) {
		record.add(namedProtocol, 1)
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
