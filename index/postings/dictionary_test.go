package postings

import "testing"

// TestWithin: one edit is a letter left out, put in, replaced, or two swapped, whatever its bytes.
func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		edits int // the fewest; 3: more than two
	}{
		{"invoice", "invoice", 0},
		{"invoce", "invoice", 1}, {"invoiice", "invoice", 1}, {"invoixe", "invoice", 1}, {"inovice", "invoice", 1},
		{"nvoice", "invoice", 1}, {"xinvoice", "invoice", 1}, {"invoic", "invoice", 1}, {"invoicex", "invoice", 1},
		{"niovice", "invoice", 2}, {"voice", "invoice", 2}, {"anvoyce", "invoice", 2}, {"invoiceab", "invoice", 2},
		{"noice", "invoice", 2}, {"", "ab", 2}, {"invocation", "invoice", 3}, {"ab", "invoice", 3},
		{"жолния", "молния", 1}, {"мллния", "молния", 1}, {"омлния", "молния", 1}, {"straße", "strase", 1}, {"é", "è", 1},
	} {
		for edits := range 3 {
			if got := isWithin(tt.a, tt.b, edits) && isWithin(tt.b, tt.a, edits); got != (tt.edits <= edits) {
				t.Errorf("isWithin(%q, %q, %d) = %v", tt.a, tt.b, edits, got)
			}
		}
	}
}
