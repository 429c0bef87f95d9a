package index

import (
	"hash/maphash"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// A shown is what an answer needs of a document besides its place: the JSON of its fields, and
// where its words are. It is made when the document is first shown.
type shown struct {
	json []byte // the fields of the entry or change, from "{" on and without "}"

	// The terms of the title, and then of the summary, with their places in code points. The low
	// bits of the terms lie together, so that most are passed without being looked at.
	low    []uint8
	terms  []uint64 // hashes
	places [][2]int32
	title  int // number of terms of the title
}

// shelf keeps what was shown, for as many documents as fit.
type shelf struct {
	seed maphash.Seed
	docs []atomic.Pointer[shown]
	left atomic.Int64
}

// maxShown bounds the documents kept ready; each takes about two kilobytes.
const maxShown = 20_000

func newShelf(docs int) *shelf {
	s := &shelf{seed: maphash.MakeSeed(), docs: make([]atomic.Pointer[shown], docs)}
	s.left.Store(maxShown)
	return s
}

func (x *Index) show(doc uint32) *shown {
	slot := &x.shelf.docs[doc]
	if s := slot.Load(); s != nil {
		return s
	}
	rec := &x.records[doc]
	s := &shown{}
	if rec.entry != nil {
		s.json = entryJSON(rec.entry)
		x.mark(s, rec.entry.Title)
		s.title = len(s.low)
		x.mark(s, rec.entry.Summary)
	} else if rec.change != nil {
		s.json = changeJSON(rec.change)
		x.mark(s, rec.change.Title)
		s.title = len(s.low)
	}
	if x.shelf.left.Add(-1) >= 0 {
		slot.Store(s)
	}
	return s
}

// mark adds the terms of a text with their places.
func (x *Index) mark(s *shown, text string) {
	ws := x.analyzer.words(nil, text)
	ts := x.analyzer.terms(nil, ws, text)
	starts, ends := make([]int32, len(ws)), make([]int32, len(ws))
	points, at := int32(0), 0
	for i, w := range ws {
		points += int32(utf8.RuneCountInString(text[at:w.start]))
		starts[i] = points
		points += int32(utf8.RuneCountInString(text[w.start:w.end]))
		ends[i], at = points, w.end
	}
	for _, t := range ts {
		h := maphash.String(x.shelf.seed, t.text)
		s.low, s.terms = append(s.low, uint8(h)), append(s.terms, h)
		s.places = append(s.places, [2]int32{starts[t.first], ends[t.last]})
	}
}

// sought are the terms that a plan looks for, as a shown has them.
type sought struct {
	terms []uint64
	low   [4]uint64 // one bit for the low bits of each
}

func (x *Index) sought(pl *plan) (s sought) {
	s.terms = make([]uint64, 0, usualVariants*len(pl.wants))
	for i := range pl.wants {
		for _, v := range pl.wants[i].variants {
			h := maphash.String(x.shelf.seed, v.term)
			s.terms = append(s.terms, h)
			s.low[uint8(h)>>6] |= 1 << (h & 63)
		}
	}
	return s
}

// highlights gives the places of the terms sought, those that touch or overlap as one. The places
// are appended to room.
func (s *shown) highlights(want *sought, room *[][2]int) Highlights {
	start := len(*room)
	end := start // of the places in the title
	for i, low := range s.low {
		if want.low[low>>6]>>(low&63)&1 == 0 || !slices.Contains(want.terms, s.terms[i]) {
			continue
		}
		first := start
		if i >= s.title {
			first = end
		}
		from, to := int(s.places[i][0]), int(s.places[i][1])
		if n := len(*room); n > first && from <= (*room)[n-1][1] {
			(*room)[n-1][1] = max((*room)[n-1][1], to)
			continue
		}
		*room = append(*room, [2]int{from, to})
		if i < s.title {
			end = len(*room)
		}
	}
	n := len(*room)
	return Highlights{Title: (*room)[start:end:end], Summary: (*room)[end:n:n]}
}
