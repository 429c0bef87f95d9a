package index

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/index/text"
	"almanac/wirejson"
)

// A card is what answers show of a document, besides its score. It is made when the document is
// first shown.
type card struct {
	record   *record
	passages []cardPassage
	json     atomic.Pointer[cardJSON] // made when it is first written

	// The terms of the title, of the summary and of the passages, with their places in code points.
	// The low bits of the hashes are together, so that most terms are skipped without being compared.
	low    []uint8
	terms  []uint64 // hashes
	places [][2]int32
	title  int // end of the terms of the title
	body   int // end of the terms of the summary
}

// A cardJSON is the encoded parts of a card.
type cardJSON struct {
	record   []byte   // the members of the entry or change, from "{" on and without "}"
	passages [][]byte // of each passage, without the highlights and the final brace
}

// A cardPassage is a passage with its terms.
type cardPassage struct {
	Passage
	at       int // its index among the passages of the card
	from, to int // its terms among those of the card; those of its title precede those of its text
	text     int // first term of its text
}

// cards keeps the cards of as many documents as fit.
type cards struct {
	analyzer *text.Analyzer
	site     catalog.Site
	seed     maphash.Seed
	docs     []atomic.Pointer[card]
	left     atomic.Int64
	room     sync.Pool // of *cardRoom
}

// A cardRoom is the memory of making a card, used again by the next.
type cardRoom struct {
	words  []text.Word
	terms  []text.Term
	places [][2]int32
}

// maxCards bounds the cards that are kept; each takes about two kilobytes.
const maxCards = 20_000

func newCards(a *text.Analyzer, site catalog.Site, docs int) *cards {
	c := &cards{analyzer: a, site: site, seed: maphash.MakeSeed(), docs: make([]atomic.Pointer[card], docs)}
	c.left.Store(maxCards)
	c.room.New = func() any { return new(cardRoom) }
	return c
}

// card returns the card of a document.
func (c *cards) card(doc uint32, rec *record) *card {
	slot := &c.docs[doc]
	if made := slot.Load(); made != nil {
		return made
	}
	made := c.newCard(rec)
	if c.left.Add(-1) >= 0 {
		slot.Store(made)
	}
	return made
}

func (c *cards) newCard(rec *record) *card {
	made := &card{record: rec}
	room := c.room.Get().(*cardRoom)
	defer c.room.Put(room)
	if e := rec.entry; e != nil {
		c.addText(made, room, e.Title)
		made.title = len(made.low)
		c.addText(made, room, e.Summary)
		made.body = len(made.low)
		made.passages = []cardPassage{{Passage: entryPassage(c.site, e), from: made.title, text: made.title, to: made.body}}
		return made
	}
	if rec.change != nil {
		c.addText(made, room, rec.change.Title)
	}
	made.title = len(made.low)
	made.body = made.title
	for i, p := range rec.passages {
		cp := cardPassage{Passage: p, at: i, from: len(made.low)}
		c.addText(made, room, p.Title)
		cp.text = len(made.low)
		c.addText(made, room, p.Text)
		cp.to = len(made.low)
		made.passages = append(made.passages, cp)
	}
	return made
}

// encoded returns the encoded parts of a card.
func (c *card) encoded() *cardJSON {
	if made := c.json.Load(); made != nil {
		return made
	}
	made := new(cardJSON)
	if c.record.entry != nil {
		made.record = openObject(c.record.entry)
	} else {
		made.record = openObject(c.record.change)
	}
	for i := range c.passages {
		made.passages = append(made.passages, openPassage(&c.passages[i].Passage))
	}
	c.json.Store(made)
	return made
}

// openPassage returns the JSON of a passage without its highlights and the final brace.
func openPassage(p *Passage) []byte {
	bare := *p
	bare.Highlights = nil
	return bytes.TrimSuffix(openObject(bare), []byte(`,"highlights":null`))
}

// openObject returns the JSON object of an entry or a change without the final brace.
func openObject(v any) []byte {
	return bytes.TrimSuffix(wirejson.Must(wirejson.Compact(v)), []byte("}"))
}

