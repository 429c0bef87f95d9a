package index

import (
	"slices"
	"strings"
	"testing"
)

// TestVersions: who names an earlier version of a protocol finds its facts or an entry about it first, as sentences; who names none finds those
// of the newest.
func TestVersions(t *testing.T) {
	x := realIndex(t)
	for _, tt := range []struct{ query, id, has string }{
		{"x402 v1 header", "protocol:x402#version-v1 x402-migration-v1-to-v2 x402-specification-v1", "X-PAYMENT"},
		{"x402 v1 headers", "protocol:x402#version-v1 x402-migration-v1-to-v2 x402-specification-v1", "X-PAYMENT"},
		{"which headers does x402 v1 use?", "protocol:x402#version-v1 x402-migration-v1-to-v2 x402-specification-v1", "X-PAYMENT"},
		{"x402 v1 networks", "protocol:x402#version-v1", "base-sepolia"},
		{"earlier version of L402", "protocol:l402#version-lsat", "LSAT"},
		{"ACP 2025-09-29", "protocol:acp#version-2025-09-29", "2025-09-29"},
		{"AP2 0.1.0 mandates", "protocol:ap2#version-0-1-0 ap2-specification-0-1", "Mandate"},
		{"UCP Request-Signature header", "protocol:ucp#version-2026-01-11", "Request-Signature"},
		{"BIP-20 amount hexadecimal", "protocol:bip21#version-bip-20", "x400X4"},
		{"x402 headers", "protocol:x402", "PAYMENT-SIGNATURE"},
		{"x402 facilitators", "protocol:x402", "facilitator"},
		{"l402 headers", "protocol:l402", "WWW-Authenticate"},
	} {
		r, err := x.Search(t.Context(), Query{Text: tt.query})
		if err != nil || r.Total == 0 {
			t.Errorf("%q: %v, %d hits", tt.query, err, r.Total)
			continue
		}
		h := r.Entries[0]
		if !slices.Contains(strings.Fields(tt.id), h.ID()) || len(h.Passages) == 0 || !strings.Contains(h.Passages[0].Text, tt.has) {
			t.Errorf("%q finds %s first: %v, want %s with %q", tt.query, h.ID(), h.Passages, tt.id, tt.has)
		}
	}
}
