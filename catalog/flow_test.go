package catalog_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawnBy says, for each sentence of the fact pay_flow, by which steps of the flow it is drawn. A sentence without steps tells of
// something beside the payment that is drawn: an option, another case, or what precedes it.
var drawnBy = map[string][][]int{
	"l402":   {{1}, {2, 3}, {3}, {4}, {4, 5}, {6}, {7}, {8}},
	"bolt12": {{1, 2}, {3}, {3}, {4}, {5}, {5, 6}},
	"bip21":  {{1}, {2}, {2}, {3}, {3, 4, 5}},
	"nwc":    {{1}, {2}, {3}, {4, 5}, {6, 7}, {}}, // notices of other events
	"x402":   {{1}, {2}, {3}, {3}, {4, 5}, {6}, {6, 7, 8}, {9}},
	"mpp":    {{1}, {2}, {3}, {3}, {4}, {5}, {6}},
	"ap2":    {{1}, {2}, {}, {3}, {3, 4}, {5, 6}, {7}, {8}, {9}, {}}, // payment options; the case without a person
	"acp":    {{1}, {2}, {3}, {4}, {5}, {6}, {7}},
	"ucp":    {{1}, {2, 3}, {4, 5}, {6}, {7}, {8}, {}}, // an extension
}

// onTheWire is what a sentence quotes from the protocol: status codes, kinds of events, names of headers and members, paths, schemes.
var onTheWire = regexp.MustCompile(`\b[1-5]\d\d\b|\b\d{5}\b|[A-Z][A-Za-z]*(-[A-Z][A-Za-z]*)+|/[a-z][a-z-]+|[a-z]+_[a-z_]+|\blno\b|\breq-|[a-z+]+://|SHA-256|\bL402\b`)

// Each flow tells what its fact pay_flow tells, in the same order: every sentence is drawn by steps that have what it quotes
// from the protocol, and every step belongs to a sentence or follows the last.
func TestFlowsAgreeWithFacts(t *testing.T) {
	c := realCatalog(t)
	for _, p := range c.Protocols().Protocols {
		f, ok := c.Flow(p.ID)
		if !ok || p.PayFlow == nil {
			t.Errorf("%s has a flow: %t, and a fact pay_flow: %t", p.ID, ok, p.PayFlow != nil)
			continue
		}
		if len(drawnBy[p.ID]) != len(p.PayFlow.Value) {
			t.Errorf("%s: pay_flow has %d sentences, and %d are drawn; read it beside the flow", p.ID, len(p.PayFlow.Value), len(drawnBy[p.ID]))
			continue
		}
		last, drawn := 0, make(map[int]bool)
		for i, steps := range drawnBy[p.ID] {
			if len(steps) == 0 {
				continue
			}
			if steps[0] < last {
				t.Errorf("%s: sentence %d is drawn by step %d, after step %d", p.ID, i+1, steps[0], last)
			}
			last = steps[0]
			words := ""
			for _, n := range steps {
				s := f.Steps[n-1]
				drawn[n] = true
				words += " " + s.Label + " " + s.Quote
				if s.Note != nil {
					words += " " + *s.Note
				}
			}
			for _, name := range onTheWire.FindAllString(p.PayFlow.Value[i], -1) {
				if !strings.Contains(strings.ToLower(words), strings.ToLower(name)) {
					t.Errorf("%s: %q of sentence %d is not in its steps: %s", p.ID, name, i+1, words)
				}
			}
		}
		for n := range f.Steps {
			if before := slices.Max(slices.Concat(drawnBy[p.ID]...)); !drawn[n+1] && n+1 < before {
				t.Errorf("%s: step %d, %q, is in no sentence of pay_flow", p.ID, n+1, f.Steps[n].Label)
			}
		}
	}
}

// The status codes of a profile are those of the fact, where there are both.
func TestProfilesAgreeWithFacts(t *testing.T) {
	c := realCatalog(t)
	compared := 0
	for _, p := range c.Protocols().Protocols {
		profile, ok := c.Profile(p.ID)
		if !ok {
			t.Errorf("%s has no profile", p.ID)
			continue
		}
		if p.HTTPStatusCodes == nil || profile.StatusCodes == nil {
			continue
		}
		compared++
		if !slices.Equal(p.HTTPStatusCodes.Value, profile.StatusCodes.Value) {
			t.Errorf("%s: the fact has %v, the profile %v", p.ID, p.HTTPStatusCodes.Value, profile.StatusCodes.Value)
		}
	}
	if compared < 4 {
		t.Errorf("only %d compared", compared)
	}
}
