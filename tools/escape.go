package tools

import (
	"encoding/json"

	"almanac/wirejson"
)

// encode encodes a value of our own, which always has a JSON form.
func encode(v any) []byte { return wirejson.Must(wirejson.Compact(v)) }

// unescape reverses wirejson.AppendEscaped.
func unescape(text []byte) (string, error) {
	var s string
	err := json.Unmarshal([]byte(`"`+string(text)+`"`), &s)
	return s, err
}
