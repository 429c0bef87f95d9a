package index

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"go.almanac.example/index/text"
)

// A lookup is the state of looking up the parts of a query one by one.
type lookup struct {
	plan      *plan
	analyzer  *text.Analyzer
	text      string
	words     []text.Word
	found     []bool   // by word: a document has a part with it
	inName    []bool   // by word: it belongs to a name and means nothing alone
	corrected []string // by word: the word that it is a misspelling of, or ""
}

func newLookup(a *text.Analyzer, pl *plan, s string, ws []text.Word) *lookup {
	n := len(ws)
	pl.bits = make([]wordSet, n)
	return &lookup{plan: pl, analyzer: a, text: s, words: ws, found: make([]bool, n), inName: make([]bool, n),
		corrected: make([]string, n)}
}

// The weights of words that are read as something else, and of words that only phrase a question.
const (
	prefixWeight     = 0.7
	correctionWeight = 0.7
	fillerWeight     = 0.3
	minBeginning     = 3   // letters of a word that also stands for those it begins
	strangeWord      = 1.3 // of the rarity of a word that no document has: a common one belongs to another subject
	strangeName      = 0.7 // and any other may be a detail
)

// addWord adds a word to those that documents should have. Fillers are optional.
func (l *lookup) addWord(p part, filler bool) {
	if filler {
		return
	}
	bit := wordSet(1) << len(l.plan.words)
	w := l.words[p.first]
	l.plan.words, l.plan.rarities = append(l.plan.words, l.text[w.Start:w.End]), append(l.plan.rarities, 0)
	for i := range l.words {
		if l.words[i].Stem == w.Stem {
			l.plan.bits[i] = bit
		}
	}
}

// finish sets the rarities of words that no document has, and the suggestion. Words that ask for the reader's own affairs
// are strange.
func (l *lookup) finish(unknown float32) {
	l.plan.allWords = wordSet(1)<<len(l.plan.words) - 1
	for i, r := range l.plan.rarities {
		if r == 0 {
			l.plan.rarities[i] = unknown * strangeName
			if l.analyzer.IsCorrect(strings.ToLower(l.plan.words[i])) {
				l.plan.rarities[i] = unknown * strangeWord
			}
		}
	}
	l.plan.suggestion = l.suggestion()
	for i, w := range l.words {
		if l.plan.topics&l.analyzer.Topic("self") != 0 && slices.Contains(l.plan.askWords, i) {
			l.plan.strange = append(l.plan.strange, l.text[w.Start:w.End])
		}
	}
}

// lookUp adds a clause for a part: the word itself and its other spellings, or else the words it
// begins, or else the word it is a misspelling of.
func (x *Index) lookUp(ctx context.Context, l *lookup, p part) error {
	single := p.first == p.last
	if single && l.inName[p.first] {
		return nil
	}
	p.variants = x.asPerson(l, p)
	list, err := x.store.List(ctx, p.variants...)
	if err != nil {
		return err
	}
	c := clause{list: list, weight: float32(p.count), term: l.text[l.words[p.first].Start:l.words[p.last].End],
		variants: p.variants}
	for _, bit := range l.plan.bits[p.first : p.last+1] {
		c.words |= bit
	}
	if single && c.words == 0 {
		c.weight *= fillerWeight
	}
	if p.joined && len(list.Docs) > 0 { // which a text or two may write so: it is no rarer than its two words
		apart := float32(0)
		for _, w := range l.words[p.first : p.last+1] {
			one, err := x.store.List(ctx, text.Term{Text: w.Stem}.AppendVariants(nil)...)
			if err != nil {
				return err
			}
			apart += one.Rarity
		}
		c.weight *= min(1, apart/list.Rarity)
	}
	for i := p.first; i <= p.last; i++ {
		// The 12 of BOLT 12 is searched with its name only, and so is a single letter: when there is
		// no BIP 39, a 39 is no match.
		l.inName[i] = l.inName[i] || p.numbered && (i > p.first || len(list.Docs) > 0 && len(l.words[i].Text) == 1)
	}
	if p.numbered {
		if l.plan.numbered == nil {
			l.plan.numbered = make(docSet, len(x.records))
		}
		for _, doc := range list.Docs {
			l.plan.numbered[doc] = true
		}
	}
	if len(list.Docs) > 0 && !(single && x.isMisspelt(l.words[p.first])) {
		if single && (len(list.Docs) <= rareWord || x.free == nil && l.words[p.first].End == len(l.text)) {
			if err := x.addLonger(ctx, l, &c, p.first); err != nil {
				return err
			}
		}
		l.addClause(c)
		for i := p.first; i <= p.last; i++ {
			l.found[i] = true
		}
		return nil
	}
	if !single || l.found[p.first] {
		return nil
	}
	if c.variants, c.as = x.guess(l, p.first); c.variants == nil {
		w := l.words[p.first].Text
		letters := strings.TrimRight(w, "0123456789")
		if letters != w && letters != "" && (l.analyzer.IsSeries(letters) || x.store.IsFamily(letters)) ||
			x.free != nil && l.isName(c.term) {
			l.plan.strange = append(l.plan.strange, c.term)
		}
		return nil
	}
	if c.list, err = x.store.List(ctx, c.variants...); err != nil {
		return err
	}
	l.addClause(c)
	return nil
}

