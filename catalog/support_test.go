package catalog_test

import (
	"strings"
	"testing"
)

// Every method of the support document carries what a wallet needs, derived from the address.
func TestSupportMethods(t *testing.T) {
	doc := realCatalog(t).Support()
	if len(doc.Methods) < 6 {
		t.Fatalf("%d methods", len(doc.Methods))
	}
	want := map[string]string{
		"bitcoin-onchain":   "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
		"lightning-bolt12":  "bitcoin:?lno=lno1pgx9getnwss8vetrw3hhyuckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg",
		"usdc-base":         "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x0000000000000000000000000000000000000000",
		"usdc-ethereum":     "ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=0x0000000000000000000000000000000000000000",
		"usdc-arbitrum-one": "ethereum:0xaf88d065e77c8cC2239327C5EDb3A432268e5831@42161/transfer?address=0x0000000000000000000000000000000000000000",
		"usdc-solana":       "solana:11111111111111111111111111111111?spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
	}
	for _, m := range doc.Methods {
		if m.QRText != want[m.Name] {
			t.Errorf("%s: text is %q, want %q", m.Name, m.QRText, want[m.Name])
		}
		delete(want, m.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	for _, text := range []string{doc.Purpose, doc.Note} {
		if !strings.Contains(text, "Sample data") {
			t.Errorf("does not say that it is sample data: %q", text)
		}
	}
}
