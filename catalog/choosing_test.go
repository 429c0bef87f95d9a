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

// An agent with a Lightning wallet that is to be charged for each request without an account: which protocols fit, and each reason has a source.
func TestChoosingByNeeds(t *testing.T) {
	needs := map[string]string{"pay-with": "lightning", "asked": "request", "account": "no"}
	got := make(map[string][]string) // the protocols by the worst verdict
	worst := make(map[string]catalog.Verdict)
	order := []catalog.Verdict{catalog.Fits, catalog.Depends, catalog.Unknown, catalog.DoesNotFit}
	for _, q := range realCatalog(t).Chooser().Questions {
		for _, a := range q.Answers {
			if needs[q.ID] != a.ID {
				continue
			}
			for _, p := range a.Protocols {
				if (p.Verdict == catalog.Unknown) != (p.Source == nil) || (p.Source == nil) != (p.Reason == nil) {
					t.Errorf("%s, %s: %s is %s without the source that says so, or with one", q.ID, a.ID, p.ID, p.Verdict)
				}
				if slices.Index(order, p.Verdict) >= slices.Index(order, worst[p.ID]) {
					worst[p.ID] = p.Verdict
				}
			}
		}
	}
	for id, v := range worst {
		got[string(v)] = append(got[string(v)], id)
	}
	for _, list := range got {
		slices.Sort(list)
	}
	want := map[string][]string{
		"fits":         {"l402", "mpp-lightning-session"},
		"depends":      {"mpp"},
		"does-not-fit": {"a2a-x402", "acp", "ap2", "bip21", "bolt12", "cashu-nut-24", "cloudflare-pay-per-crawl", "lnurl-pay", "nwc", "open-payments", "ucp", "visa-tap", "x402"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}
