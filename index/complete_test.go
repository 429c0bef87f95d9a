package index

import (
	"slices"
	"testing"
)

func TestComplete(t *testing.T) {
	x := realIndex(t)
	for _, tt := range []struct{ prefix, want string }{
		{"l402-p", "l402-protocol-specification"},
		{"NIP-4", "NIP-47: Nostr Wallet Connect (NWC)"},
		{"nostr w", "NIP-47: Nostr Wallet Connect (NWC)"},
		{"lightn", "lightning"},
		{"protocol:b", "protocol:bolt12"},
	} {
		if got := x.Complete(tt.prefix, 10); !slices.Contains(got, tt.want) || len(got) > 10 {
			t.Errorf("%q gives %q, without %q", tt.prefix, got, tt.want)
		}
	}
	if got := x.Complete("", 5); len(got) != 5 {
		t.Errorf("nothing gives %q", got)
	}
	if got := x.Complete("zzzz", 5); got == nil || len(got) != 0 {
		t.Errorf("zzzz gives %v", got)
	}
}
