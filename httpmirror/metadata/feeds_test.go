package metadata

import (
	"encoding/json"
	"strings"
	"testing"

	"almanac/catalog"
)

// TestFeedValues: a feed has a value on one line, of any length up to the limit whole and beyond it cut after as many characters.
func TestFeedValues(t *testing.T) {
	onOneLine := func(text string) string {
		line := []rune(strings.Join(strings.Fields(text), " "))
		if len(line) > valueLength {
			return string(line[:valueLength]) + "…"
		}
		return string(line)
	}
	texts := []string{"", " ", "one", " two\n lines ", "a \"quoted\" \\ text", strings.Repeat("ä", valueLength+1), strings.Repeat("word ", 100)}
	for n := valueLength - 3; n <= valueLength+3; n++ {
		texts = append(texts, strings.Repeat("x", n), strings.Repeat("é", n)+" end", strings.Repeat("x", n)+" ")
	}
	for _, text := range texts {
		value, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := valueText(catalog.MemberChange{}, value), onOneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for value, want := range map[string]string{"null": "", "": "", `{"a":  [1]}`: `{"a": [1]}`, "42": "42", `["a\nb"]`: `["a\nb"]`} {
		if got := valueText(catalog.MemberChange{}, json.RawMessage(value)); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
