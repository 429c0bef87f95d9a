package index

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// A plan is a query as lists of documents to be added up.
type plan struct {
	clauses     []clause
	words       []string  // the words of the query that a document should have, by bit
	allWords    wordSet   // the bits of words
	required    []docSet  // a document must be in all of them
	excluded    []docSet  // and in none of these
	pinned      []uint32  // documents whose id or address the whole text is
	pinnedBy    Match     // how the text names them
	exact       []uint32  // passages with an identifier of the text
	onlyExact   bool      // the text is nothing but an identifier
	suggestion  string    // the text with its misspelt words corrected
	rarities    []float32 // of words, by bit
	numbered    docSet    // documents with a name with a number that the query has, such as BIP 39; nil: it has none
	strange     []string  // names with numbers that no document has, and words that ask for the reader's own affairs
	distant     wordSet   // the bits of words that texts have in other forms only
	unknown     float32   // the rarity of words that no document has
	typed       []text.Word
	bits        []wordSet   // by word of typed
	spelt       []text.Term // the terms of typed
	asked       text.Asked  // subjects of the question
	compared    bool        // it asks how things differ
	defined     string      // the word that it asks to define, or ""
	undefined   bool        // it asks to define a word that no passage defines
	asking      wordSet     // the bits of words that name these subjects
	tells       docSet      // documents with a passage that tells it; nil: none
	named       []uint32    // protocols that words of the query name
	names       bool        // of the free search
	byRelevance bool        // is the order
	nothing     bool        // no document has any word
}

// A wordSet is a set of words of a query, of which MaxTerms are looked up at most.
type wordSet uint16

