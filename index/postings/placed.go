package postings

import (
	"hash/maphash"
	"sync/atomic"

	"almanac/index/text"
)

// placed knows where the terms of a document are. Few documents have all words of a phrase, so that their
// texts are analysed again when a phrase first asks for them, instead of keeping positions of all.
type placed struct {
	analyzer  *text.Analyzer
	documents Documents
	seed      maphash.Seed
	kept      []atomic.Pointer[placedTokens]
	left      atomic.Int64
}

// newPlaced returns the places of terms; those of so many documents are kept.
func newPlaced(a *text.Analyzer, docs Documents, kept int) *placed {
	p := &placed{analyzer: a, documents: docs, seed: maphash.MakeSeed(), kept: make([]atomic.Pointer[placedTokens], docs.Len())}
	p.left.Store(int64(kept))
	return p
}

// placedTokens are the terms of the fields of a document, in the order of their first words.
type placedTokens [Fields][]placedToken

type placedToken struct {
	hash uint64
	word uint64 // the first word of the term, by its number in the field
}

// tokens returns the terms of a document.
func (p *placed) tokens(doc uint32) *placedTokens {
	if t := p.kept[doc].Load(); t != nil {
		return t
	}
	t := new(placedTokens)
	for f, s := range p.documents.Texts(int(doc)) {
		ws := p.analyzer.Words(nil, s)
		ts := p.analyzer.Terms(nil, ws, s)
		t[f] = make([]placedToken, len(ts))
		for i, term := range ts {
			t[f][i] = placedToken{p.hash(term.Text), uint64(term.First)}
		}
	}
	if p.left.Add(-1) >= 0 {
		p.kept[doc].Store(t)
	}
	return t
}

func (p *placed) hash(term string) uint64 { return maphash.String(p.seed, term) }

// has reports whether one of a set of fields has the words of a phrase in their places.
func (t *placedTokens) has(words []placedToken, fields uint8) bool {
	for f, tokens := range t {
		if fields&(1<<f) == 0 {
			continue
		}
		for i := range tokens {
			if tokens[i].hash == words[0].hash && follow(tokens[i:], words) {
				return true
			}
		}
	}
	return false
}

// follow reports whether all words of a phrase are in their places from the first of some tokens on.
func follow(tokens, words []placedToken) bool {
	for _, w := range words[1:] {
		at := tokens[0].word + w.word - words[0].word
		found := false
		for i := 0; i < len(tokens) && tokens[i].word <= at && !found; i++ {
			found = tokens[i].word == at && tokens[i].hash == w.hash
		}
		if !found {
			return false
		}
	}
	return true
}
