package index

import (
	"bytes"
	"math"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// Results are the answer to a query.
type Results struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"` // of the data
	Query         string   `json:"query"`        // the text, with single spaces
	Total         int      `json:"total"`        // of all hits
	Count         int      `json:"count"`        // of the hits in this answer
	Entries       []Hit    `json:"-"`
	NextCursor    string   `json:"next_cursor,omitempty"`
	Suggestion    string   `json:"suggestion,omitempty"` // the text as it was searched, if words are misspelt
	Missing       []string `json:"missing,omitempty"`    // of an answer without hits: words that nothing has
	Credits       *Credits `json:"-"`

	encoded func() []byte // of an answer that is asked for again: its JSON without credits
}

// appendTo appends the results as a document.
func (r *Results) appendTo(b []byte) []byte {
	if r.encoded != nil {
		b = append(b, r.encoded()...)
	} else {
		b = append(appendMembers(b, r), `,"entries":[`...)
		for i := range r.Entries {
			b = append(r.Entries[i].appendTo(b), ',')
		}
		b = append(bytes.TrimSuffix(b, []byte(",")), "]}"...)
	}
	if r.Credits == nil {
		return b
	}
	b = append(b[:len(b)-1], `,"credits":`...)
	return append(appendMembers(b, r.Credits), "}}"...)
}

// appendMembers appends a value as a JSON object that other members may follow, without its closing brace.
func appendMembers(b []byte, v any) []byte {
	b = wirejson.Must(wirejson.AppendPlain(b, v))
	return b[:len(b)-1]
}

// Credits are the balance of the credential that paid for the answer.
type Credits struct {
	Remaining  int    `json:"remaining"`
	ValidUntil string `json:"valid_until"`
}

// A Hit is a document that was found.
type Hit struct {
	Entry  *catalog.Entry  // kind library: the catalog's own
	Change *catalog.Change // the other kinds
	Kind   string
	Finding
}

// A Finding is the members that a search adds to a document.
type Finding struct {
	Score    float64      `json:"score"`             // comparable within one answer only
	Missing  []string     `json:"missing,omitempty"` // words of the query that the document does not have
	Passages []*Passage   `json:"passages"`          // that answer the query best, the best first
	Explain  *Explanation `json:"explain,omitempty"` // nil unless it was asked for
}

// appendTo appends the library entry, member for member, or for the other kinds the shape of the change feed, followed by
// the members that the search adds.
func (h *Hit) appendTo(b []byte) []byte {
	if h.Entry == nil {
		b = appendMembers(b, h.Change)
	} else {
		b = append(appendMembers(b, h.Entry), `,"kind":"library"`...)
	}
	at := len(b)
	b = append(appendMembers(b, &h.Finding), '}')
	b[at] = ',' // in the place of the brace
	return b
}

// ID returns the id of the document.
func (h *Hit) ID() string {
	if h.Entry != nil {
		return h.Entry.ID
	}
	return h.Change.ID
}

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