// key returns the rank key of a document that has some words of the query and scores by them. In an order by relevance
// all words count as a bonus; in others, only the documents with all words come first. The free search has a tier for
// each number of words that are missing.
func (pl *plan) key(has wordSet, score float32) uint64 {
	missing := bits.OnesCount16(uint16(pl.allWords &^ has))
	switch {
	case pl.names:
		return rankKey(uint8(missing), score)
	case !pl.byRelevance:
		return rankKey(uint8(min(missing, 1)), score)
	case missing == 0:
		score += allWordsBonus
	}
	return rankKey(0, score)
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

// plan looks up the parts of a query.
func (x *Index) plan(ctx context.Context, p *parsed) (*plan, error) {
	pl := &plan{pinned: x.documentsNamed(p.text), byRelevance: p.sort == SortRelevance}
	if len(pl.pinned) > 0 {
		pl.pinnedBy = Match{Term: p.text, In: []string{"id"}}
		switch id := x.records[pl.pinned[0]].ID; {
		case strings.ContainsRune(p.text, '/'):
			pl.pinnedBy.In[0] = "url"
		case normalName(p.text) != id && normalName(p.text) != x.records[pl.pinned[0]].slug():
			pl.pinnedBy.In[0] = "questions"
		}
	}
	if err := x.planText(ctx, pl, p); err != nil {
		return nil, err
	}
	x.addFacets(pl, p)
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
	if p.expression != nil {
		set, err := x.evaluate(ctx, p.expression)
		if err != nil {
			return nil, err
		}
		pl.required = append(pl.required, set)
	}
	return pl, nil
}

// planText looks up the words and phrases of a query.
func (x *Index) planText(ctx context.Context, pl *plan, p *parsed) error {
	pl.exact, pl.onlyExact = x.exact.find(p.rest)
	s, ws, ts := x.split(p)
	parts, err := x.rarest(ctx, x.parts(ws, ts, s))
	if err != nil {
		return err
	}
	pl.typed, pl.spelt, pl.asked = ws, ts, x.analyzer.Asked(ws)
	word := asksToDefine(p.text)
	if x.defined[word] {
		pl.defined, pl.asked = word, text.Asked{} // which is its subject
	}
	pl.undefined = word != "" && pl.defined == ""
	pl.compared = slices.ContainsFunc(ws, func(w text.Word) bool { return comparing[w.Text] })
	x.addNamed(pl, s, ws, ts)
	pl.unknown = x.store.Unknown()
	l := newLookup(x.analyzer, pl, s, ws)
	for _, part := range parts {
		if part.first == part.last {
			w := ws[part.first]
			l.addWord(part, x.analyzer.IsFiller(w))
		}
	}
	for _, part := range parts {
		if err := x.lookUp(ctx, l, part); err != nil {
			return err
		}
	}
	l.finish()
	pl.bits = l.bits
	for _, i := range pl.asked.Words {
		pl.asking |= l.bits[i]
	}
	if pl.asked.Has("self") {
		for i, w := range ws {
			if slices.Contains(pl.asked.Words, i) {
				pl.strange = append(pl.strange, s[w.Start:w.End])
			}
		}
	}
	if x.free != nil {
		if err := x.addInvented(ctx, pl, p.rest); err != nil {
			return err
		}
	}
	if len(pl.strange) > 0 {
		pl.numbered = make(docSet, len(x.records))
	}
	for i := range pl.clauses {
		if c := &pl.clauses[i]; pl.tells != nil && c.words != 0 && c.words&^pl.asking == 0 {
			c.weight *= askingWeight
		}
	}
	for _, s := range p.phrases {
		set, err := x.phrase(ctx, ws, s, ts)
		if err != nil {
			return err
		}
		if set != nil {
			pl.required = append(pl.required, set)
		}
	}
	return nil
}

// identifier matches names written as programs write them, days, and the numbers of statuses and versions. No other
// answers for one that no document has.
var identifier = regexp.MustCompile(`\b(\w+_\w+|[A-Z]\w*(?:-[A-Z]\w*)+|[A-Z]?[a-z]+[A-Z]\w*|[12]\d{3}-\d\d-\d\d)\b|` +
	`\b(?i:status|error|version|revision|port|kind)(?: code| number)? v?-?(\d[\d.-]*\d)\b`)

// addInvented adds the identifiers of a text that no document has to the strange words.
func (x *Index) addInvented(ctx context.Context, pl *plan, s string) error {
	for _, match := range identifier.FindAllStringSubmatch(s, -1) {
		name := match[1] + match[2]
		if slices.Contains(pl.strange, name) {
			continue
		}
		if ws := x.analyzer.Words(nil, name); len(ws) == 1 {
			l, err := x.store.List(ctx, text.Term{Text: ws[0].Stem}.AppendVariants(nil)...)
			if err != nil {
				return err
			}
			if len(l.Docs) > 0 {
				continue
			}
		}
		apart, ws, ts := x.split(&parsed{rest: name})
		set, err := x.phrase(ctx, ws, span{0, len(apart)}, ts)
		if err != nil {
			return err
		}
		if set != nil && !slices.Contains(set, true) {
			pl.strange = append(pl.strange, name)
		}
	}
	return nil
}

// comparing are words that ask how things differ.
var comparing = map[string]bool{
	"vs": true, "versus": true, "difference": true, "differences": true, "differ": true, "compare": true, "compared": true, "comparison": true,
	"unterschied": true,
}

// split splits the text of a query into words and terms.
func (x *Index) split(p *parsed) (s string, ws []text.Word, ts []text.Term) {
	isKnown := func(w string) bool { return x.store.HasWord(w) && x.store.HasInText(x.analyzer.Stem(w)) }
	ws = x.analyzer.Words(nil, p.rest)
	x.analyzer.Translate(ws, isKnown)
	ts = x.analyzer.Terms(nil, ws, p.rest)
	if len(p.phrases) > 0 { // which are spans of the text as it is
		return p.rest, ws, ts
	}
	if s = x.analyzer.SplitCompounds(p.rest, ws, ts, x.store.HasInText, x.store.IsFamily); s != p.rest {
		ws = x.analyzer.Words(nil, s)
		x.analyzer.Translate(ws, isKnown)
		ts = x.analyzer.Terms(nil, ws, s)
	}
	return s, ws, ts
}

// A part of a query is a word, or several that make one term, before it is looked up.
type part struct {
	variants    []text.Variant
	first, last int
	count       int  // how often the query has it
	numbered    bool // a series name with its number
}

// parts returns the parts of a query: terms of several words first, then each word.
func (x *Index) parts(ws []text.Word, ts []text.Term, s string) []part {
	var long, single []part
	newPart := func(t text.Term) part { return part{t.AppendVariants(nil), t.First, t.Last, 1, t.Numbered} }
	for _, t := range ts {
		switch {
		case t.Target:
		case t.First < t.Last:
			if i := indexOfPart(long, t.First, t.Last); i >= 0 {
				long[i].variants = t.AppendVariants(long[i].variants)
			} else {
				long = append(long, newPart(t))
			}
		case t.Extra:
			if i := indexOfPart(single, t.First, t.Last); i >= 0 {
				single[i].variants = t.AppendVariants(single[i].variants)
			}
		default:
			i := slices.IndexFunc(single, func(p part) bool { return p.variants[0].Term == t.Text })
			if i >= 0 {
				single[i].count++
			} else {
				single = append(single, newPart(t))
			}
		}
	}
	for i := 0; i+1 < len(ws); i++ {
		if ws[i].Stop || ws[i+1].Stop || s[ws[i].End:ws[i+1].Start] != " " || indexOfPart(long, i, i+1) >= 0 {
			continue
		}
		// A stem has the first letters of its word, two of the second word among them.
		if second := ws[i+1].Text; !x.store.MayBegin(ws[i].Text, second[:min(len(second), 2)]) {
			continue
		}
		if joined := x.analyzer.Stem(ws[i].Text + ws[i+1].Text); x.store.MayHave(joined) {
			p := newPart(text.Term{Text: joined, First: i, Last: i + 1})
			p.variants = p.variants[:1] // the word itself, and not the two joined by a hyphen
			long = append(long, p)
		}
	}
	return append(long, single...)
}

// indexOfPart returns the index of the part made of these words, or -1.
func indexOfPart(parts []part, first, last int) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.first == first && p.last == last })
}

// rarest returns the parts that the fewest documents have, if there are more than MaxTerms.
func (x *Index) rarest(ctx context.Context, parts []part) ([]part, error) {
	if len(parts) <= MaxTerms || x.free == nil {
		return parts[:min(len(parts), MaxTerms)], nil
	}
	docs := make([]int, len(parts))
	order := make([]int, len(parts))
	for i, p := range parts {
		l, err := x.store.List(ctx, p.variants[0])
		if err != nil {
			return nil, err
		}
		if docs[i], order[i] = len(l.Docs), i; docs[i] == 0 {
			docs[i] = math.MaxInt // last
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(docs[i], docs[j]) })
	order = order[:MaxTerms]
	slices.Sort(order)
	var list []part
	for _, i := range order {
		list = append(list, parts[i])
	}
	return list, nil
}
