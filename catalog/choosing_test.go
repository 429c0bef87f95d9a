package catalog_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// The rules of the chooser name fields and classes that exist, and no class is left without a verdict by mistake: each class of a field
// fits some answer, or is one of those that fit none.
func TestChooserRules(t *testing.T) {
	fitsNothing := map[string][]string{
		"rail": {"none"}, "quote_where": {"quote"}, "idempotency": {"none"}, "refund": {"none"}, "account_needed": {"yes"}, "human_in_loop": {"each"},
		"status": {"draft", "beta", "superseded"}, "transports": {"json-rpc", "websocket", "stdio", "ucp", "embedded", "nfc", "lightning-onion-message", "server-sent-events"},
	}
	for _, q := range catalog.ChoiceQuestions {
		known := new(catalog.Profile).Field(q.Field).Words
		var used []string
		for _, a := range q.Answers {
			used = append(append(used, a.Fits...), a.Depends...)
		}
		for _, class := range used {
			if !slices.Contains(known, class) {
				t.Errorf("%s: the class %q is not one of %s", q.ID, class, q.Field)
			}
		}
		var unused []string
		for _, class := range known {
			if !slices.Contains(used, class) {
				unused = append(unused, class)
			}
		}
		if diff := cmp.Diff(fitsNothing[q.Field], unused); diff != "" {
			t.Errorf("%s: classes that fit no answer (-want +got):\n%s", q.ID, diff)
		}
	}
}

// A verdict follows from the classes of a reading, and nothing follows from a reading that is not there.
func TestJudge(t *testing.T) {
	a := catalog.ChoiceAnswer{Fits: []string{"no"}, Depends: []string{"depends"}}
	for _, tt := range []struct {
		name  string
		field catalog.ProfileField
		want  catalog.Verdict
	}{
		{"fits", catalog.ProfileField{Value: "no", Classes: []string{"no"}}, catalog.Fits},
		{"fits in one of several", catalog.ProfileField{Value: "x", Classes: []string{"depends", "no"}}, catalog.Fits},
		{"depends", catalog.ProfileField{Value: "x", Classes: []string{"depends"}}, catalog.Depends},
		{"does not fit", catalog.ProfileField{Value: "yes", Classes: []string{"yes"}}, catalog.DoesNotFit},
		{"the sources do not say", catalog.ProfileField{}, catalog.Unknown},
	} {
		if got := a.Judge(tt.field); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
