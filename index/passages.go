package index

import (
	"math"
	"slices"
)

// The bounds of the work on passages.
const (
	maxRanked   = 60 // documents that are ranked by their passages
	maxPassages = 3  // of a hit
)

// A passageScore is a passage, by its index among all, with its score.
type passageScore struct {
	passage uint32
	score   float32
}

// rankPassages orders the first documents of list by their scores and those of their best passages, within their tiers.
func (x *Index) rankPassages(s *scratch, p *parsed, pl *plan, list []found) {
	if p.sort != SortRelevance || len(pl.clauses) == 0 {
		return
	}
	first := list[:min(maxRanked, len(list))]
	for n := range first {
		r := &first[n]
		r.key = r.key>>32<<32 | uint64(math.Float32bits(r.record+x.passagePart(s, pl, *r, nil)))
	}
	slices.SortFunc(first, func(a, b found) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
}

// passagePart returns the part of a document's score that its best passage and its curated questions add.
func (x *Index) passagePart(s *scratch, pl *plan, r found, p *parts) float32 {
	score := p.add(curatedQuestion, x.asked.likeness(&s.asking, uint32(x.documents.Len())+r.doc))
	var best [maxPassages]passageScore
	x.bestPassages(s, pl, r.doc, false, &best)
	part := best[0].score
	if x.documents.first[r.doc]+1 == x.documents.first[r.doc+1] {
		if part = r.record; best[0].score == 0 || x.records[r.doc].Kind == KindDataset { // whose summary answers nothing
			part = 0 // else the title and the labels are those of its only passage
		}
	}
	if at := slices.Index(pl.each, r.doc); at >= 0 && x.documents.topics[best[0].passage] == pl.topics&^x.analyzer.Topic("comparison") {
		score += p.add(severalNamed, 1/float32(at+2))
	}
	score += p.add(bestPassage, part)
	if !pl.question {
		score += p.add(keywords, part)
	}
	return score
}

// scorePassages scores the passages of the first documents by the words of a query. The scores stay in s until forget.
func (x *Index) scorePassages(s *scratch, pl *plan) {
	for i, f := range s.top.list {
		s.top.list[i].record = f.score()
		s.ranked[f.doc] = true
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		for n, doc := range c.list.Docs {
			if !s.ranked[doc] {
				continue
			}
			for at := c.list.First[n]; at < c.list.First[n+1]; at++ {
				passage, score := c.list.Passages[at], c.list.Own[at]*c.weight
				if s.passages[passage] == 0 {
					s.scored = append(s.scored, passage)
				}
				s.passages[passage] += score
				if c.list.Fields[n]&naming != 0 {
					s.byName[passage] += score
				}
				s.has[passage] |= c.words
			}
		}
	}
}

// forget clears the scores of passages.
func (s *scratch) forget() {
	for _, f := range s.top.list {
		s.ranked[f.doc] = false
	}
	for _, passage := range s.scored {
		s.passages[passage], s.byName[passage], s.has[passage] = 0, 0, 0
	}
	s.scored = s.scored[:0]
}

// passageScore returns the score of a passage, the n-th of its document: as it is shown, which also orders the records for
// a question, or as it orders them for words that look for a record.
func (x *Index) passageScore(s *scratch, pl *plan, doc, n uint32, shown bool, p *parts) float32 {
	shown = shown || pl.question
	i := x.documents.first[doc] + n
	own := s.passages[i]
	if own == 0 && n > 0 && pl.topics&x.documents.topics[i] == 0 && !slices.Contains(pl.exact, i) &&
		!slices.Contains(pl.defining, i) || x.isSilent(s, pl, doc, n) {
		return 0 // as of most passages, without comparing their questions
	}
	score := own + p.add(passageQuestion, x.asked.likeness(&s.asking, i))
	if slices.Contains(pl.exact, i) {
		score += p.add(identifierWritten, 1)
	}
	switch {
	case pl.topics&x.documents.topics[i] != 0:
		score += p.add(subjectAsked, own+subjectAlone)
	case n == 0 && i+1 < x.documents.first[doc+1] && shown:
		score += p.add(summaryFound, own)
	}
	if score == 0 {
		return 0
	}
	if slices.Contains(pl.defining, i) || shown && n == 0 && pl.isWhole(doc) {
		score += p.add(definitionAsked, 1)
	}
	if shown {
		score += p.add(nameFound, s.byName[i]) + p.add(coverageFound, pl.share(s.has[i], 0, pl.allWords))
	}
	return score
}

// isSilent reports whether a passage, the n-th of its document, only says that a field is not stated, and the query does not
// name both the protocol and the field.
func (x *Index) isSilent(s *scratch, pl *plan, doc, n uint32) bool {
	i, r := x.documents.first[doc]+n, &x.records[doc]
	return r.Kind == KindProtocol && r.passages[n].silent && (s.passages[i] <= s.byName[i] || !slices.Contains(pl.named, doc))
}

// bestPassages sets best to the passages of a document that answer best, and returns their number, at least one.
func (x *Index) bestPassages(s *scratch, pl *plan, doc uint32, shown bool, best *[maxPassages]passageScore) int {
	n, first := 0, x.documents.first[doc]
	for i := first; i < x.documents.first[doc+1]; i++ {
		score := x.passageScore(s, pl, doc, i-first, shown, nil)
		at := min(n, maxPassages-1)
		if score == 0 || n == maxPassages && score <= best[at].score {
			continue
		}
		n = min(n+1, maxPassages)
		for ; at > 0 && best[at-1].score < score; at-- {
			best[at] = best[at-1]
		}
		best[at] = passageScore{i, score}
	}
	if n == 0 {
		best[0] = passageScore{first, 0}
		return 1
	}
	return n
}
