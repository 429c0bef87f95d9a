package index

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
)

// Search answers a query. Errors are *problem.Problem: query_missing, query_invalid,
// parameter_invalid, cursor_invalid, timeout, overloaded, or internal.
func (x *Index) Search(ctx context.Context, q Query) (*Results, error) {
	var p parsed
	if err := x.parse(&p, q); err != nil {
		return nil, err
	}
	return x.search(ctx, &p)
}

// search answers a parsed query.
func (x *Index) search(ctx context.Context, p *parsed) (r *Results, err error) {
	err = x.ranked(ctx, p, func(s *scratch, pl *plan) { r = x.results(s, p, pl) })
	return r, err
}

// Check returns the error with which Search would refuse a query, without searching.
func (x *Index) Check(q Query) error {
	var p parsed
	return x.parse(&p, q)
}

// ranked plans a query, collects its documents, scores their passages, and calls do with them.
func (x *Index) ranked(ctx context.Context, p *parsed, do func(*scratch, *plan)) error {
	ctx, end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	pl, err := x.plan(ctx, p)
	if err != nil {
		return asProblem(err)
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.reset(max(p.offset+p.limit, maxRanked))
	x.asked.ask(&s.asking, pl)
	x.collect(s, p, pl)
	if err := ctx.Err(); err != nil {
		return asProblem(err)
	}
	x.scorePassages(s, pl)
	defer s.forget()
	do(s, pl)
	return nil
}

// begin waits for a turn to search, which networks have fairly, and bounds the time until end is called.
func (x *Index) begin(parent context.Context) (ctx context.Context, end func(), err error) {
	ctx, cancel := context.WithTimeout(parent, x.options.Timeout)
	place := x.turns.Enter(ctx, peer.Network(peer.FromContext(ctx)))
	switch {
	case place != nil:
		return ctx, func() { place.Leave(); cancel() }, nil
	case parent.Err() != nil:
		err = asProblem(parent.Err())
	default:
		err = problem.New(problem.Overloaded)
	}
	cancel()
	return nil, nil, err
}

func asProblem(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return problem.Wrap(problem.Timeout, err)
	}
	return problem.Wrap(problem.Internal, err)
}

// The scores of documents that a query names as a whole: above all others.
const (
	pinnedScore    = 1000 // by its id or address
	calledScore    = 500  // by a curated question, if it asks for nothing else
	onlyIdentifier = 100  // by an identifier that a passage of it has

	earlierShare = 0.5 // of the weight of a named protocol, for an earlier version of it
)

// A scratch is the memory of one search, used again by the next. Its arrays by document and by passage are zero between
// searches.
type scratch struct {
	sums    []sum    // by document
	touched []uint32 // documents whose sum is not zero
	found   []found  // documents before they are filtered
	total   int
	top     topK

	ranked   []bool    // by document: its passages are scored
	passages []float32 // the scores of their words
	byName   []float32 // of them, of words that name the document
	has      []wordSet // of the query, by passage
	scored   []uint32  // passages whose score is not zero
	asking   asking
}

// A sum is the score of a document so far, with the words of the query that it has.
type sum struct {
	score float32
	words wordSet
	about bool // it is about a protocol that the query names
}

func newScratch(x *Index) *scratch {
	return &scratch{
		sums:   make([]sum, len(x.records)),
		ranked: make([]bool, len(x.records)), passages: make([]float32, x.documents.Len()),
		byName: make([]float32, x.documents.Len()), has: make([]wordSet, x.documents.Len()),
	}
}

func (s *scratch) reset(k int) {
	s.touched, s.found, s.total = s.touched[:0], s.found[:0], 0
	s.top = topK{s.top.list[:0], k}
}

// collect scores the documents, and keeps the first of them.
func (x *Index) collect(s *scratch, p *parsed, pl *plan) {
	switch {
	case len(pl.clauses)+len(pl.pinned)+len(pl.exact) > 0:
		s.addUp(x, pl, p.sort == SortRelevance)
	case strings.Trim(p.rest, " ") != "":
		return // no document has any word
	default: // filters only
		for doc := range x.count {
			s.found = append(s.found, found{key: rankKey(0, 0), doc: uint32(doc)})
		}
	}
	x.rank(s, p, pl)
}

