package index

import (
	"strconv"

	"almanac/wirejson"
)

// Answers are encoded by hand from parts that are encoded once: BenchmarkHTTP writes them at half
// the rate of a handler that only copies the bytes, which encoding/json does not reach. TestWire
// compares the bytes with those of encoding/json.

// MarshalJSON encodes the entry or change with the members that the search adds.
func (h Hit) MarshalJSON() ([]byte, error) { return h.append(nil), nil }

// MarshalJSON encodes the answer.
func (r *Results) MarshalJSON() ([]byte, error) {
	return r.Credits.append(r.append(nil)), nil
}

// append appends the answer without the credits and the final brace.
func (r *Results) append(b []byte) []byte {
	b = append(b, `{"schema_version":`...)
	b = wirejson.AppendString(b, r.SchemaVersion)
	b = append(b, `,"generated_at":`...)
	b = wirejson.AppendString(b, r.GeneratedAt)
	b = append(b, `,"query":`...)
	b = wirejson.AppendString(b, r.Query)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(r.Total), 10)
	b = append(b, `,"count":`...)
	b = strconv.AppendInt(b, int64(r.Count), 10)
	b = append(b, `,"entries":[`...)
	for i := range r.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Entries[i].append(b)
	}
	b = append(b, `],"facets":{"category":`...)
	b = appendFacet(b, r.Facets.Category)
	b = append(b, `,"tag":`...)
	b = appendFacet(b, r.Facets.Tag)
	b = append(b, `,"type":`...)
	b = appendFacet(b, r.Facets.Type)
	b = append(b, `,"kind":`...)
	b = appendFacet(b, r.Facets.Kind)
	b = append(b, '}')
	if r.Undated > 0 {
		b = append(b, `,"undated":`...)
		b = strconv.AppendInt(b, int64(r.Undated), 10)
	}
	if r.NextCursor != "" {
		b = append(b, `,"next_cursor":`...)
		b = wirejson.AppendString(b, r.NextCursor)
	}
	if r.Suggestion != "" {
		b = append(b, `,"suggestion":`...)
		b = wirejson.AppendString(b, r.Suggestion)
	}
	if len(r.Missing) > 0 {
		b = append(append(b, `,"missing":`...), wirejson.Must(wirejson.Compact(r.Missing))...)
	}
	return b
}

// append ends an answer with the credits, if there are any.
func (c *Credits) append(b []byte) []byte {
	if c != nil {
		b = append(b, `,"credits":{"remaining":`...)
		b = strconv.AppendInt(b, int64(c.Remaining), 10)
		b = append(b, `,"valid_until":`...)
		b = wirejson.AppendString(b, c.ValidUntil)
		b = append(b, '}')
	}
	return append(b, '}')
}

func appendFacet(b []byte, counts []FacetCount) []byte {
	b = append(b, '[')
	for i, c := range counts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"value":`...)
		b = wirejson.AppendString(b, c.Value)
		b = append(b, `,"count":`...)
		b = strconv.AppendInt(b, int64(c.Count), 10)
		b = append(b, '}')
	}
	return append(b, ']')
}

func (h *Hit) append(b []byte) []byte {
	b = h.shown.append(b)
	if h.Entry != nil { // a change has its kind already
		b = append(b, `,"kind":`...)
		b = wirejson.AppendString(b, h.Kind)
	}
	b = append(b, `,"score":`...)
	b = strconv.AppendFloat(b, h.Score, 'f', -1, 64)
	b = append(b, `,"matched":[`...)
	for i := range h.Matched {
		if i > 0 {
			b = append(b, ',')
		}
		b = h.Matched[i].append(b)
	}
	b = append(b, ']')
	if len(h.Missing) > 0 {
		b = append(b, `,"missing":[`...)
		for i, w := range h.Missing {
			if i > 0 {
				b = append(b, ',')
			}
			b = wirejson.AppendString(b, w)
		}
		b = append(b, ']')
	}
	b = append(b, `,"highlights":{`...)
	b = appendPlaces(b, "title", h.Highlights.Title)
	if len(h.Highlights.Title) > 0 && len(h.Highlights.Summary) > 0 {
		b = append(b, ',')
	}
	b = appendPlaces(b, "summary", h.Highlights.Summary)
	b = append(b, `},"passages":[`...)
	for i := range h.Passages {
		if i > 0 {
			b = append(b, ',')
		}
		b = h.Passages[i].shown.append(b)
		b = append(b, `,"highlights":`...)
		b = append(appendPairs(b, h.Passages[i].Highlights), '}')
	}
	b = append(b, ']')
	if h.Explain != nil {
		b = append(append(b, `,"explain":`...), wirejson.Must(wirejson.Compact(h.Explain))...)
	}
	return append(b, '}')
}

func (m *Match) append(b []byte) []byte {
	b = append(b, `{"term":`...)
	b = wirejson.AppendString(b, m.Term)
	if m.As != "" {
		b = append(b, `,"as":`...)
		b = wirejson.AppendString(b, m.As)
	}
	b = append(b, `,"in":[`...)
	for i, f := range m.In {
		if i > 0 {
			b = append(b, ',')
		}
		b = wirejson.AppendString(b, f)
	}
	return append(b, ']', '}')
}

func appendPlaces(b []byte, name string, places [][2]int32) []byte {
	if len(places) == 0 {
		return b
	}
	b = wirejson.AppendString(b, name)
	return appendPairs(append(b, ':'), places)
}

func appendPairs(b []byte, places [][2]int32) []byte {
	b = append(b, '[')
	for i, p := range places {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(p[0]), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(p[1]), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}
