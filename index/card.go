package index

import (
	"bytes"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/index/text"
	"almanac/wirejson"
)

// A card is what answers show of a document, besides its score. Those of a large library are made when a
// document is first shown.
type card struct {
	record   *record
	passages []cardPassage
	json     atomic.Pointer[cardJSON] // made when it is first written

	// The terms of the title, and then of the summary or of the passages, with their places in code points.
	// The low bits of the hashes are together, so that most terms are skipped without being compared.
	low    []uint8
	terms  []uint64 // hashes
	places [][2]int32
	title  int // end of the terms of the title

	at termTable // where the terms are, if there are several passages
}

// A cardJSON is the encoded parts of a card.
type cardJSON struct {
	record   []byte   // the members of the entry or change, from "{" on and without "}"
	passages [][]byte // of each passage, without the final brace
}

// A cardPassage is a passage with its terms.
type cardPassage struct {
	Passage
	text, to int // the terms of its text among those of the card
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

// newCards returns cards of documents, of which so many are kept; each takes about two kilobytes.
func newCards(a *text.Analyzer, site catalog.Site, docs, kept int) *cards {
	c := &cards{analyzer: a, site: site, seed: maphash.MakeSeed(), docs: make([]atomic.Pointer[card], docs)}
	c.left.Store(int64(kept))
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

// makeAll makes the cards of all documents, on every core, so that the first answers need not.
func (c *cards) makeAll(records recordList) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				doc := int(next.Add(1)) - 1
				if doc >= len(records) {
					return
				}
				c.card(uint32(doc), &records[doc])
			}
		})
	}
	workers.Wait()
}

// hash returns the hash of a term.
func (c *cards) hash(term string) uint64 { return maphash.String(c.seed, term) }

func (c *cards) newCard(rec *record) *card {
	made := &card{record: rec}
	room := c.room.Get().(*cardRoom)
	defer c.room.Put(room)
	if e := rec.entry; e != nil {
		c.addText(made, room, e.Title)
		made.title = len(made.low)
		c.addText(made, room, e.Summary)
		made.passages = []cardPassage{{entryPassage(c.site, e), made.title, len(made.low)}}
		return made
	}
	if change := rec.change(); change != nil {
		c.addText(made, room, change.Title)
	}
	made.title = len(made.low)
	at := make(map[uint64][]passageTerm)
	for i, p := range rec.other.passages {
		cp, from := cardPassage{Passage: p}, len(made.low)
		c.addText(made, room, p.Title)
		cp.text = len(made.low)
		c.addText(made, room, p.Text)
		cp.to = len(made.low)
		made.passages = append(made.passages, cp)
		addPassage(at, uint16(i), made.terms[from:cp.text], made.terms[cp.text:])
	}
	made.at = newTermTable(at)
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
		made.record = openObject(c.record.change())
	}
	for i := range c.passages {
		made.passages = append(made.passages, openObject(&c.passages[i].Passage))
	}
	c.json.Store(made)
	return made
}

// openObject returns the JSON object of an entry, a change or a passage without the final brace.
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
		h := c.hash(t.Text)
		to.low, to.terms = append(to.low, uint8(h)), append(to.terms, h)
		to.places = append(to.places, [2]int32{room.places[t.First][0], room.places[t.Last][1]})
	}
}