// addUp sums the scores of each document that has any clause.
func (s *scratch) addUp(x *Index, pl *plan, byRelevance bool) {
	for i := range pl.clauses {
		c := &pl.clauses[i]
		for n, doc := range c.list.Docs {
			at := s.sumOf(doc)
			at.score += c.list.Scores[n] * c.weight
			at.words |= c.words
		}
	}
	for _, doc := range pl.pinned {
		at := s.sumOf(doc)
		at.score += pinnedScore
		at.words |= pl.allWords
		at.about = x.records[doc].Kind != "tag" // which lists what is about its word
	}
	for _, doc := range pl.called {
		at := s.sumOf(doc)
		at.score += calledScore
		at.words |= pl.allWords
	}
	last := -1
	for _, passage := range pl.exact {
		doc := x.documents.of[passage]
		if last == int(doc) || int(doc) >= x.count {
			continue
		}
		last = int(doc)
		at := s.sumOf(doc)
		if at.score += rules[identifierWritten].weight * rules[bestPassage].weight; pl.onlyExact {
			at.score += onlyIdentifier
			at.words |= pl.allWords
			if x.records[doc].Kind == KindProtocol { // whose fact it is
				at.score += rules[identifierWritten].weight
			}
		}
	}
	for _, owner := range pl.owners {
		s.sumOf(owner).score += rules[namedRecord].weight
	}
	for _, protocol := range pl.named {
		for _, doc := range x.about[protocol] {
			if int(doc) >= len(s.sums) || s.sums[doc].score == 0 {
				continue
			}
			part := rules[namedProtocol].weight
			if strings.Contains(x.records[doc].ID, "#") { // an earlier version comes after the protocol as it is now
				part *= earlierShare
			}
			s.sums[doc].score += part
			s.sums[doc].about = true
		}
	}
	for _, doc := range s.touched {
		at := s.sums[doc]
		if pl.asking != 0 && x.records[doc].topics&pl.topics != 0 {
			at.words |= pl.asking
		}
		s.found = append(s.found, found{key: pl.key(at, byRelevance), doc: doc, words: at.words})
		s.sums[doc] = sum{}
	}
}

// sumOf returns the sum of a document, which is touched from then on.
func (s *scratch) sumOf(doc uint32) *sum {
	at := &s.sums[doc]
	if at.score == 0 {
		s.touched = append(s.touched, doc)
	}
	return at
}

// rank counts the documents that pass the filters and keeps the first of them. In an order other than relevance, these
// are the documents of the first tier.
func (x *Index) rank(s *scratch, p *parsed, pl *plan) {
	list, first := x.passing(s.found, p, pl), uint64(0) // of the keys, without the scores
	for i := 0; i < len(list) && p.sort != SortRelevance; i++ {
		first = max(first, list[i].key>>32)
	}
	for _, f := range list {
		if f.key>>32 < first {
			continue
		}
		switch p.sort {
		case SortNewest:
			f.key = 0 // documents are sorted by this date
		case SortVerified:
			f.key = uint64(max(0, x.records[f.doc].verified().Time().Unix()))
		}
		s.total++
		s.top.offer(f)
	}
}

// results returns the answer made of the documents collected.
func (x *Index) results(s *scratch, p *parsed, pl *plan) *Results {
	r := &Results{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt,
		Query: p.text, Entries: []Hit{}, Suggestion: pl.suggestion,
	}
	list := s.top.list
	if len(list) > 0 && p.sort == SortRelevance && !x.isAnswered(s, list, pl) {
		r.Missing, r.Suggestion = pl.missing(list), ""
		return r
	}
	if len(list) == 0 {
		r.Missing = pl.missing(nil)
	}
	x.rankPassages(s, p, pl, list)
	page := list[min(p.offset, len(list)):min(p.offset+p.limit, len(list))]
	r.Total, r.Count = s.total, len(page)
	r.Entries = make([]Hit, 0, len(page))
	for i := range page {
		r.Entries = append(r.Entries, x.hit(s, &page[i], p, pl))
	}
	if next := p.offset + len(page); next < s.total && next < MaxDepth && len(page) > 0 {
		r.NextCursor = x.cursor(p, next)
	}
	return r
}

// A found is a document with its score.
type found struct {
	key    uint64  // sorts the documents: see rankKey
	doc    uint32  // sorts documents with equal keys
	words  wordSet // of the query, that the document has
	record float32 // the score without that of passages, once they are ranked
}

// rankKey returns a key that is higher the lower the tier of a document, and then the higher its
// score, which must not be negative.
func rankKey(tier uint8, score float32) uint64 {
	return uint64(math.MaxUint8-tier)<<32 | uint64(math.Float32bits(score))
}

func (f found) score() float32 { return math.Float32frombits(uint32(f.key)) }

// before orders documents: the higher key first, and then the lower number.
func (f *found) before(other *found) bool {
	return f.key > other.key || f.key == other.key && f.doc < other.doc
}

// A topK has the first k of the documents offered to it, sorted.
type topK struct {
	list []found
	k    int
}

// offer adds a document if it is among the first so far.
func (t *topK) offer(f found) {
	n := len(t.list)
	if n == t.k {
		if n == 0 || !f.before(&t.list[n-1]) {
			return
		}
		n--
	}
	at := sort.Search(n, func(i int) bool { return f.before(&t.list[i]) })
	t.list = slices.Insert(t.list[:n], at, f)
}
