package server

import (
	"testing"

	"almanac/catalog"
	"almanac/l402"
	"almanac/l402/demo"
	"almanac/problem"
)

// TestCodes holds together the codes of package l402 and the one table, which l402 may not import.
func TestCodes(t *testing.T) {
	for _, r := range append(l402.Refusals(), demo.Refusals()...) {
		c, ok := problem.Lookup(problem.Code(r.Code))
		if !ok {
			t.Errorf("%s is not in the table of catalog", r.Code)
			continue
		}
		if c.Status != r.Status {
			t.Errorf("%s: status %d in l402, %d in the table", r.Code, r.Status, c.Status)
		}
	}
}

// TestOffer: the published terms are the ones sold.
func TestOffer(t *testing.T) {
	if got, want := termsOf(catalog.DefaultOffer), l402.DefaultTerms(); got != want {
		t.Errorf("catalog offers %+v, l402 sells %+v", got, want)
	}
}
