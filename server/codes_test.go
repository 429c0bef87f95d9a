package server

import (
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
)

// TestOffer: the published terms are the ones sold.
func TestOffer(t *testing.T) {
	if got, want := termsOf(catalog.DefaultTerms), (l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}); got != want {
		t.Errorf("catalog offers %+v, l402 sells %+v", got, want)
	}
}
