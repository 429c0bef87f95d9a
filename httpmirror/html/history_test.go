package html

import (
	"strings"
	"testing"
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
