package index

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// A plan is a query as it was read: the documents that have its parts, the bounds of those that may be found, and the
// question that orders them.
type plan struct {
	clauses    []clause
	suggestion string // the text with its misspelt words corrected
	names      bool   // of the free search

	// The words of a query that a document should have, by bit.
	words    []string
	rarities []float32
	allWords wordSet
	bits     []wordSet // by word of the text

	// The documents that a query may find, and the reasons to find none.
	required []docSet // a document must be in all of them
	excluded []docSet // and in none of these
	numbered docSet   // documents with a name with a number that the query has, such as BIP 39; nil: it has none
	strange  []string // names with numbers that no document has, and words that ask for the reader's own affairs

	// The documents and passages that a query names.
	pinned    []uint32 // documents whose id or address the whole text is
	called    []uint32 // documents that the whole text is a curated question of
	exact     []uint32 // passages with an identifier of the text
	onlyExact bool     // the text is nothing but an identifier
	coded     bool     // it has an identifier that only programs write, whose passage answers it: not the number of ISO 15118
	named     []uint32 // protocols that words of the query name
	owners    []uint32 // documents that words of the query name, by an id or a curated question
	each      []uint32 // the protocols, if it asks for one subject of several of them and for little else

	// The subject of a query and the words that name it.
	typed    []text.Word
	question bool        // it is not keywords
	spelt    []text.Term // the terms of typed
	topics   text.Topics // the subjects that it asks for
	askWords []int       // the words that name these subjects
	asking   wordSet     // the same, by bit
	defined  string      // the word that it asks to define, or ""
	defining []uint32    // the passages that do
	whole    uint16      // the fields that may name the record of which it asks what it is: for its summary; 0: it does not
}

// A wordSet is a set of words of a query, of which MaxTerms are looked up at most.
type wordSet uint32

// key returns the rank key of a document with its sum. In an order by relevance all words count as a bonus; in others, only
// the documents with all words come first. The free search has a tier for each number of words that are missing, of which
// the name of a protocol is another for documents that are not about it.
func (pl *plan) key(at sum, byRelevance bool) uint64 {
	missing := bits.OnesCount32(uint32(pl.allWords &^ at.words))
	switch {
	case pl.names && len(pl.named) > 0 && !at.about:
		return rankKey(uint8(missing+1), at.score)
	case pl.names:
		return rankKey(uint8(missing), at.score)
	case !byRelevance:
		return rankKey(uint8(min(missing, 1)), at.score)
	case missing == 0:
		at.score += rules[allWords].weight
	}
	return rankKey(0, at.score)
}

// A clause is a part of a query with the documents that have it.
type clause struct {
	list     *postings.List
	weight   float32
	words    wordSet // words that a document with the clause has
	term     string  // as in the query
	as       string  // its reading, if that is another
	variants []text.Variant
}

// fieldsOf returns the fields of a document that have the clause.
func (c *clause) fieldsOf(doc uint32) uint16 {
	if at := c.list.Find(doc); at >= 0 {
		return c.list.Fields[at]
	}
	return 0
}

// isWhole reports whether a query asks what a document is: all its words name it.
func (pl *plan) isWhole(doc uint32) bool {
	if pl.whole == 0 {
		return false
	}
	has := wordSet(0)
	for i := range pl.clauses {
		if c := &pl.clauses[i]; c.fieldsOf(doc)&pl.whole != 0 {
			has |= c.words
		}
	}
	return has == pl.allWords
}

