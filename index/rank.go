package index

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// The weights of the ranker. docs/search.md explains them.
const (
	maxRanked     = 200  // documents that are ranked by their passages
	maxLiked      = 40   // of them, whose questions are compared with the query
	maxPassages   = 3    // of a hit
	passageShare  = 0.4  // of the best passage's score in its document's
	topicFactor   = 1.5  // of a passage about the subject of the question
	topicBonus    = 3    // of such a passage
	otherTopic    = 0.9  // of a passage about a subject that is not asked for, unless it is a function or a name
	askingWeight  = 0.8  // of words that name the subject of the question, beside the others
	nameBonus     = 1    // of a document that a word of the query names
	askedBonus    = 2    // of such a document, where a query asks for a subject
	compareBonus  = 12   // of such a document, where a query compares
	definedBonus  = 24   // of a passage that defines the word asked for
	contrastBonus = 6    // of its summary, and of its passages that tell it from another
	summaryFactor = 0.9  // of a summary, beside other passages
	shownSummary  = 0.45 // of a summary beside other passages of the same hit: it tells the record, and no detail
	shownCoverage = 10   // of the share of the query that a passage has, among those of one hit
	questionBonus = 20   // of the likeness of the query and the question that a passage answers
	recordBonus   = 6    // of the likeness of the query and one of the curated questions of a record
	exactBonus    = 10   // of a passage with an identifier of the query as it is written
	onlyExact     = 100  // of a document with such a passage, where the query is nothing else
	allWordsBonus = 5    // of a document with all words of the query
	namedSummary  = 20   // of a summary where the query names the record and asks for nothing about it
	distantShare  = 0.5  // of a word in the coverage of a document with another form of it
)

// A passageScore is a passage, by its index among all, with its score.
type passageScore struct {
	passage uint32
	score   float32
}

// An interest is the part of a topic in a question.
type interest uint8

const (
	neutral interest = iota // a function, a name, or no topic
	unasked
	asked
)

// setTopics sets the part of each topic in a question.
func (s *scratch) setTopics(d *documents, pl *plan) {
	s.topics = s.topics[:0]
	for _, topic := range d.topics {
		switch {
		case pl.asked.Has(topic):
			s.topics = append(s.topics, asked)
		case topic == "" || topic == "function" || topic == "names":
			s.topics = append(s.topics, neutral)
		default:
			s.topics = append(s.topics, unasked)
		}
	}
}

// rankPassages orders the first documents of list by their scores and those of their best passages, within their tiers,
// as far as the page. The scores of the passages stay in s until forget.
func (x *Index) rankPassages(s *scratch, p *parsed, pl *plan, list []found) {
	for i, f := range list {
		list[i].record = f.score()
		if i < maxRanked || i >= p.offset {
			s.ranked[f.doc] = true
		}
	}
	x.scorePassages(s, pl)
	for _, f := range list {
		s.ranked[f.doc] = false
	}
	if p.sort != SortRelevance || len(pl.clauses) == 0 {
		return
	}
	first := list[:min(maxRanked, len(list))]
	s.page.reset(min(p.offset+p.limit, len(first)))
	length := s.asking.length
	for n, r := range first {
		if n == maxLiked {
			s.asking.length = 0
		}
		score := r.record
		if pl.tells != nil && !pl.tells[r.doc] && x.records[r.doc].Kind == KindDataset {
			score *= otherTopic // many rows together have the words of a question that none of them answers
		}
		var best [maxPassages]passageScore
		x.bestPassages(s, pl, r.doc, summaryFactor, 0, &best)
		if x.documents.first[r.doc]+1 < x.documents.first[r.doc+1] {
			score += passageShare * best[0].score
		} else if best[0].score > 0 && x.records[r.doc].Kind != KindDataset { // whose summary answers nothing
			score += passageShare * r.record // whose title and labels are those of its only passage
		}
		score += recordBonus * x.asked.likeness(&s.asking, uint32(x.documents.Len())+r.doc)
		r.key = r.key>>32<<32 | uint64(math.Float32bits(score))
		s.page.offer(r)
	}
	s.asking.length = length // for the passages that are shown
	copy(first, s.page.list) // the others of first are on later pages
}

