package html

import (
	"strings"
	"testing"

	"almanac/catalog"
)

// TestExcerpt: an excerpt has at most the characters that it may have, and the place where the texts differ.
func TestExcerpt(t *testing.T) {
	shared := strings.Repeat("a", 500)
	for _, tt := range []struct{ text, other, want string }{
		{"short", "other", "short"},
		{shared, "", strings.Repeat("a", 20) + "…"},
		{shared + "X" + shared, shared + "Y" + shared, "…" + strings.Repeat("a", 5) + "X" + strings.Repeat("a", 14) + "…"},
		{shared + "é", shared, "…" + strings.Repeat("a", 19) + "é"},
	} {
		if got := excerpt(tt.text, tt.other, 20); got != tt.want {
			t.Errorf("%.10s… beside %.10s…: %q, want %q", tt.text, tt.other, got, tt.want)
		}
	}
	if got := excerpt(shared, "", 0); got != shared {
		t.Errorf("%q", got)
	}
}

// TestNewsOrder holds that the page of a day shows edits of protocols first and those of library entries last.
func TestNewsOrder(t *testing.T) {
	events := []catalog.RecordedEvent{}
	for _, kind := range []string{"library", "article", "support", "flow", "library", "protocol", "unknown"} {
		e := catalog.RecordedEvent{Change: "edited",
			Members: []catalog.MemberChange{{Name: "title"}}}
		e.Kind = kind
		events = append(events, e)
	}
	_, edited := briefEvents(events)
	var got []string
	for _, e := range edited {
		got = append(got, e.Kind)
	}
	if want := "flow protocol article unknown support library library"; strings.Join(got, " ") != want {
		t.Errorf("the kinds are %s, want %s", strings.Join(got, " "), want)
	}
}
