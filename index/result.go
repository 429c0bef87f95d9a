package index

import (
	"math"
	"slices"

	"almanac/catalog"
)

// Results are the answer to a query, in the order of the wire.
type Results struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"` // of the data
	Query         string   `json:"query"`        // the text, with its spaces in order
	Total         int      `json:"total"`        // of everything found
	Count         int      `json:"count"`        // of the entries in this answer
	Entries       []Hit    `json:"entries"`
	Facets        Facets   `json:"facets"` // of everything found
	NextCursor    string   `json:"next_cursor,omitempty"`
	Suggestion    string   `json:"suggestion,omitempty"` // the text with its misspelt words put right, which is what was looked for
	Credits       *Credits `json:"credits,omitempty"`
}

// Credits are what is left of the credential that paid for the answer.
type Credits struct {
	Remaining int    `json:"remaining"`
	ExpiresAt string `json:"expires_at"`
}

// A Hit is something found. Its JSON is the library entry, field for field, or for the other
// kinds the shape of the change feed, followed by kind, score, matched and highlights.
type Hit struct {
	Entry      *catalog.Entry  // kind library: the catalog's own
	Change     *catalog.Change // the other kinds
	Kind       string
	Score      float64 // comparable within one answer only
	Matched    []Match
	Highlights Highlights

	doc   uint32
	shown *shown
}

// ID gives the id of what was found.
func (h *Hit) ID() string {
	if h.Entry != nil {
		return h.Entry.ID
	}
	return h.Change.ID
}

// A Match tells why something was found.
type Match struct {
	Term string   `json:"term"`         // the words of the query
	As   string   `json:"as,omitempty"` // what they were taken for, when that is something else
	In   []string `json:"in"`           // id, url, title, labels (id, publisher, authors, tags, category, type) or text
}

// Highlights are the places of words looked for, as pairs of first character and the one after
// the last, counted in Unicode code points.
type Highlights struct {
	Title   [][2]int `json:"title,omitempty"`
	Summary [][2]int `json:"summary,omitempty"` // kind library only
}

// results makes the answer of what was collected.
func (x *Index) results(s *scratch, p *parsed, pl *plan) *Results {
	page := s.best.from(p.offset)
	r := &Results{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt,
		Query: p.text, Total: s.total, Count: len(page), Entries: make([]Hit, len(page)),
		Facets: x.filters.count(s.counts), Suggestion: pl.suggestion,
	}
	x.fill(r.Entries, page, pl)
	if next := p.offset + len(page); next < s.total && next < MaxDepth && len(page) > 0 {
		r.NextCursor = x.cursor(p, next)
	}
	return r
}

// fill makes the hits of what was found. What they are made of lies together, in one piece for
// the reasons and one for the places of all hits.
func (x *Index) fill(hits []Hit, page []found, pl *plan) {
	reasons := make([]Match, 0, len(page)*len(pl.wants)+len(pl.pinned))
	places := make([][2]int, 0, 4*len(page))
	sought := x.sought(pl)
	for i, f := range page {
		rec, start := &x.records[f.doc], len(reasons)
		if slices.Contains(pl.pinned, f.doc) {
			reasons = append(reasons, Match{Term: pl.pinnedTerm, In: pl.pinnedIn})
		}
		for j := range pl.wants {
			w := &pl.wants[j]
			if at := w.list.find(f.doc); at >= 0 {
				reasons = append(reasons, Match{w.term, w.as, x.fieldSets[w.list.fields[at]]})
			}
		}
		shown := x.show(f.doc)
		hits[i] = Hit{
			Entry: rec.entry, Change: rec.change, Kind: rec.kind, Score: round(f.score),
			Matched:    reasons[start:len(reasons):len(reasons)],
			Highlights: shown.highlights(&sought, &places),
			doc:        f.doc, shown: shown,
		}
	}
}

// fieldSets gives the names of each set of scored fields.
func fieldSets() (sets [1 << scoredFields][]string) {
	for bits := range sets {
		for f, name := range matchNames {
			if bits&(1<<f) != 0 {
				sets[bits] = append(sets[bits], name)
			}
		}
	}
	return sets
}

// round keeps four decimals, which is what the order of an answer can be followed by.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
