package index

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"almanac/index/text"
	"almanac/wirejson"
)

// A card is what answers show of a document, besides its score. It is made when the document is
// first shown.
type card struct {
	json []byte // the members of the entry or change, from "{" on and without "}"

	// The terms of the title, and then of the summary, with their places in code points. The low
	// bits of the hashes are together, so that most terms are skipped without being compared.
	low    []uint8
	terms  []uint64 // hashes
	places [][2]int32
	title  int // number of terms of the title
}

// cards keeps the cards of as many documents as fit.
type cards struct {
	analyzer *text.Analyzer
	seed     maphash.Seed
	docs     []atomic.Pointer[card]
	left     atomic.Int64
}

// maxCards bounds the cards that are kept; each takes about two kilobytes.
const maxCards = 20_000

func newCards(a *text.Analyzer, docs int) *cards {
	c := &cards{analyzer: a, seed: maphash.MakeSeed(), docs: make([]atomic.Pointer[card], docs)}
	c.left.Store(maxCards)
	return c
}

// card returns the card of a document.
func (c *cards) card(doc uint32, rec *record) *card {
	slot := &c.docs[doc]
	if made := slot.Load(); made != nil {
		return made
	}
	made := &card{}
	if rec.entry != nil {
		made.json = openObject(rec.entry)
		c.addText(made, rec.entry.Title)
		made.title = len(made.low)
		c.addText(made, rec.entry.Summary)
	} else if rec.change != nil {
		made.json = openObject(rec.change)
		c.addText(made, rec.change.Title)
		made.title = len(made.low)
	}
	if c.left.Add(-1) >= 0 {
		slot.Store(made)
	}
	return made
}

// openObject returns the JSON object of an entry or a change without the final brace.
func openObject(v any) []byte {
	return bytes.TrimSuffix(wirejson.Must(wirejson.Compact(v)), []byte("}"))
}

// addText adds the terms of a text to a card.
func (c *cards) addText(to *card, s string) {
	ws := c.analyzer.Words(nil, s)
	ts := c.analyzer.Terms(nil, ws, s)
	starts, ends := make([]int32, len(ws)), make([]int32, len(ws))
	points, at := int32(0), 0
	for i, w := range ws {
		points += int32(utf8.RuneCountInString(s[at:w.Start]))
		starts[i] = points
		points += int32(utf8.RuneCountInString(s[w.Start:w.End]))
		ends[i], at = points, w.End
	}
	for _, t := range ts {
		h := maphash.String(c.seed, t.Text)
		to.low, to.terms = append(to.low, uint8(h)), append(to.terms, h)
		to.places = append(to.places, [2]int32{starts[t.First], ends[t.Last]})
	}
}

// A termSet holds the terms of a query, as cards have them.
type termSet struct {
	terms []uint64
	low   [4]uint64 // one bit for the low bits of each
}

func (c *cards) add(set *termSet, variants []text.Variant) {
	for _, v := range variants {
		h := maphash.String(c.seed, v.Term)
		set.terms = append(set.terms, h)
		set.low[uint8(h)>>6] |= 1 << (h & 63)
	}
}

// highlights returns the places of terms, with those that touch or overlap joined. The places are
// appended to room.
func (c *card) highlights(terms *termSet, room *[][2]int) Highlights {
	start := len(*room)
	end := start // of the places in the title
	for i, low := range c.low {
		if terms.low[low>>6]>>(low&63)&1 == 0 || !slices.Contains(terms.terms, c.terms[i]) {
			continue
		}
		first := start
		if i >= c.title {
			first = end
		}
		from, to := int(c.places[i][0]), int(c.places[i][1])
		if n := len(*room); n > first && from <= (*room)[n-1][1] {
			(*room)[n-1][1] = max((*room)[n-1][1], to)
			continue
		}
		*room = append(*room, [2]int{from, to})
		if i < c.title {
			end = len(*room)
		}
	}
	n := len(*room)
	return Highlights{Title: (*room)[start:end:end], Summary: (*room)[end:n:n]}
}