// plan looks up the parts of a query.
func (x *Index) plan(ctx context.Context, p *parsed) (*plan, error) {
	pl := &plan{names: x.free == nil}
	pl.pinned = x.documentsNamed(p.text)
	if len(pl.pinned) == 0 && strings.HasPrefix(normalName(p.text), x.pages) {
		pl.strange = append(pl.strange, p.text) // the address of no page
	}
	if err := x.planText(ctx, pl, p); err != nil {
		return nil, err
	}
	if meant := pl.suggestion; meant != "" && len(p.phrases) == 0 { // what it asks is read from the words that were meant
		again := *p
		again.rest, pl = meant, &plan{pinned: pl.pinned, strange: pl.strange}
		if err := x.planText(ctx, pl, &again); err != nil {
			return nil, err
		}
		pl.suggestion = meant
	}
	if pl.topics == 0 && pl.defined == "" && pl.whole&^(1<<postings.Title) == 0 { // else it asks about the record
		for _, name := range spellings(p.text, pl.typed, pl.spelt) {
			pl.called = append(pl.called, x.searched(x.called[name])...)
		}
	}
	if pl.numbered != nil && len(pl.pinned) == 0 && !pl.onlyExact {
		pl.required = append(pl.required, pl.numbered)
	}
	for _, s := range p.excluded {
		set, err := x.having(ctx, s, said)
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
func (x *Index) planText(ctx context.Context, pl *plan, p *parsed) error {
	pl.exact, pl.onlyExact, pl.coded = x.exact.find(p.rest)
	s, ws, ts := x.split(p)
	parts := x.parts(ws, ts, s)
	x.readQuestion(pl, s, ws, ts)
	l := newLookup(x.analyzer, pl, s, ws)
	for _, part := range parts {
		if part.first == part.last {
			l.addWord(part, x.analyzer.IsFiller(ws[part.first]))
		}
	}
	for _, part := range parts {
		if err := x.lookUp(ctx, l, part); err != nil {
			return err
		}
	}
	l.finish(x.store.Unknown())
	for _, i := range pl.askWords {
		pl.asking |= pl.bits[i]
	}
	others := len(pl.words) - len(pl.named) - bits.OnesCount32(uint32(pl.asking))
	within := func(doc uint32) bool { return strings.Contains(x.records[doc].slug(), "-") } // x402 is of a2a-x402
	if others <= 1 && len(pl.named) > 1 && pl.topics&^(x.analyzer.Topic("comparison")|x.analyzer.Topic("function")) != 0 && !slices.ContainsFunc(pl.named, within) {
		pl.each = pl.named
	}
	if err := x.addInvented(ctx, pl, p.rest); err != nil {
		return err
	}
	if len(pl.strange) > 0 {
		pl.numbered = make(docSet, len(x.records))
	}
	for _, s := range p.phrases {
		set, err := x.phrase(ctx, ws, s, ts, false)
		if err != nil {
			return err
		}
		outside := slices.ContainsFunc(ws, func(w text.Word) bool { return !w.Stop && (w.Start < s.start || w.End > s.end) })
		if set != nil && (!outside || slices.Contains(set, true)) { // else it is a message that somebody quotes
			pl.required = append(pl.required, set)
		}
	}
	return nil
}

// maxNamed bounds the words of the name of a protocol: cloudflare-pay-per-crawl.
const maxNamed = 4

// readQuestion sets what the words of a query ask, and the protocols that they name.
func (x *Index) readQuestion(pl *plan, s string, ws []text.Word, ts []text.Term) {
	pl.typed, pl.spelt = ws, ts
	meaning, _, open := asksToDefine(s)
	if pl.defined, pl.defining = x.definedIn(meaning, open); pl.defined == "" { // which would be its subject
		pl.topics, pl.askWords = x.analyzer.Asked(ws)
		if meaning != "" {
			pl.whole = 1<<postings.Title | 1<<postings.Labels
		} else if pl.topics == 0 && !isQuestion(ws) {
			pl.whole = 1 << postings.Title
		}
	}
	pl.question = pl.defined != "" || len(ws) >= minAsking && (isQuestion(ws) || pl.topics != 0)
	name := func(id string) {
		for _, doc := range x.searched(x.named["protocol:"+id]) {
			if x.records[doc].slug() == id && !slices.Contains(pl.named, doc) { // and none of its versions
				pl.named, pl.owners = append(pl.named, doc), append(pl.owners, doc)
			}
		}
	}
	for _, t := range ts {
		name(t.Concept())
	}
	for i := range ws {
		id := ""
		for _, w := range ws[i:min(i+maxNamed, len(ws))] {
			id += "-" + strings.ToLower(s[w.Start:w.End])
			name(id[1:])
			pl.owners = append(pl.owners, x.searched(x.named[id[1:]])...)
			if i > 0 || w != ws[len(ws)-1] || pl.topics == 0 { // else the query asks for its subject
				pl.owners = append(pl.owners, x.searched(x.called[strings.ReplaceAll(id[1:], "-", " ")])...)
			}
		}
	}
	slices.Sort(pl.owners)
	pl.owners = slices.Compact(pl.owners)
}
