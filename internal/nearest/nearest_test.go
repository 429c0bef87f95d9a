package nearest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var vocabulary = []string{"l402", "lightning", "m2m-payments", "mcp", "mpp", "x402"}

func TestWords(t *testing.T) {
	for s, want := range map[string][]string{
		"lightening": {"lightning"}, "LIGHTNING ": {"lightning"}, "ligthning": {"lightning"}, "payments": {"m2m-payments"},
		"x40": {"x402"}, "mpc": {"mcp", "mpp"}, "zzzzzzzz": {}, "": nil, strings.Repeat("x", 1000): nil,
	} {
		if diff := cmp.Diff(want, Words(s, vocabulary, 2)); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", s, diff)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"lightening", 3, ` (did you mean "lightning"?)`},
		{"mpc", 1, ` (did you mean "mcp"?)`},
		{"mpc", 2, ` (did you mean "mcp" or "mpp"?)`},
		{"402", 3, ` (did you mean "l402" or "x402"?)`},
		{"zzzzzzzz", 3, ""},
	} {
		if got := DidYouMean(tt.s, vocabulary, tt.n); got != tt.want {
			t.Errorf("%s, %d: %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
	if got, want := DidYouMean("abcd", []string{"abce", "abcf", "abcg"}, 3), ` (did you mean "abce", "abcf" or "abcg"?)`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLaws: a word of the vocabulary is nearest to itself, one edit is always found, the vocabulary is left as it is,
// and whatever is found is in it.
func TestLaws(t *testing.T) {
	before := slices.Clone(vocabulary)
	for _, word := range vocabulary {
		if got := Words(word, vocabulary, 1); len(got) != 1 || got[0] != word {
			t.Errorf("nearest to %s: %v", word, got)
		}
		for i := range word {
			edited := word[:i] + "_" + word[i+1:]
			if got := Words(edited, vocabulary, len(vocabulary)); !slices.Contains(got, word) {
				t.Errorf("nearest to %s: %v, without %s", edited, got, word)
			}
		}
	}
	for _, word := range Words("payments", vocabulary, 9) {
		if !slices.Contains(vocabulary, word) {
			t.Errorf("%s is not in the vocabulary", word)
		}
	}
	if diff := cmp.Diff(before, vocabulary); diff != "" {
		t.Errorf("the vocabulary changed (-before +after):\n%s", diff)
	}
}
