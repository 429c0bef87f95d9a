package bolt11_test

import (
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
)

// TestNetworks: an invoice says itself which network it is of.
func TestNetworks(t *testing.T) {
	for want, prefix := range map[string]string{
		bolt11.Mainnet: "lnbc", bolt11.Testnet: "lntb", bolt11.Signet: "lntbs", bolt11.Simnet: "lnsb", bolt11.Regtest: "lnbcrt",
	} {
		for _, msat := range []int64{0, 1000, 100_000, 123_456_789_000} {
			node := clienttest.NewNode()
			node.Prefix = prefix
			text, hash := node.Invoice(t, clienttest.Terms{MilliSats: msat, Memo: "a memo", Expiry: time.Hour})
			for _, written := range []string{text, strings.ToUpper(text), "lightning:" + text, "LIGHTNING:" + text, " " + text + " "} {
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
