package bolt11_test

import (
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chaincfg"

	"almanac/l402/client/bolt11"
	"almanac/l402/client/clienttest"
)

// TestNetworks: an invoice says itself which network it is of.
func TestNetworks(t *testing.T) {
	for want, params := range map[string]*chaincfg.Params{
		bolt11.Mainnet: &chaincfg.MainNetParams, bolt11.Testnet: &chaincfg.TestNet3Params, bolt11.Signet: &chaincfg.SigNetParams,
		bolt11.Simnet: &chaincfg.SimNetParams, bolt11.Regtest: &chaincfg.RegressionNetParams,
	} {
		for _, msat := range []int64{0, 1000, 100_000, 123_456_789_000} {
			node := clienttest.NewNode()
			node.Params = params
			text, hash := node.Invoice(t, clienttest.Terms{MilliSats: msat, Memo: "a memo", Expiry: time.Hour})
			for _, written := range []string{text, strings.ToUpper(text), "lightning:" + text, " " + text + " "} {
				got, err := bolt11.Decode(written)
				if err != nil || got.Network != want || got.Hash != hash || got.MilliSats != msat || got.Description != "a memo" || got.Text != text || len(got.Payee) != 66 {
					t.Errorf("%.30s: %+v (%v), want %s, %d msat", written, got, err, want, msat)
				}
				if life := got.ExpiresAt.Sub(got.CreatedAt); life != time.Hour {
					t.Errorf("payable for %s, want an hour", life)
				}
			}
		}
	}
}

// The examples of the specification (https://github.com/lightning/bolts/blob/master/11-payment-encoding.md, "Examples").
func TestExamples(t *testing.T) {
	for text, want := range map[string]bolt11.Invoice{
		"lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh": {
			MilliSats: 250_000_000, Description: "1 cup coffee"},
	} {
		got, err := bolt11.Decode(text)
		if err != nil || got.MilliSats != want.MilliSats || got.Description != want.Description || got.Network != bolt11.Mainnet {
			t.Errorf("%+v (%v)", got, err)
		}
	}
}

// FuzzDecode: whatever the text, decoding ends without harm, and what is read is whole.
func FuzzDecode(f *testing.F) {
	text, _ := clienttest.NewNode().Invoice(f, clienttest.Terms{MilliSats: 1000})
	f.Add(text)
	f.Add("lnbc1")
	f.Add("lightning:LNBCRT1" + strings.Repeat("q", 100))
	f.Fuzz(func(t *testing.T, text string) {
		inv, err := bolt11.Decode(text)
		if err == nil && (inv.Network == "" || inv.Payee == "" || inv.MilliSats < 0 || inv.ExpiresAt.Before(inv.CreatedAt)) {
			t.Errorf("%q is read as %+v", text, inv)
		}
	})
}
