package server

import (
	"testing"

	"almanac/catalog"
	"almanac/l402"
)

// TestOffer: the published terms are the ones sold.
func TestOffer(t *testing.T) {
	if got, want := termsOf(catalog.DefaultTerms), l402.DefaultTerms(); got != want {
		t.Errorf("catalog offers %+v, l402 sells %+v", got, want)
	}
}
