package index

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

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
	Suggestion    string   `json:"suggestion,omitempty"` // the text as it was searched, if words are misspelt
	Missing       []string `json:"missing,omitempty"`    // of an answer without hits: words that nothing has
	Credits       *Credits `json:"credits,omitempty"`
}

// Credits are the balance of the credential that paid for the answer.
type Credits struct {
	Remaining  int    `json:"remaining"`
	ValidUntil string `json:"valid_until"`
}

// A Hit is a document that was found. Its JSON is the library entry, member for member, or for the
// other kinds the shape of the change feed, followed by the members of Finding.
type Hit struct {
	Entry  *catalog.Entry  // kind library: the catalog's own
	Change *catalog.Change // the other kinds
	Kind   string
	Finding

	shown *shownText
}

// A Finding is the members that a search adds to a document.
type Finding struct {
	Score      float64      `json:"score"` // comparable within one answer only
	Matched    []Match      `json:"matched"`
	Missing    []string     `json:"missing,omitempty"` // words of the query that the document does not have
	Highlights Highlights   `json:"highlights"`
	Passages   []PassageHit `json:"passages"`          // that answer the query best, the best first
	Explain    *Explanation `json:"explain,omitempty"` // nil unless it was asked for
}

// MarshalJSON encodes the entry or change with the members that the search adds.
func (h Hit) MarshalJSON() ([]byte, error) { return h.appendJSON(nil), nil }

// appendJSON appends the encoding that encoding/json has for the members, which took a tenth of a paid search.
func (h *Hit) appendJSON(b []byte) []byte {
	b = append(append(b, h.shown.json...), `,"score":`...)
	b = append(strconv.AppendFloat(b, h.Score, 'f', -1, 64), `,"matched":[`...)
	for i, m := range h.Matched {
		if i > 0 {
			b = append(b, ',')
		}
		b = wirejson.AppendString(append(b, `{"term":`...), m.Term)
		if m.As != "" {
			b = wirejson.AppendString(append(b, `,"as":`...), m.As)
		}
		b = append(appendStrings(append(b, `,"in":`...), m.In), '}')
	}
	b = append(b, ']')
	if len(h.Missing) > 0 {
		b = appendStrings(append(b, `,"missing":`...), h.Missing)
	}
	b = append(b, `,"highlights":{`...)
	if len(h.Highlights.Title) > 0 {
		b = appendPlaces(append(b, `"title":`...), h.Highlights.Title)
	}
	if len(h.Highlights.Summary) > 0 {
		if len(h.Highlights.Title) > 0 {
			b = append(b, ',')
		}
		b = appendPlaces(append(b, `"summary":`...), h.Highlights.Summary)
	}
	b = append(b, `},"passages":[`...)
	for i := range h.Passages {
		p := &h.Passages[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPlaces(append(append(b, p.shown.json...), `,"highlights":`...), p.Highlights)
		b = append(b, '}')
	}
	b = append(b, ']')
	if h.Explain != nil {
		b = wirejson.Must(wirejson.Append(append(b, `,"explain":`...), h.Explain)) // strings and numbers always encode
	}
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = wirejson.AppendString(b, s)
	}
	return append(b, ']')
}

func appendPlaces(b []byte, list [][2]int32) []byte {
	b = append(b, '[')
	for i, place := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(place[0]), 10)
		b = strconv.AppendInt(append(b, ','), int64(place[1]), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// A PassageHit is a passage of a hit.
type PassageHit struct {
	*Passage              // the document's own
	Highlights [][2]int32 `json:"highlights"` // in the text, as those of Highlights

	shown *shownText
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
	As   string   `json:"as,omitempty"` // their reading, if that is another
	In   []string `json:"in"`           // id, url, title, labels (id, publisher, authors, tags, category, type) or text
}

// Highlights are the places of the words of a query, as pairs of the first character and the one
// after the last, counted in Unicode code points.
type Highlights struct {
	Title   [][2]int32 `json:"title,omitempty"`
	Summary [][2]int32 `json:"summary,omitempty"` // of kind library only
}

// A place is where a text has a term, by the term's hash, in code points.
type place struct {
	term uint64
	span [2]int32
}

// hashSeed is of the hashes of terms.
var hashSeed = maphash.MakeSeed()

// A shownText is a record or a passage as answers show it.
type shownText struct {
	places []place // of the terms in the title or the text
	json   []byte  // without the final brace
}

// show returns the text of a record or passage, each of which has a number, and its encoding, that of v.
func (x *Index) show(number int, s string, v any) *shownText {
	if known, ok := x.shown.Get(number); ok {
		return known
	}
	b := wirejson.Must(wirejson.Compact(v)) // strings, numbers and lists of them always encode
	t := &shownText{x.places(s), bytes.Clone(bytes.TrimSuffix(b, []byte("}")))}
	x.shown.Add(number, t)
	return t
}

// places returns the places of all terms in a text.
func (x *Index) places(s string) []place {
	ws := x.analyzer.Words(nil, s)
	points, at := int32(0), 0
	ends := make([][2]int32, len(ws))
	for i, w := range ws {
		start := points + int32(utf8.RuneCountInString(s[at:w.Start]))
		points = start + int32(utf8.RuneCountInString(s[w.Start:w.End]))
		ends[i], at = [2]int32{start, points}, w.End
	}
	ts := x.analyzer.Terms(nil, ws, s)
	list := make([]place, len(ts))
	for i, t := range ts {
		list[i] = place{maphash.String(hashSeed, t.Text), [2]int32{ends[t.First][0], ends[t.Last][1]}}
	}
	return list
}

// highlights returns those of sorted places that have one of several terms. Those that touch or overlap are joined.
func highlights(list []place, terms []uint64) [][2]int32 {
	places := [][2]int32{}
	for _, p := range list {
		if !slices.Contains(terms, p.term) {
			continue
		}
		if n := len(places); n > 0 && p.span[0] <= places[n-1][1] {
			places[n-1][1] = max(places[n-1][1], p.span[1])
			continue
		}
		places = append(places, p.span)
	}
	return places
}

// terms returns the hashes of the terms of a plan.
func (pl *plan) terms() (list []uint64) {
	for i := range pl.clauses {
		for _, v := range pl.clauses[i].variants {
			list = append(list, maphash.String(hashSeed, v.Term))
		}
	}
	return list
}

// round keeps four decimals, enough to follow the order of an answer.
func round(score float32) float64 { return math.Round(float64(score)*1e4) / 1e4 }
