package index

import "almanac/catalog"

// Results are the answer to a query, with members in the order of their JSON.
type Results struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"` // of the data
	Query         string   `json:"query"`        // the text, with single spaces
	Total         int      `json:"total"`        // of all hits
	Count         int      `json:"count"`        // of the hits in this answer
	Entries       []Hit    `json:"entries"`
	Facets        Facets   `json:"facets"`            // of all hits
	Undated       int      `json:"undated,omitempty"` // documents that only lack a date of publication
	NextCursor    string   `json:"next_cursor,omitempty"`
	Suggestion    string   `json:"suggestion,omitempty"` // the text with its misspelt words corrected, which is what was searched
	Missing       []string `json:"missing,omitempty"`    // of an answer without hits: words of the query that nothing found has
	Credits       *Credits `json:"credits,omitempty"`
}

// Credits are the balance of the credential that paid for the answer.
type Credits struct {
	Remaining  int    `json:"remaining"`
	ValidUntil string `json:"valid_until"`
}

// A Hit is a document that was found. Its JSON is the library entry, member for member, or for the
// other kinds the shape of the change feed, followed by kind, score, matched, missing,
// highlights and passages.
type Hit struct {
	Entry      *catalog.Entry  // kind library: the catalog's own
	Change     *catalog.Change // the other kinds
	Kind       string
	Score      float64 // comparable within one answer only
	Matched    []Match
	Missing    []string // words of the query that the document does not have
	Highlights Highlights
	Passages   []PassageHit // the parts of the document that answer the query best, the best first

	Explain *Explanation // nil unless it was asked for

	doc   uint32
	shown *shown
}

// A PassageHit is a passage of a hit.
type PassageHit struct {
	*Passage              // the document's own
	Highlights [][2]int32 `json:"highlights"` // in the text, as those of Highlights

	shown *shown
}

// ID returns the id of the document.
func (h *Hit) ID() string {
	if h.Entry != nil {
		return h.Entry.ID
	}
	return h.Change.ID
}

// A Match is a reason why a document was found.
type Match struct {
	Term string   `json:"term"`         // the words of the query
	As   string   `json:"as,omitempty"` // what they were read as, if that is something else
	In   []string `json:"in"`           // id, url, title, labels (id, publisher, authors, tags, category, type) or text
}

// Highlights are the places of the words of a query, as pairs of the first character and the one
// after the last, counted in Unicode code points.
type Highlights struct {
	Title   [][2]int32 `json:"title,omitempty"`
	Summary [][2]int32 `json:"summary,omitempty"` // of kind library only
}
