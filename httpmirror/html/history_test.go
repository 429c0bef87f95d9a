package html

import (
	"slices"
	"strings"
	"testing"
)

// TestWordDiff: a diff without its removals is the new text, and without its additions has the words of the old one;
// and the words that both begin and end with are unchanged.
func TestWordDiff(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	for _, tt := range []struct{ before, after, want string }{
		{"", "", ""},
		{"", "all of it", "+all of it"},
		{"all of it", "", "-all of it"},
		{"the same text", "the same text", " the same text"},
		{"a b c", "a x c", " a |-b |+x | c"},
		{"a b c d", "a c e d", " a |-b c |+c e | d"},
		{`["200","402"]`, `["200","401","402"]`, ` ["200",|+"401",| "402"]`},
		{"2026-11-21", "2026-11-22", "-2026-11-21|+2026-11-22"},
		{"one\ntwo", "one two", " one two"},
		{long + "x", "y " + long, "-" + long + "x|+y " + long},
	} {
		var got []string
		removed, added := "", ""
		for _, p := range wordDiff(tt.before, tt.after) {
			got = append(got, string(p.Sign)+p.Text)
			if p.Sign != '+' {
				removed += p.Text
			}
			if p.Sign != '-' {
				added += p.Text
			}
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%.20q to %.20q: %.80q, want %q", tt.before, tt.after, strings.Join(got, "|"), tt.want)
		}
		if added != tt.after || !slices.Equal(strings.Fields(removed), strings.Fields(tt.before)) {
			t.Errorf("%.20q to %.20q: the parts are %.80q", tt.before, tt.after, got)
		}
	}
}