// isName reports whether a word that no document has is written as a name: with a capital letter, in small ones, and
// not as any word of English.
func (l *lookup) isName(word string) bool {
	lower := strings.ToLower(word)
	return len(word) > 4 && word != lower && word != strings.ToUpper(word) && !l.analyzer.IsCorrect(lower)
}

// addClause adds a clause, whose rarity its words share unless an earlier one has them: a name of two words is one.
func (l *lookup) addClause(c clause) {
	l.plan.clauses = append(l.plan.clauses, c)
	for i := range l.plan.rarities {
		if at := &l.plan.rarities[i]; c.words>>i&1 != 0 && *at == 0 {
			*at = c.list.Rarity / float32(bits.OnesCount32(uint32(c.words)))
		}
	}
}

// A word in so few documents also stands for those it begins: "rob" for robots.
const (
	rareWord     = 2
	longerWeight = 0.4
)

// addLonger adds the words that a rare word begins to its clause.
func (x *Index) addLonger(ctx context.Context, l *lookup, c *clause, word int) (err error) {
	s := l.words[word].Text
	if len(s) < minBeginning || text.HasDigit(s) {
		return nil
	}
	n := len(c.variants)
	for _, stem := range x.store.Completions(s) {
		if !slices.ContainsFunc(c.variants, func(v text.Variant) bool { return v.Term == stem }) {
			c.variants = append(c.variants, text.Variant{Term: stem, Weight: longerWeight})
		}
	}
	if len(c.variants) > n {
		c.list, err = x.store.List(ctx, c.variants...)
	}
	return err
}

// asPerson returns the variants of a part: of a name that only people have, not its stem, which is of another word.
func (x *Index) asPerson(l *lookup, p part) []text.Variant {
	if p.first != p.last {
		return p.variants
	}
	w := l.words[p.first].Text
	person := text.Person(w)
	if !x.store.MayHave(person) {
		return p.variants
	}
	if l.words[p.first].Stem != w {
		return []text.Variant{{Term: person, Weight: 1}}
	}
	return append(p.variants, text.Variant{Term: person, Weight: 1})
}

// isMisspelt reports whether a word that is in no document shares its stem with words of other
// meaning by accident, as "invoce" shares that of "invocation".
func (x *Index) isMisspelt(w text.Word) bool {
	if x.store.HasWord(w.Text) {
		return false
	}
	corrected := x.store.Correction(w.Text)
	return corrected != "" && x.analyzer.Stem(corrected) != w.Stem
}

// guess returns the terms that a word which no document has may stand for.
func (x *Index) guess(l *lookup, word int) (variants []text.Variant, as string) {
	s := l.words[word].Text
	if l.words[word].End == len(l.text) { // only the last word may be unfinished
		for _, stem := range x.store.Completions(s) {
			if v := (text.Variant{Term: stem, Weight: prefixWeight}); !slices.Contains(variants, v) {
				variants = append(variants, v)
			}
		}
	}
	if len(variants) > 0 {
		return variants, s + "…"
	}
	if as = x.store.Correction(s); as == "" || x.free == nil && !x.store.MayHave(x.analyzer.Stem(as)) {
		return nil, ""
	}
	if x.free != nil { // the free search says how it reads a word
		l.corrected[word] = as
	}
	variants = text.Term{Text: x.analyzer.Stem(as)}.AppendVariants(nil)
	for i := range variants {
		variants[i].Weight *= correctionWeight
	}
	return variants, as
}

// suggestion returns the text with its misspelt words corrected, or "".
func (l *lookup) suggestion() string {
	var b strings.Builder
	at := 0
	for i, w := range l.words {
		if l.corrected[i] != "" {
			b.WriteString(l.text[at:w.Start] + l.corrected[i])
			at = w.End
		}
	}
	if at == 0 {
		return ""
	}
	b.WriteString(l.text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}