// addText adds the terms of a text to a card.
func (c *cards) addText(to *card, room *cardRoom, s string) {
	room.words = c.analyzer.Words(room.words[:0], s)
	room.terms = c.analyzer.Terms(room.terms[:0], room.words, s)
	room.places = room.places[:0]
	points, at := int32(0), 0
	for _, w := range room.words {
		start := points + int32(utf8.RuneCountInString(s[at:w.Start]))
		points = start + int32(utf8.RuneCountInString(s[w.Start:w.End]))
		room.places, at = append(room.places, [2]int32{start, points}), w.End
	}
	n := len(room.terms)
	to.low, to.terms, to.places = slices.Grow(to.low, n), slices.Grow(to.terms, n), slices.Grow(to.places, n)
	for _, t := range room.terms {
		h := maphash.String(c.seed, t.Text)
		to.low, to.terms = append(to.low, uint8(h)), append(to.terms, h)
		to.places = append(to.places, [2]int32{room.places[t.First][0], room.places[t.Last][1]})
	}
}

// A termSet holds the terms of a query, as cards have them.
type termSet struct {
	terms   []uint64
	clauses []uint8   // by term: the clause it belongs to
	weights []float32 // by clause: what a passage with it is worth more
	low     [4]uint64 // one bit for the low bits of each
}

func (c *cards) add(set *termSet, variants []text.Variant, weight float32) {
	for _, v := range variants {
		h := maphash.String(c.seed, v.Term)
		set.terms, set.clauses = append(set.terms, h), append(set.clauses, uint8(len(set.weights)))
		set.low[uint8(h)>>6] |= 1 << (h & 63)
	}
	set.weights = append(set.weights, weight)
}

// find returns the index of a term of a card in the set, or -1.
func (t *termSet) find(low uint8, term uint64) int {
	if t.low[low>>6]>>(low&63)&1 == 0 {
		return -1
	}
	return slices.Index(t.terms, term)
}

// highlights returns the places of terms among those of a card from one to another, with those that
// touch or overlap joined. The places are appended to room.
func (c *card) highlights(terms *termSet, from, to int, room *[][2]int) [][2]int {
	start := len(*room)
	for i := from; i < to; i++ {
		if terms.find(c.low[i], c.terms[i]) < 0 {
			continue
		}
		first, last := int(c.places[i][0]), int(c.places[i][1])
		if n := len(*room); n > start && first <= (*room)[n-1][1] {
			(*room)[n-1][1] = max((*room)[n-1][1], last)
			continue
		}
		*room = append(*room, [2]int{first, last})
	}
	n := len(*room)
	return (*room)[start:n:n]
}

// maxPassages bounds the passages of a hit.
const maxPassages = 3

// best appends the passages that have most of the terms to list, the best first, and at least one.
func (c *card) best(terms *termSet, list []*cardPassage) []*cardPassage {
	if len(c.passages) == 1 {
		return append(list, &c.passages[0])
	}
	var top [maxPassages]struct {
		at    int
		score float32
	}
	n := 0
	for i := range c.passages {
		score := c.score(terms, &c.passages[i])
		if score == 0 {
			continue
		}
		at := n
		for at > 0 && top[at-1].score < score {
			at--
		}
		if at == maxPassages {
			continue
		}
		n = min(n+1, maxPassages)
		copy(top[at+1:n], top[at:n-1])
		top[at].at, top[at].score = i, score
	}
	for i := range n {
		if top[i].score >= top[0].score/2 {
			list = append(list, &c.passages[top[i].at])
		}
	}
	if n == 0 && len(c.passages) > 0 {
		list = append(list, &c.passages[0])
	}
	return list
}

// score returns the weights of the clauses that a passage has, with a little more for each that its
// title has.
func (c *card) score(terms *termSet, p *cardPassage) (score float32) {
	var has uint64 // by clause, of which there are a few more than MaxTerms at most
	for i := p.from; i < p.to; i++ {
		at := terms.find(c.low[i], c.terms[i])
		if at < 0 {
			continue
		}
		clause := terms.clauses[at]
		if has>>clause&1 == 0 {
			has |= 1 << clause
			score += terms.weights[clause]
		}
		if i < p.text {
			score += terms.weights[clause] / 2
		}
	}
	return score
}