// scorePassages scores the passages of the documents that are set in s.ranked by the words of a query in them.
func (x *Index) scorePassages(s *scratch, pl *plan) {
	s.setTopics(x.documents, pl)
	for _, passage := range pl.exact {
		if s.ranked[x.documents.of[passage]] {
			s.scored = append(s.scored, passage)
			s.passages[passage] += exactBonus
		}
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		for n, passage := range c.list.Passages {
			if !s.ranked[x.documents.of[passage]] {
				continue
			}
			if s.passages[passage] == 0 {
				s.scored = append(s.scored, passage)
			}
			s.passages[passage] += c.list.Own[n] * c.weight
			s.has[passage] |= c.words
		}
	}
}

// forget clears the scores of passages.
func (s *scratch) forget() {
	for _, passage := range s.scored {
		s.passages[passage], s.has[passage] = 0, 0
	}
	s.scored = s.scored[:0]
}

// bestPassages sets best to the passages of a document that answer best, and returns their number, at least one. The
// score of the summary is multiplied by a factor, and has a bonus.
func (x *Index) bestPassages(
	s *scratch, pl *plan, doc uint32, factor, bonus float32, best *[maxPassages]passageScore,
) int {
	n := 0
	first, end := x.documents.first[doc], x.documents.first[doc+1]
	tells, compares := pl.tells != nil && pl.tells[doc], pl.compares(doc)
	for i := first; i < end; i++ {
		score := s.passages[i]
		if compares && (i == first || x.records[doc].passages[i-first].contrast) {
			score += contrastBonus
		}
		like := float32(0)
		if !compares { // which asks for something else than each question alone
			like = x.asked.likeness(&s.asking, i)
		}
		if score == 0 && like == 0 && !tells && (bonus == 0 || i > first) {
			continue
		}
		if pl.defined != "" && x.records[doc].passages[i-first].defines(pl.defined) {
			score += definedBonus
		}
		topic := s.topics[x.documents.topic[i]]
		if topic == unasked {
			score *= otherTopic
		}
		switch {
		case tells && topic == asked:
			score = score*topicFactor + topicBonus
		case i == first && end-first > 1: // the summary
			score = score*factor + bonus
		}
		if score += questionBonus * like; score == 0 {
			continue
		}
		if factor == shownSummary && !compares {
			score += shownCoverage * pl.share(s.has[i], 0)
		}
		at := min(n, maxPassages-1)
		if n == maxPassages && score <= best[at].score {
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

// shownPassages sets best to the passages of a document that answers show, and returns their number, at least one.
func (x *Index) shownPassages(s *scratch, pl *plan, doc uint32, best *[maxPassages]passageScore) int {
	bonus := float32(0)
	if pl.asksFor(doc) {
		bonus = namedSummary
	}
	return x.bestPassages(s, pl, doc, shownSummary, bonus, best)
}

// addNamed sets the documents that a word of the query, or two, names, and those that tell the subject of the question.
func (x *Index) addNamed(pl *plan, s string, ws []text.Word, ts []text.Term) {
	add := func(name string) {
		for _, doc := range x.searched(x.named[name]) {
			if x.records[doc].Kind == KindProtocol && !slices.Contains(pl.named, doc) {
				pl.named = append(pl.named, doc)
			}
		}
	}
	for _, t := range ts {
		add(t.Concept())
	}
	for _, w := range ws {
		add(strings.ToLower(s[w.Start:w.End]))
	}
	for _, topic := range pl.asked.Topics {
		set := x.topics[topic]
		if pl.tells == nil && set != nil {
			pl.tells = make(docSet, len(set))
		}
		for doc, tells := range set {
			pl.tells[doc] = pl.tells[doc] || tells
		}
	}
}

// isAnswered reports whether one of the first documents covers enough of a query.
func (x *Index) isAnswered(s *scratch, list []found, pl *plan) bool {
	return slices.ContainsFunc(list[:min(len(list), 10)], func(f found) bool {
		return x.coverage(s, f, pl) >= pl.leastCoverage()
	})
}

// coverage returns the share of the query, by rarity, that one passage of a document has, with the names of the document
// and the question of the passage: the words that carry a question stand together where it is answered. Of keywords, those
// that its text alone has count half. The free search, which has no texts, and documents without a title count all words.
func (x *Index) coverage(s *scratch, f found, pl *plan) float32 {
	if pl.share(^wordSet(0), 0) == 0 {
		return 1
	}
	if pl.names || x.records[f.doc].Title == "" {
		return pl.share(f.words, 0)
	}
	named, fields := wordSet(0), uint16(naming)
	if !isQuestion(pl.typed) {
		fields = ^uint16(1 << postings.Text)
	}
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if at := c.list.Find(f.doc); at >= 0 && c.list.Fields[at]&fields != 0 {
			named |= c.words
		}
	}
	if slices.Contains(pl.pinned, f.doc) || pl.onlyExact {
		named |= f.words
	}
	best := pl.share(named, 0)
	for passage := x.documents.first[f.doc]; passage < x.documents.first[f.doc+1]; passage++ {
		has := named
		for i := range pl.clauses {
			if c := &pl.clauses[i]; c.words&^has != 0 && c.list.HasPassage(passage) {
				has |= c.words
			}
		}
		if pl.asked.Has(x.documents.topics[x.documents.topic[passage]]) {
			has |= pl.asking
		}
		for words := x.asked.words(&s.asking, passage); words != 0; words &= words - 1 {
			has |= pl.bits[bits.TrailingZeros64(words)]
		}
		half := wordSet(0)
		if !isQuestion(pl.typed) {
			has &= f.words
			half = has &^ named
		}
		best = max(best, pl.share(has, half))
	}
	return best
}

// naming are the fields of a document as a whole.
const naming = 1<<postings.Title | 1<<postings.Labels | 1<<postings.Class | 1<<postings.People

// share returns the share of the query, by rarity, of some words, of which some count half beside those that texts have
// in other forms.
func (pl *plan) share(has, half wordSet) float32 {
	sum, all := float32(0), float32(0)
	for i, r := range pl.rarities {
		all += r
		switch bit := wordSet(1) << i; {
		case has&bit == 0:
		case (half|pl.distant)&bit != 0:
			sum += r * distantShare
		default:
			sum += r
		}
	}
	return sum / max(all, math.SmallestNonzeroFloat32)
}

// leastCoverage returns the share of a query that an answer must cover: less of a long one, which says the same in
// several words, of keywords, and in the free search, which knows the names alone.
func (pl *plan) leastCoverage() float32 {
	least := [3]float32{0.55, 0.44, 0.35}
	if pl.names || !isQuestion(pl.typed) {
		least = [3]float32{0.39, 0.35, 0.25}
	}
	switch n := len(pl.words); {
	case n <= 4:
		return least[0]
	case n <= 6:
		return least[1]
	}
	return least[2]
}

// missing returns the words of the query that the best of the documents found does not have. Where there is none for a
// name that no document has, these are that name and whatever else no document has.
func (pl *plan) missing(list []found) []string {
	has := wordSet(0)
	switch {
	case len(list) > 0:
		has = list[0].words
	case len(pl.strange) == 0: // all words
	case pl.names:
		return pl.strange
	default:
		for i := range pl.clauses {
			has |= pl.clauses[i].words
		}
	}
	var words []string
	for i, w := range pl.words {
		if has>>i&1 == 0 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return pl.strange
	}
	return words
}

// compares reports whether a query compares a document with another, in no subject that it names. "How do" names none.
func (pl *plan) compares(doc uint32) bool {
	isSubject := func(topic string) bool { return topic != "function" }
	return pl.compared && !slices.ContainsFunc(pl.asked.Topics, isSubject) && slices.Contains(pl.named, doc)
}

// asksFor reports whether a query asks what a document is: it compares it, or its title has every word, and none names
// a subject. Labels count, and a subject does not, in a question for a definition that no passage gives: a name has its
// words too.
func (pl *plan) asksFor(doc uint32) bool {
	if pl.compares(doc) {
		return true
	}
	naming := uint16(1 << postings.Title)
	if pl.undefined {
		naming |= 1 << postings.Labels
	}
	has := wordSet(0)
	for i := range pl.clauses {
		c := &pl.clauses[i]
		if at := c.list.Find(doc); at >= 0 && c.list.Fields[at]&naming != 0 {
			has |= c.words
		}
	}
	return has == pl.allWords && (len(pl.asked.Topics) == 0 || pl.undefined)
}

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
	n := x.shownPassages(s, pl, r.doc, &best)
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
		h.Explain = pl.explain(x, s, r)
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
