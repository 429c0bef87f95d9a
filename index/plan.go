package index

import (
	"math/bits"
	"strings"

	"almanac/index/postings"
	"almanac/index/text"
)

// A plan is a query as lists of documents to be added up.
type plan struct {
	clauses    []clause
	words      []string // the words of the query that a document should have, by bit
	required   wordSet  // the bits of words
	phrases    []set64  // documents that have each phrase
	excluded   []set64  // documents that have something excluded
	pinned     []uint32 // documents whose id or address the whole text is
	pinnedTerm string   // that text
	pinnedIn   []string // "id" or "url"
	suggestion string   // the text with its misspelt words corrected
}

// A planning is the memory of making a plan, used again by the next.
type planning struct {
	plan   plan
	lookup lookup
	words  []text.Word
	terms  []text.Term
	parts  partRoom
}

// A clauseSet is a set of clauses of a plan, of which there are MaxTerms at most.
type clauseSet uint16

// A wordSet is a set of words of a query, of which MaxTerms are looked up at most.
type wordSet uint16

// stepwise is the number of words up to which documents that miss fewer words of the query always
// come first. Of longer queries, only the documents that have all words do: the others are ranked by
// their scores alone, which judged collections prefer.
const stepwise = 3

// tier returns the rank of documents that have some words of the query; 0 is the first.
func (pl *plan) tier(has wordSet) uint8 {
	n := bits.OnesCount16(uint16(pl.required &^ has))
	if len(pl.words) > stepwise {
		n = min(n, 1)
	}
	return uint8(n)
}

// A clause is a part of a query with the documents that have it.
type clause struct {
	list     *postings.List
	weight   float32
	words    wordSet // what a document with the clause is not missing
	term     string  // as in the query
	as       string  // what it was read as, if that is something else
	variants []text.Variant
}

// plan looks up the parts of a query. The plan is valid until the next is made in the same memory.
func (x *Index) plan(d *postings.Deadline, room *planning, p *parsed) (*plan, error) {
	pl := &room.plan
	*pl = plan{clauses: pl.clauses[:0], words: pl.words[:0]}
	pl.pinned = x.names.find(p.text)
	if len(pl.pinned) > 0 {
		pl.pinnedTerm, pl.pinnedIn = p.text, []string{"id"}
		if strings.ContainsRune(p.text, '/') {
			pl.pinnedIn[0] = "url"
		}
	}
	if err := x.planText(d, room, p); err != nil {
		return nil, err
	}
	for _, s := range p.excluded {
		set, err := x.excluded(d, s)
		if err != nil {
			return nil, err
		}
		if set != nil {
			pl.excluded = append(pl.excluded, set)
		}
	}
	return pl, nil
}

// planText looks up the words and phrases of a query.
func (x *Index) planText(d *postings.Deadline, room *planning, p *parsed) error {
	pl := &room.plan
	s := x.split(room, p)
	ws, ts := room.words, room.terms
	parts, err := x.rarest(d, x.parts(&room.parts, ws, ts, s))
	if err != nil {
		return err
	}
	l := &room.lookup
	l.reset(pl, s, ws)
	for _, part := range parts {
		if part.first == part.last {
			l.addWord(part, x.analyzer.IsFiller(ws[part.first]))
		}
	}
	for _, part := range parts {
		if err := x.lookUp(d, l, part); err != nil {
			return err
		}
	}
	if len(parts) == 0 && len(ws) > 0 {
		if err := x.lookUpStopWords(d, pl, ws); err != nil {
			return err
		}
	}
	l.finish()
	for _, s := range p.phrases {
		set, err := x.phrase(d, phraseWords(ws, s), ts)
		if err != nil {
			return err
		}
		if set != nil {
			pl.phrases = append(pl.phrases, set)
		}
	}
	return nil
}

// split splits the text of a query into words and terms.
func (x *Index) split(room *planning, p *parsed) (s string) {
	cut := func(s string) {
		room.words = x.analyzer.Words(room.words[:0], s)
		room.terms = x.analyzer.Terms(room.terms[:0], room.words, s)
	}
	cut(p.rest)
	if len(p.phrases) > 0 { // which are spans of the text as it is
		return p.rest
	}
	if s = x.analyzer.SplitCompounds(p.rest, room.words, room.terms, x.store.HasInText); s != p.rest {
		cut(s)
	}
	return s
}
