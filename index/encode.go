package index

import (
	"bytes"
	"encoding/json"
	"strconv"

	"almanac/catalog"
)

// Answers are written by hand, from parts that are encoded once: an answer costs its length. A
// test holds the bytes against encoding/json.

// MarshalJSON writes the entry or change with what the search adds to it.
func (h Hit) MarshalJSON() ([]byte, error) { return h.append(nil), nil }

// MarshalJSON writes the answer as the wire has it.
func (r *Results) MarshalJSON() ([]byte, error) {
	return r.Credits.append(r.append(nil)), nil
}

// append writes the answer up to, and without, the credits and the last brace.
func (r *Results) append(b []byte) []byte {
	b = append(b, `{"schema_version":`...)
	b = appendString(b, r.SchemaVersion)
	b = append(b, `,"generated_at":`...)
	b = appendString(b, r.GeneratedAt)
	b = append(b, `,"query":`...)
	b = appendString(b, r.Query)
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
	if r.NextCursor != "" {
		b = append(b, `,"next_cursor":`...)
		b = appendString(b, r.NextCursor)
	}
	if r.Suggestion != "" {
		b = append(b, `,"suggestion":`...)
		b = appendString(b, r.Suggestion)
	}
	return b
}

// append ends an answer with the credits, when there are any.
func (c *Credits) append(b []byte) []byte {
	if c != nil {
		b = append(b, `,"credits":{"remaining":`...)
		b = strconv.AppendInt(b, int64(c.Remaining), 10)
		b = append(b, `,"expires_at":`...)
		b = appendString(b, c.ExpiresAt)
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
		b = appendString(b, c.Value)
		b = append(b, `,"count":`...)
		b = strconv.AppendInt(b, int64(c.Count), 10)
		b = append(b, '}')
	}
	return append(b, ']')
}

func (h *Hit) append(b []byte) []byte {
	switch {
	case h.shown != nil:
		b = append(b, h.shown.json...)
	case h.Entry != nil:
		b = append(b, entryJSON(h.Entry)...)
	default:
		b = append(b, changeJSON(h.Change)...)
	}
	if h.Entry != nil { // a change has its kind already
		b = append(b, `,"kind":`...)
		b = appendString(b, h.Kind)
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
	b = append(b, `],"highlights":{`...)
	b = appendPlaces(b, "title", h.Highlights.Title)
	if len(h.Highlights.Title) > 0 && len(h.Highlights.Summary) > 0 {
		b = append(b, ',')
	}
	b = appendPlaces(b, "summary", h.Highlights.Summary)
	return append(b, '}', '}')
}

func (m *Match) append(b []byte) []byte {
	b = append(b, `{"term":`...)
	b = appendString(b, m.Term)
	if m.As != "" {
		b = append(b, `,"as":`...)
		b = appendString(b, m.As)
	}
	b = append(b, `,"in":[`...)
	for i, f := range m.In {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, f)
	}
	return append(b, ']', '}')
}

func appendPlaces(b []byte, name string, places [][2]int) []byte {
	if len(places) == 0 {
		return b
	}
	b = appendString(b, name)
	b = append(b, ':', '[')
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

// appendString writes a JSON string. Plain text is copied; the rest is left to encoding/json.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(b, encode(s)...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// encode gives the JSON of a value that is known to encode, with < > & as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// entryJSON gives the fields of an entry, without the last brace.
func entryJSON(e *catalog.Entry) []byte { return bytes.TrimSuffix(encode(e), []byte("}")) }

func changeJSON(c *catalog.Change) []byte { return bytes.TrimSuffix(encode(c), []byte("}")) }
